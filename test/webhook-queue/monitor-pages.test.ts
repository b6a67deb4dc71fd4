import { runInNewContext } from 'node:vm';
import { Webhook } from 'standardwebhooks';
import { inTransaction, type Db } from '../../services/platform/database';
import {
  findDeliveriesWithin,
  type DeliverySearch,
} from '../../services/webhook-queue/deliveries/delivery-list.repository';
import { deliveriesPage } from '../../services/webhook-queue/monitor/pages/deliveries-page';
import { deliveryPage } from '../../services/webhook-queue/monitor/pages/delivery-page';
import { endpointPage } from '../../services/webhook-queue/monitor/pages/endpoint-page';
import { endpointsPage } from '../../services/webhook-queue/monitor/pages/endpoints-page';
import { overviewPage } from '../../services/webhook-queue/monitor/pages/overview-page';
import { refusalPage, secretPage, signInPage } from '../../services/webhook-queue/monitor/pages/plain-pages';
import {
  parseDeliveriesQuery,
  parseEndpointsQuery,
  parseReplayQuery,
  type Params,
} from '../../services/webhook-queue/monitor/queries/read-query';
import { replayPage } from '../../services/webhook-queue/monitor/pages/replay-page';
import type { Notice } from '../../services/webhook-queue/monitor/html/viewer';
import { ALL_ENDPOINTS } from '../../services/webhook-queue/metrics/pulse.repository';
import { pauseEndpoint } from '../../services/webhook-queue/operations';
import { signPayload, webhookId } from '../../services/webhook-queue/signing/sign-payload';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { add, book, createTenant, deliveriesOf, hurriedWorker, whenAll } from './queue-fixture';
import { startReceiver } from './receiver';

const VIEWER = { operator: 'anna <ops>', csrfToken: 'a-token-of-this-session' };
const EVIL = '<script>alert(1)</script>';

let database: TestDatabase;
let db: Db;

beforeAll(async () => {
  database = await createTestDatabase();
  db = database.db;
});
afterAll(() => database.drop());

/** The overview is of all there is. */
beforeEach(async () => {
  await db.raw('truncate tenants cascade');
  await db('webhook_workers').delete();
  await db('webhook_pulse').delete();
});

const overview = (range: '1h' | '24h' | '7d' = '24h') => overviewPage(db, { range }, VIEWER);
const endpoints = (params: Params = {}) => endpointsPage(db, parseEndpointsQuery(params), VIEWER);
const endpoint = async (id: string) => (await endpointPage(db, id, VIEWER))!;
const deliveries = (params: Params = {}) => deliveriesPage(db, parseDeliveriesQuery(params), VIEWER);
const delivery = async (id: string, revealed = false) => (await deliveryPage(db, id, { revealed }, VIEWER))!;
const replay = (params: Params = {}) => replayPage(db, parseReplayQuery(params), VIEWER);

/** What a person reads of it. */
function textOf(page: string): string {
  return page
    .replace(/<title>.*?<\/title>/gs, ' ')
    .replace(/<[^>]*>/g, ' ')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
    .replace(/\s+/g, ' ');
}

async function slugOf(tenantId: string): Promise<string> {
  const row = await db('tenants').where({ id: tenantId }).first<{ slug: string }>('slug');
  return row.slug;
}

/** A tenant with an endpoint and a delivery to it. */
async function booked(url = 'https://hooks.example/in', events?: string[]) {
  const tenantId = await createTenant(db);
  const target = await add(db, tenantId, url, events);
  const { bookingRef } = await book(db, tenantId);
  const [item] = await deliveriesOf(db, tenantId);
  return { tenantId, slug: await slugOf(tenantId), endpoint: target, bookingRef, id: item!.id };
}

async function logAttempt(deliveryId: string, attempt: Record<string, unknown> = {}): Promise<void> {
  const { phases, response_headers: headers, ...rest } = attempt;
  const number = (attempt.number as number | undefined) ?? 1;
  await db('webhook_attempts').insert({
    delivery_id: deliveryId,
    number,
    started_at: new Date('2026-11-20T12:00:00.700Z'),
    duration_ms: 120,
    outcome: 'http_error',
    status_code: 503,
    reason: 'The receiver answered 503.',
    worker: 'worker-1',
    ...rest,
    phases: phases ? JSON.stringify(phases) : null,
    response_headers: headers ? JSON.stringify(headers) : null,
  });
  await db('webhook_deliveries').where({ id: deliveryId }).update({ attempts: number });
}

