import { START_WEBHOOK_QUEUE } from '../../services/platform/start-advice';
import { inTransaction } from '../../services/platform/database/database';
import { overviewPage } from '../../services/webhook-queue/monitor/pages/overview-page';
import { secretPage, endpointPage } from '../../services/webhook-queue/monitor/pages/endpoint-page';
import { type Notice, refusalPage, signInPage } from '../../services/webhook-queue/monitor/pages/layout';
import { ALL_ENDPOINTS } from '../../services/webhook-queue/stats/delivery-stats';
import { pauseEndpoint } from '../../services/webhook-queue/endpoints/change-endpoint-state';
import { type Params } from '../../services/webhook-queue/monitor/queries/read-query';
import { book, createTenant } from './queue-fixture';
import {
  become,
  booked,
  db,
  endpoints,
  EVIL,
  overview,
  slugOf,
  textOf,
  useEmptyQueue,
  VIEWER,
  endpoint,
} from './monitor-pages-fixture';

useEmptyQueue();

describe('the overview', () => {
  it('the overview of an empty installation names the first steps', async () => {
    const text = textOf(await overview());
    expect(text).toContain('No endpoint yet.');
    expect(text).toContain('tourctl webhook add <tenant> https://…');
    expect(text).toContain(`No worker is alive: nothing is sent. To go on, ${START_WEBHOOK_QUEUE}.`);
    expect(text).toContain(`No worker has started yet. To begin, ${START_WEBHOOK_QUEUE}.`);
  });

  it('the overview counts the deliveries that are due, held back, retrying, dead or without an endpoint', async () => {
    const due = await booked();
    await book(db, due.tenantId);
    const held = await booked();
    await inTransaction(db, (trx) => pauseEndpoint(trx, held.endpoint.id));
    const dead = await booked();
    await become(dead.id, 'dead');
    const retrying = await booked();
    await become(retrying.id, 'retrying');
    await db('webhook_queue')
      .where({ delivery_id: retrying.id })
      .update({ next_at: db.raw("now() + interval '1 hour'") });
    const waiting = await createTenant(db);
    await book(db, waiting);
    const page = await overview();
    const tiles = textOf(page.slice(page.indexOf('class="tiles"'), page.indexOf('Success rate')));
    expect(tiles).toContain('Due now 2 and 1 held back');
    expect(tiles).toContain('Retrying 1 ');
    expect(tiles).toContain('Dead within 24 hours 1 1 in all');
    expect(tiles).toContain('Without endpoint 1 ');
    expect(tiles).toContain('Disabled 0 and 1 paused');
    expect(textOf(page)).toContain(`1 delivery of ${await slugOf(waiting)} waits for an endpoint.`);
  });

  it('the overview shows the age of the oldest due delivery that is neither leased nor held by a breaker', async () => {
    const [late, leased, blocked] = [await booked(), await booked(), await booked()];
    const backdate = (id: string, minutes: number) =>
      db('webhook_queue')
        .where({ delivery_id: id })
        .update({ next_at: db.raw(`now() - interval '${minutes} minutes'`) });
    await backdate(late.id, 30);
    await backdate(leased.id, 60);
    await db('webhook_queue')
      .where({ delivery_id: leased.id })
      .update({ worker: 'w', claimed_at: db.fn.now(), lease_until: db.raw("now() + interval '45 seconds'") });
    await backdate(blocked.id, 90);
    await db('webhook_health').insert({
      endpoint_id: blocked.endpoint.id,
      failures: 5,
      openings: 1,
      opened_at: db.fn.now(),
      blocked_until: db.raw("now() + interval '5 minutes'"),
    });
    await db('webhook_workers').insert({ id: 'w', slots: 64, in_flight: 1 });
    const text = textOf(await overview());
    expect(text).toContain('Due now 1 and 1 held back');
    expect(text).toContain('Oldest due 30 min');
    expect(text).toContain('Deliveries start 30 min late.');
    expect(text).toContain('Sending paused after failures 1 of 3 endpoints');
    expect(text).toMatch(/We pause sending until .* \(in 5 min\), after 5 failures\./);
  });

  it.each([
    [{ failures: 3 }, 'hooks.example of SLUG: Every attempt fails: 3 failures in a row.'],
    [{ failures: 1 }, 'hooks.example of SLUG: Its last attempt failed.'],
    [{ failures: 0 }, 'hooks.example of SLUG: It asks to wait (429 or 503) at each attempt.'],
  ])('the overview names a failing endpoint and describes how it fails: %j', async (health, sentence) => {
    const { endpoint: target, slug } = await booked();
    await db('webhook_workers').insert({ id: 'w', slots: 64, in_flight: 0 });
    expect(textOf(await overview())).toContain('No problems: every endpoint accepts its deliveries.');
    const since = db.raw("now() - interval '4 minutes'");
    await db('webhook_health').insert({ endpoint_id: target.id, failing_since: since, ...health });
    const page = await overview();
    const text = textOf(page);
    expect(text).toContain(`${sentence.replace('SLUG', slug)} It has failed for 4 min. Retry Open`);
    expect(page).toMatch(new RegExp(`form="act"\\s+formaction="/endpoints/${target.id}/retry"`));
    expect(page).toMatch(/<form id="act" method="post">\s*<input type="hidden" name="csrf"/);
    expect(text).not.toContain('No problems');
    expect(textOf(await endpoints())).toContain('failing for 4 min');
  });

  it('the overview draws success and percentiles of its range from the statistics of all workers', async () => {
    const { endpoint: target } = await booked();
    const insertStatistics = (worker: string, ago: string, counts: object) =>
      db('webhook_pulse').insert(
        [target.id, ALL_ENDPOINTS].map((endpointId) => ({
          at: db.raw(`date_bin('5 minutes', now() - interval '${ago}', timestamptz '2000-01-01 00:00Z')`),
          endpoint_id: endpointId,
          worker,
          answer_times: [],
          waits: [],
          delivered: 0,
          failed: 0,
          ...counts,
        })),
      );
    await insertStatistics('w1', '0 minutes', {
      delivered: 30,
      failed: 1,
      answer_times: [0, 0, 0, 0, 30],
      waits: [0, 30],
    });
    await insertStatistics('w2', '0 minutes', {
      delivered: 65,
      failed: 4,
      answer_times: [0, 0, 0, 0, 69],
      waits: [],
    });
    await insertStatistics('w1', '3 hours', { failed: 100 });
    await insertStatistics('w1', '6 days', { failed: 800 });
    const hour = textOf(await overview('1h'));
    expect(hour).toMatch(/of 100 attempts, all since \d+ \w+ \d\d:\d\d UTC 95\.0 % 95 delivered 5 failed/);
    expect(hour).toContain('11 ms p50 15 ms p95');
    expect(textOf(await overview('24h'))).toMatch(/of 200 attempts, all since .* UTC 47\.5 %/);
    expect(textOf(await overview('7d'))).toMatch(/of 1,000 attempts(, all since [^%]* UTC)? 9\.5 %/);
  });

  it('the overview draws fewer than three adjacent measurements as dots, on a logarithmic scale', async () => {
    const insertMinutesAgo = (...minutes: number[]) =>
      db('webhook_pulse').insert(
        minutes.map((ago) => ({
          at: db.raw(
            `date_bin('5 minutes', now() - interval '${ago} minutes', timestamptz '2000-01-01 00:00Z')`,
          ),
          endpoint_id: ALL_ENDPOINTS,
          worker: 'w',
          answer_times: [0, 0, 0, 5],
          waits: [0, 0, 0, 0, 5],
          delivered: 5,
          failed: 0,
        })),
      );
    await insertMinutesAgo(50, 45);
    const two = await overview('1h');
    expect(two).not.toContain('class="line');
    expect(two.match(/<circle/g)).toHaveLength(8);
    expect(textOf(two)).toMatch(/of 10 attempts, all since \d+ \w+ \d\d:\d\d UTC/);
    expect(two.match(/>logarithmic scale</g)).toHaveLength(2);
    await insertMinutesAgo(40);
    const three = await overview('1h');
    expect(three).not.toContain('all since');
    expect(three.match(/class="line/g)).toHaveLength(4);
    expect(three).not.toContain('<circle');
  });

  it('the overview names two failing endpoints of one host by the ends of their paths', async () => {
    for (const part of ['prod', 'staging']) {
      const { endpoint } = await booked(`https://hooks.example/tours/${part}?key=s3cret`);
      await db('webhook_health').insert({
        endpoint_id: endpoint.id,
        failures: 3,
        failing_since: db.fn.now(),
      });
    }
    const page = await overview();
    expect(textOf(page)).toMatch(/hooks\.example\/…\/prod of .*hooks\.example\/…\/staging of /);
    expect(page).not.toContain('s3cret');
  });

  it('the overview shows live workers apart from silent workers', async () => {
    await db('webhook_workers').insert([
      { id: 'here', slots: 64, in_flight: 7 },
      { id: 'away', slots: 64, in_flight: 9, beat_at: db.raw("now() - interval '16 seconds'") },
    ]);
    const text = textOf(await overview());
    expect(text).toContain('Workers 1 alive, 7 of 64 slots busy');
    expect(text).toMatch(/here alive .*away gone/);
  });
});

describe('every page of the monitor', () => {
  it('every page of the monitor shows the operator, the result of an action, and the sign-out', async () => {
    const notice: Notice = { kind: 'refused', text: EVIL };
    const page = await overviewPage(db, { range: '1h' }, VIEWER, notice);
    expect(page).toContain('anna &lt;ops&gt;');
    expect(page).toContain('&lt;script&gt;');
    expect(page).toMatch(/role="status">\s*<p class="notice refused">/);
    expect(page).toMatch(/method="post" action="\/sign-out"/);
  });

  it('a page that is opened by itself is a complete document', () => {
    const pages = [
      signInPage(),
      signInPage({ action: '/sign-in/abc' }),
      secretPage({ endpointId: 'e1', secret: 'whsec_abc', overlapUntil: null }, VIEWER),
      refusalPage(404, EVIL),
    ];
    for (const page of pages) {
      expect(page).toMatch(/^<!doctype html>/);
      expect(page).not.toContain('<script>');
    }
    expect(pages[0]).toContain('tourctl monitor');
    expect(pages[1]).toContain('action="/sign-in/abc"');
    expect(pages[2]).toContain('whsec_abc');
  });
});

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
