import { inTransaction } from '../../services/platform/database';
import { endpointPage } from '../../services/webhook-queue/monitor/pages/endpoint-page';
import { type Params } from '../../services/webhook-queue/monitor/queries/read-query';
import { pauseEndpoint } from '../../services/webhook-queue/endpoints/change-endpoint-state';
import { createTenant } from './queue-fixture';
import {
  become,
  booked,
  db,
  endpoint,
  endpoints,
  textOf,
  useEmptyQueue,
  VIEWER,
} from './monitor-pages-fixture';

useEmptyQueue();

describe('the page of endpoints', () => {
  it('the page of a new installation shows the command that adds an endpoint', async () => {
    expect(textOf(await endpoints())).toContain(
      'tourctl webhook add <tenant> https://www.example.com/webhooks',
    );
    expect(textOf(await endpoints({ tenant: 'nobody' }))).toContain('No endpoint matches.');
  });

  it('the page of endpoints finds endpoints by tenant and by status', async () => {
    const [one, other] = [await booked('https://one.example/'), await booked('https://other.example/')];
    await inTransaction(db, (trx) => pauseEndpoint(trx, other.endpoint.id));
    await db('webhook_health').insert({ endpoint_id: one.endpoint.id, failures: 5, openings: 3 });
    const found = async (params: Params) => {
      const page = await endpoints(params);
      return ['one.example', 'other.example'].filter((host) => page.includes(host));
    };
    expect(await found({})).toEqual(['one.example', 'other.example']);
    expect(await found({ tenant: one.slug })).toEqual(['one.example']);
    expect(await found({ status: 'paused' })).toEqual(['other.example']);
    expect(await found({ status: 'breaker' })).toEqual(['one.example']);
    expect(await found({ status: 'removed' })).toEqual([]);
    expect(await found({ status: 'odd' })).toEqual(['one.example', 'other.example']);
    expect(textOf(await endpoints({ status: 'odd' }))).toContain(
      '“odd” is ignored. Use one of: active, breaker',
    );
  });

  it('the page of endpoints shows health, waiting deliveries, breaker and secret of each endpoint', async () => {
    const { endpoint: target } = await booked();
    await db('webhook_pulse').insert({
      at: db.raw("date_bin('5 minutes', now(), timestamptz '2000-01-01 00:00Z')"),
      endpoint_id: target.id,
      worker: 'w',
      delivered: 1,
      failed: 3,
      answer_times: [0, 4],
      waits: [],
    });
    await db('webhook_health').insert({
      endpoint_id: target.id,
      failures: 6,
      openings: 2,
      blocked_until: db.raw("now() + interval '10 minutes'"),
    });
    const page = await endpoints();
    expect(page).toContain('aria-label="Last 24 hours: 25.0 % of 4 attempts delivered.');
    const text = textOf(page);
    expect(text).toContain('sending paused');
    expect(text).toMatch(/We pause sending until .* \(in 10 min\), after 6 failures\./);
    expect(text).toMatch(/25\.0 % 2 ms 1 /);
  });

  it('a page lists fifty endpoints, and the next page lists the others', async () => {
    const tenantId = await createTenant(db);
    await db.raw(
      `insert into webhook_endpoints (tenant_id, url) select ?, 'https://e' || n || '.example/' from generate_series(1, 60) n`,
      [tenantId],
    );
    const first = await endpoints();
    const after = /after=([0-9a-f-]+)/.exec(first)![1]!;
    const second = await endpoints({ after });
    const hosts = (page: string) => [...page.matchAll(/>(e\d+[.]example)/g)].map((match) => match[1]!);
    expect(hosts(first)).toHaveLength(50);
    expect(hosts(second)).toHaveLength(10);
    expect(new Set([...hosts(first), ...hosts(second)]).size).toBe(60);
  });
});

describe('the page of an endpoint', () => {
  it('endpointPage returns undefined for an unknown id', async () => {
    expect(await endpointPage(db, 'nonsense', VIEWER)).toBeUndefined();
    expect(await endpointPage(db, '01a1f90c-2e58-71b1-ad4e-06a6c9cd238c', VIEWER)).toBeUndefined();
  });

  it('the page of an endpoint offers the actions that the state allows, in forms with the CSRF token of the session', async () => {
    const { endpoint: target } = await booked();
    const verbs = (page: string) =>
      [...page.matchAll(/action="\/endpoints\/[^/]+\/([a-z-]+)"/g)].map((match) => match[1]);
    const active = await endpoint(target.id);
    expect(verbs(active)).toEqual(['ping', 'pause', 'disable', 'rotate-secret']);
    const forms = active.match(/<form[^>]*method="post"/g)!.length;
    expect(active.match(/name="csrf"\s+value="a-token-of-this-session"/g)).toHaveLength(forms);
    await db('webhook_health').insert({ endpoint_id: target.id, failures: 1 });
    expect(verbs(await endpoint(target.id))).toEqual(['retry', 'ping', 'pause', 'disable', 'rotate-secret']);
    await inTransaction(db, (trx) => pauseEndpoint(trx, target.id));
    expect(verbs(await endpoint(target.id))).toEqual(['resume', 'disable', 'rotate-secret']);
    await db('webhook_endpoints').update({ status: 'disabled' });
    expect(verbs(await endpoint(target.id))).toEqual(['enable', 'rotate-secret']);
    await db('webhook_endpoints').update({ status: 'removed' });
    expect(verbs(await endpoint(target.id))).toEqual([]);
  });

  it('the page of an endpoint shows who changed the state, when the secrets expire, and the recent failures', async () => {
    const { tenantId, endpoint: target, id, bookingRef } = await booked();
    await db('audit_log').insert({
      at: new Date('2026-11-19T08:00:00Z'),
      actor: 'olga',
      host: 'desk-1',
      action: 'webhook.pause',
      tenant_id: tenantId,
      subject: target.id,
    });
    await db('webhook_secrets').update({ expires_at: new Date('2126-11-19T08:00:00Z') });
    await become(id, 'retrying', { last_error: 'The receiver answered 500.', attempts: 3 });
    await db('webhook_endpoints').update({ status: 'paused', status_since: db('audit_log').select('at') });
    expect(textOf(await endpoints())).toContain('paused since 19 Nov 08:00:00 , by olga');
    const text = textOf(await endpoint(target.id));
    expect(text).toContain('Since 19 Nov 2026, 08:00:00 UTC , by olga.');
    expect(text).toContain('signs until 19 Nov 2126, 08:00:00 UTC');
    expect(text).toMatch(new RegExp(`${bookingRef} booking.created retrying 3 The receiver answered 500.`));
  });
});