async function become(id: string, status: string, more: Record<string, unknown> = {}): Promise<void> {
  await db('webhook_deliveries')
    .where({ id })
    .update({ status, ...more });
  if (status === 'retrying' || status === 'pending') return;
  await db('webhook_deliveries').where({ id }).update({ finished_at: db.fn.now(), next_attempt_at: null });
  await db('webhook_queue').where({ delivery_id: id }).delete();
}

describe('the overview', () => {
  it('of an empty installation says how to begin', async () => {
    const text = textOf(await overview());
    expect(text).toContain('No endpoint yet.');
    expect(text).toContain('tourctl webhook add <tenant> https://…');
    expect(text).toContain('No worker is alive: nothing is sent.');
    expect(text).toContain('No worker was ever here.');
  });

  it('counts what is due, held back, retrying, dead and without an endpoint', async () => {
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
    expect(tiles).toContain('Dead 1 1 within 24 hours');
    expect(tiles).toContain('Without endpoint 1 ');
    expect(tiles).toContain('Disabled 0 and 1 paused');
    expect(textOf(page)).toContain(`1 delivery of ${await slugOf(waiting)} waits for an endpoint.`);
  });

  it('finds the oldest that is due, and neither what is leased nor what a breaker holds', async () => {
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
    expect(text).toContain('Breakers open 1 ');
    expect(text).toContain('its breaker opened once.');
  });

  it('draws success and percentiles of its range from the pulse of all workers', async () => {
    const { endpoint: target } = await booked();
    const beat = (worker: string, ago: string, counts: object) =>
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
    await beat('w1', '0 minutes', {
      delivered: 30,
      failed: 1,
      answer_times: [0, 0, 0, 0, 30],
      waits: [0, 30],
    });
    await beat('w2', '0 minutes', { delivered: 65, failed: 4, answer_times: [0, 0, 0, 0, 69], waits: [] });
    await beat('w1', '3 hours', { failed: 100 });
    await beat('w1', '6 days', { failed: 800 });
    const hour = textOf(await overview('1h'));
    expect(hour).toContain('of 100 tries 95.0 % 95 delivered 5 failed');
    expect(hour).toContain('11 ms p50 15 ms p95');
    expect(textOf(await overview('24h'))).toContain('of 200 tries 47.5 %');
    expect(textOf(await overview('7d'))).toContain('of 1,000 tries 9.5 %');
  });

  it('tells workers that beat from those that are gone', async () => {
    await db('webhook_workers').insert([
      { id: 'here', slots: 64, in_flight: 7 },
      { id: 'away', slots: 64, in_flight: 9, beat_at: db.raw("now() - interval '16 seconds'") },
    ]);
    const text = textOf(await overview());
    expect(text).toContain('Workers 1 7 of 64 slots busy');
    expect(text).toMatch(/here alive .*away gone/);
  });
});

describe('the endpoints', () => {
  it('begin with the command that adds one', async () => {
    expect(textOf(await endpoints())).toContain(
      'tourctl webhook add <tenant> https://www.example.com/webhooks',
    );
    expect(textOf(await endpoints({ tenant: 'nobody' }))).toContain('No endpoint fits.');
  });

  it('are found by tenant and by status', async () => {
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
      '“odd” is left out. One of: active, breaker',
    );
  });

  it('show health, waiting deliveries, breaker and secret of each', async () => {
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
    expect(page).toContain('aria-label="Last 24 hours: 25.0 % of 4 tries delivered.');
    const text = textOf(page);
    expect(text).toContain('breaker open');
    expect(text).toContain('opened 2 times in a row');
    expect(text).toMatch(/25\.0 % 2 ms 1 /);
  });

  it('come in pages of fifty', async () => {
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

describe('an endpoint', () => {
  it('is undefined where there is none', async () => {
    expect(await endpointPage(db, 'nonsense', VIEWER)).toBeUndefined();
    expect(await endpointPage(db, '01a1f90c-2e58-71b1-ad4e-06a6c9cd238c', VIEWER)).toBeUndefined();
  });

  it('offers what its state allows, in forms that carry the proof of the session', async () => {
    const { endpoint: target } = await booked();
    const verbs = (page: string) =>
      [...page.matchAll(/action="\/endpoints\/[^/]+\/([a-z-]+)"/g)].map((match) => match[1]);
    const active = await endpoint(target.id);
    expect(verbs(active)).toEqual(['ping', 'pause', 'disable', 'rotate-secret']);
    const forms = active.match(/<form[^>]*method="post"/g)!.length;
    expect(active.match(/name="csrf"\s+value="a-token-of-this-session"/g)).toHaveLength(forms);
    await inTransaction(db, (trx) => pauseEndpoint(trx, target.id));
    expect(verbs(await endpoint(target.id))).toEqual(['resume', 'disable', 'rotate-secret']);
    await db('webhook_endpoints').update({ status: 'disabled' });
    expect(verbs(await endpoint(target.id))).toEqual(['enable', 'rotate-secret']);
    await db('webhook_endpoints').update({ status: 'removed' });
    expect(verbs(await endpoint(target.id))).toEqual([]);
  });

  it('says who changed its state, when its secrets end, and what failed of late', async () => {
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

describe('the deliveries', () => {
  it('of a new installation say where they come from', async () => {
    expect(textOf(await deliveries())).toContain('No delivery yet: each booking leaves one here.');
    expect(textOf(await deliveries({ status: 'dead' }))).toContain('No delivery fits.');
  });

  it('are found by everything that tells them apart', async () => {
    const dead = await booked('https://dead.example/');
    await logAttempt(dead.id, { outcome: 'timeout', status_code: null });
    await become(dead.id, 'dead', { last_error: 'No answer within 15 s.' });
    const retrying = await booked('https://retrying.example/');
    await logAttempt(retrying.id);
    await become(retrying.id, 'retrying', { last_status_code: 503 });
    const fine = await booked('https://fine.example/', ['booking.created', 'booking.confirmed']);
    await become(fine.id, 'delivered', { last_status_code: 200 });
    await book(db, fine.tenantId, 'booking.confirmed');
    const lonely = await createTenant(db);
    await book(db, lonely);
    const count = async (params: Params) => {
      const page = await deliveries(params);
      return new Set([...page.matchAll(/href="\/deliveries\/([0-9a-f-]{36})"/g)].map((match) => match[1]))
        .size;
    };
    const only = async (params: Params) => {
      const page = await deliveries(params);
      return [dead, retrying, fine].filter(({ id }) => page.includes(`/deliveries/${id}`));
    };
    expect(await count({})).toBe(5);
    expect(await only({ booking_ref: retrying.bookingRef })).toEqual([retrying]);
    expect(await count({ booking_ref: retrying.bookingRef.slice(0, -1) })).toBe(0);
    expect(await only({ tenant: dead.slug })).toEqual([dead]);
    expect(await count({ tenant: 'nobody' })).toBe(0);
    expect(await only({ endpoint: fine.endpoint.id })).toEqual([fine]);
    expect(await count({ endpoint: 'none' })).toBe(1);
    expect(await only({ status: 'retrying' })).toEqual([retrying]);
    expect(await only({ status: 'delivered' })).toEqual([fine]);
    expect(await count({ type: 'booking.confirmed' })).toBe(1);
    expect(await only({ outcome: 'timeout' })).toEqual([dead]);
    expect(await count({ outcome: 'dns' })).toBe(0);
    expect(await only({ code: '5xx' })).toEqual([retrying]);
    expect(await only({ code: '200' })).toEqual([fine]);
    expect(await count({ since: '2100-01-01' })).toBe(0);
    expect(await count({ until: '2100-01-01', since: '2020-01-01' })).toBe(5);
    expect(await count({ until: '2020-01-01' })).toBe(0);
    expect(await only({ status: 'dead', tenant: dead.slug, outcome: 'timeout' })).toEqual([dead]);
  });

  it('in flight are found as delivering, and only as that', async () => {
    const { id } = await booked();
    await db('webhook_queue')
      .where({ delivery_id: id })
      .update({ worker: 'w', claimed_at: db.fn.now(), lease_until: db.raw("now() + interval '45 seconds'") });
    expect(await deliveries({ status: 'delivering' })).toContain(`/deliveries/${id}`);
    expect(await deliveries({ status: 'pending' })).not.toContain(`/deliveries/${id}`);
    expect(textOf(await deliveries())).toContain('delivering being sent');
  });

  it('come in pages of fifty that keep the filter', async () => {
    const tenantId = await createTenant(db);
    await add(db, tenantId, 'https://hooks.example/');
    for (let n = 0; n < 60; n++) await book(db, tenantId);
    const tenant = await slugOf(tenantId);
    const ids = (page: string) =>
      new Set([...page.matchAll(/href="\/deliveries\/([0-9a-f-]{36})"/g)].map((match) => match[1]!));
    const first = await deliveries({ tenant });
    const [, link] = /href="\/deliveries\?([^"]*before=[^"]*)"/.exec(first)!;
    const params = Object.fromEntries(new URLSearchParams(link!.replaceAll('&amp;', '&')));
    expect(params.tenant).toBe(tenant);
    const second = await deliveries(params);
    expect([ids(first).size, ids(second).size]).toEqual([50, 10]);
    expect(new Set([...ids(first), ...ids(second)]).size).toBe(60);
  });

  it('are looked through as far back as one page may, and it is said where that ended', async () => {
    const tenantId = await createTenant(db);
    for (let n = 0; n < 5; n++) await book(db, tenantId, 'booking.created');
    const newest = (await deliveriesOf(db, tenantId)).map(({ id }) => id);
    const look = (search: DeliverySearch, window: number) =>
      findDeliveriesWithin(db, { tenantId, ...search }, { limit: 3, window });
    expect((await look({}, 4)).items.map(({ id }) => id)).toEqual(newest.slice(0, 3));
    expect(await look({ type: 'ping' }, 2)).toEqual({
      items: [],
      stoppedAt: { id: newest[1], created_at: expect.any(Date) },
    });
    expect(await look({ type: 'ping', before: newest[3] }, 2)).toEqual({ items: [], stoppedAt: null });
  });

  it('name a filter that is not understood beside its field', async () => {
    const { id } = await booked();
    const page = await deliveries({ code: 'teapot', since: EVIL });
    expect(page).toContain(`/deliveries/${id}`);
    expect(textOf(page)).toContain('“teapot” is left out. A status code is 100 to 599');
    expect(page).toContain('aria-invalid="true" aria-describedby="c-code"');
    expect(page).not.toContain(EVIL);
  });
});

describe('a delivery', () => {
  const signature = (id: string, body: string, secret: Buffer) =>
    signPayload({ id, sentAt: new Date('2026-11-20T12:00:00.700Z'), body }, [secret])['webhook-signature']!;

  it('is undefined where there is none', async () => {
    expect(await deliveryPage(db, 'nonsense', { revealed: true }, VIEWER)).toBeUndefined();
    expect(
      await deliveryPage(db, '01a1f90c-2e58-71b1-ad4e-06a6c9cd238c', { revealed: true }, VIEWER),
    ).toBeUndefined();
  });

  it('is masked until it is revealed, with what the receiver answered', async () => {
    const { id } = await booked();
    await logAttempt(id, {
      response_headers: { 'x-customer': 'Zoë' },
      response_body: 'No seat for zoe@example.com',
    });
    const personal = ['Müller', '+37120000000', 'zoe@example.com', 'x-customer'];
    const masked = textOf(await delivery(id));
    expect(personal.filter((text) => masked.includes(text))).toEqual([]);
    expect(masked).toContain('"name":"Z… “… M…","phone":"+37…00","email":"z…@e….com"');
    expect(masked).toContain('27 bytes of body are hidden');
    const revealed = textOf(await delivery(id, true));
    expect(personal.filter((text) => revealed.includes(text))).toEqual(personal);
    const { rows } = await db.raw<{ rows: [{ body: string }] }>('select body from webhook_events');
    expect(revealed).toContain(rows[0].body);
    expect(revealed).toContain('No seat for zoe@example.com');
  });

  it('that is revealed stays as it is: asking again would mask it', async () => {
    const { id } = await booked();
    expect(await delivery(id)).toMatch(/<body\s+data-refresh/);
    expect(await delivery(id, true)).not.toContain('data-refresh');
  });

  it('lets no foreign text be markup', async () => {
    const { id, endpoint: target } = await booked(`https://hooks.example/in?q=%3Cb%3E`);
    await db('webhook_endpoints').update({ url: `https://hooks.example/?${EVIL}`, status_reason: EVIL });
    await logAttempt(id, {
      reason: EVIL,
      peer: EVIL,
      worker: EVIL,
      signature: EVIL,
      response_headers: { [EVIL]: EVIL },
      response_body: EVIL,
    });
    await become(id, 'retrying', { last_error: EVIL });
    await db('webhook_events').update({
      booking_ref: EVIL,
      body: JSON.stringify({ customer: { name: EVIL } }),
    });
    const shown = [
      await delivery(id, true),
      await delivery(id),
      await deliveries(),
      await endpoint(target.id),
      await endpoints(),
      await overview(),
      await replay({ tenant: EVIL, since: EVIL }),
    ];
    for (const page of shown) {
      expect(page).not.toContain('<script>');
      expect(page).not.toMatch(/ style="/);
    }
    expect(shown[0]).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
  });

  it('shows each try with its phases, the headers as they were sent, and the reason', async () => {
    const { id } = await booked();
    const { event_id: eventId } = await db('webhook_deliveries').first<{ event_id: string }>('event_id');
    const phases = { dns: 3, connect: 11, tls: 24, first_byte: 61, body: 2 };
    await logAttempt(id, { phases, peer: '203.0.113.9:443', signature: 'v1,c2lnbmVk' });
    await logAttempt(id, {
      number: 2,
      outcome: 'timeout',
      status_code: null,
      duration_ms: 15_000,
      phases: { dns: 2 },
    });
    const text = textOf(await delivery(id));
    expect(text).toMatch(/Try 2 timeout .* Try 1 error answer 503 /);
    expect(text).toContain('DNS 3 ms connect 11 ms TLS 24 ms first byte 61 ms body 2 ms');
    expect(text).toContain('DNS 2 ms no answer 15 s');
    expect(text).toContain(
      `content-type application/json user-agent tour-platform-webhooks/1 webhook-id ${webhookId(eventId)} ` +
        'webhook-timestamp 1795176000 webhook-signature v1,c2lnbmVk',
    );
    expect(text).toContain('The receiver answered 503.');
    expect(text).toContain('203.0.113.9:443');
  });

  it('shows what arrived at the receiver, to the byte', async () => {
    const receiver = await startReceiver();
    receiver.react((response) => response.writeHead(200, { 'x-request': 'r-1' }).end('thanks'));
    const worker = hurriedWorker(db);
    const tenantId = await createTenant(db);
    await add(db, tenantId, receiver.url);
    await book(db, tenantId);
    const [done] = await whenAll(db, tenantId, 'delivered');
    await Promise.all([worker.stop(), receiver.close()]);
    const text = textOf(await delivery(done!.id, true));
    const { headers, body } = receiver.received[0]!;
    for (const name of ['content-type', 'user-agent', 'webhook-id', 'webhook-timestamp', 'webhook-signature'])
      expect(text).toContain(`${name} ${String(headers[name])}`);
    expect(text).toContain(body);
    expect(text).toContain('x-request r-1');
    expect(text).toContain('thanks');
    expect(text).toMatch(/connect (< )?\d+ ms .*first byte (< )?\d+ ms/);
    expect(text).toMatch(/Delivered with the first try, [^.]*(ms|s) after its event[.]/);
  });

  it('carries a program that proves the try genuine', async () => {
    const { id } = await booked();
    const { event_id: eventId } = await db('webhook_deliveries').first<{ event_id: string }>('event_id');
    const { body } = await db('webhook_events').first<{ body: string }>('body');
    const secret = Buffer.alloc(32, 7);
    await logAttempt(id, { signature: signature(webhookId(eventId), body, secret) });
    const page = await delivery(id, true);
    const program = textOf(
      /<pre id="snippet-this-try"[^>]*>(.*?)<\/pre>/s.exec(page)![1]!.replaceAll('&#39;', "'"),
    );
    const lines: string[] = [];
    runInNewContext(program.replace(/^.*?node verify.cjs/s, ''), {
      Date,
      require: () => ({ Webhook }),
      process: { env: { WEBHOOK_SECRET: `whsec_${secret.toString('base64')}` } },
      console: { log: (line: string) => lines.push(line) },
    });
    expect(lines).toEqual(['genuine']);
    expect(textOf(await delivery(id))).toContain("readFileSync('body.json', 'utf8')");
  });

  it('is sent again by hand only where that works', async () => {
    const { id, endpoint: target } = await booked();
    const retry = `action="/deliveries/${id}/retry"`;
    expect(await delivery(id)).toContain(retry);
    await db('webhook_queue').update({
      worker: 'w',
      claimed_at: db.fn.now(),
      lease_until: db.raw("now() + interval '45 seconds'"),
    });
    expect(await delivery(id)).not.toContain(retry);
    await become(id, 'dead');
    expect(await delivery(id)).toContain(retry);
    await inTransaction(db, (trx) => pauseEndpoint(trx, target.id));
    expect(await delivery(id)).not.toContain(retry);
  });

  it('knows where else its event goes', async () => {
    const { tenantId, id } = await booked('https://first.example/');
    await db('webhook_deliveries').delete();
    await db('webhook_queue').delete();
    await add(db, tenantId, 'https://second.example/');
    await book(db, tenantId);
    const [one] = await deliveriesOf(db, tenantId);
    expect(one!.id).not.toBe(id);
    expect(textOf(await delivery(one!.id))).toMatch(/Also sent to (first|second)[.]example pending/);
  });
});

describe('a replay', () => {
  it('is counted before it happens, with what is held back', async () => {
    const dead = await booked();
    await become(dead.id, 'dead');
    const held = await booked();
    await become(held.id, 'dead');
    await inTransaction(db, (trx) => pauseEndpoint(trx, held.endpoint.id));
    const wide = await replay({ status: 'dead' });
    expect(textOf(wide)).toContain('1 delivery would be sent again.');
    expect(textOf(wide)).toContain('1 more of paused endpoints are not among them: resume those first.');
    expect(textOf(wide)).toContain('Name a tenant, an endpoint or a time above');
    expect(wide).not.toContain('action="/replay" method="post"');
    const narrow = await replay({ status: 'dead', tenant: dead.slug, since: '2020-01-01' });
    expect(narrow).toMatch(/<form method="post" action="\/replay">/);
    expect(narrow).toContain(`name="tenant" value="${dead.slug}"`);
    expect(narrow).toContain('name="since" value="2020-01-01T00:00:00.000Z"');
    expect(textOf(await replay({ tenant: dead.slug, status: 'delivered' }))).toContain(
      'Nothing that is delivered',
    );
  });

  it('offers nothing for a field that is not understood', async () => {
    const { id, slug } = await booked();
    await become(id, 'dead');
    const page = await replay({ tenant: slug, since: 'tuesday' });
    expect(page).not.toMatch(/<form method="post" action="\/replay">/);
    expect(textOf(page)).toContain('“tuesday” is left out.');
    expect(textOf(await replay({ tenant: 'nobody' }))).toContain('There is no tenant nobody');
  });
});

describe('every page', () => {
  it('shows who is signed in, what became of an action, and a way out', async () => {
    const notice: Notice = { kind: 'refused', text: EVIL };
    const page = await overviewPage(db, { range: '1h' }, VIEWER, notice);
    expect(page).toContain('anna &lt;ops&gt;');
    expect(page).toContain('&lt;script&gt;');
    expect(page).toMatch(/role="status">\s*<p class="notice refused">/);
    expect(page).toMatch(/method="post" action="\/sign-out"/);
  });

  it('that stands alone is a whole document', () => {
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
