import { setTimeout as sleep } from 'node:timers/promises';
import { type Db, inTransaction } from '../../services/platform/database/database';
import { enableEndpoint } from '../../services/webhook-queue/endpoints/change-endpoint-state';
import { findEndpoint } from '../../services/webhook-queue/endpoints/endpoint.repository';
import { pingEndpoint, retryDelivery } from '../../services/webhook-queue/endpoints/requested-deliveries';
import { unsent } from '../../services/webhook-queue/sending/send-webhook';
import { BREAKER } from '../../services/webhook-queue/worker/breaker';
import { recordResults } from '../../services/webhook-queue/worker/results.repository';
import type { Worker } from '../../services/webhook-queue/worker/worker';
import { createTestDatabase, type TestDatabase } from '../support/database';
import {
  add,
  book,
  claimNow,
  createTenant,
  deliveriesOf,
  eventually,
  startFastWorker,
  whenAll,
} from './queue-fixture';
import { type Receiver, startReceiver, status } from './receiver';

const PATIENT = Array<number>(40).fill(0);

let database: TestDatabase;
let db: Db;
let receiver: Receiver;
let tenantId: string;
let worker: Worker | undefined;

beforeEach(async () => {
  [database, receiver] = await Promise.all([createTestDatabase(), startReceiver()]);
  db = database.db;
  tenantId = await createTenant(db);
});
afterEach(async () => {
  await worker?.stop(0);
  worker = undefined;
  await receiver.close();
  await database.drop();
});

const health = (id: string) => db('webhook_health').where({ endpoint_id: id }).first();
/** Inserts the health of an endpoint whose breaker opened a minute ago. */
const insertHealth = (id: string, columns: object) =>
  db('webhook_health').insert({
    endpoint_id: id,
    opened_at: db.raw("now() - interval '1 minute'"),
    ...columns,
  });
const opened = (id: string) =>
  eventually('breaker open', async () => {
    const row = await health(id);
    return row?.blockedUntil > new Date() ? row : undefined;
  });

/** Waits until no request is in flight, because a claim that began before the breaker opened may still send requests. */
const settled = () =>
  eventually('no request underway', async () => {
    const underway = await db('webhook_queue').whereNotNull('worker');
    return underway.length === 0 ? true : undefined;
  });

describe('an endpoint that fails five times in a row', () => {
  it('a blocked endpoint gets no request, and after one successful probe it gets all its deliveries', async () => {
    receiver.react(status(500));
    const { id } = await add(db, tenantId, receiver.url);
    // Adds many more deliveries than a slow machine sends before the breaker opens.
    for (let i = 0; i < 60; i++) await book(db, tenantId);
    worker = startFastWorker(db, { retryScheduleSeconds: PATIENT });
    const { failures, openings } = await opened(id);
    expect(failures).toBeGreaterThanOrEqual(5);
    expect(openings).toBe(1);
    const underway = db('webhook_queue').whereNotNull('worker');
    const during = await eventually('all settled', async () => {
      // Waits until nothing changes for 200 ms, because a claim that began before the breaker opened may still send requests.
      const before = receiver.received.length;
      await sleep(200);
      const settled = (await underway.clone()).length === 0 && receiver.received.length === before;
      return settled ? before : undefined;
    });
    await sleep(200);
    expect(receiver.received).toHaveLength(during);
    expect(during).toBeLessThan(60);
    receiver.react(status(204));
    await db('webhook_health').update({ blocked_until: db.fn.now() });
    await whenAll(db, tenantId, 'delivered', 60);
    expect(await health(id)).toBeUndefined();
  });

  it('all workers together send one probe, and a failed probe doubles the time of the block', async () => {
    receiver.react(status(500));
    const { id } = await add(db, tenantId, receiver.url);
    for (let i = 0; i < 10; i++) await book(db, tenantId);
    await insertHealth(id, { failures: 5, openings: 2, blocked_until: db.fn.now() });
    const claims = await Promise.all([1, 2, 3].map((n) => claimNow(db, { worker: `w${n}` })));
    expect(claims.flat()).toHaveLength(1);
    expect(await claimNow(db)).toEqual([]);
    await db('webhook_queue').update({ worker: null, claimed_at: null, lease_until: null });
    await db('webhook_health').update({ blocked_until: db.fn.now() });
    worker = startFastWorker(db, { retryScheduleSeconds: PATIENT });
    await eventually('third opening', async () => ((await health(id)).openings === 3 ? true : undefined));
    const { left } = await db('webhook_health')
      .select(db.raw('extract(epoch from blocked_until - opened_at)::float8 as left'))
      .first();
    expect(left).toBeGreaterThan(4 * 30 * 0.89);
    expect(left).toBeLessThan(4 * 30 * 1.11);
    expect(receiver.received).toHaveLength(1);
  });

  it('a failure of a request that was claimed while the opening was written does not open the breaker again', async () => {
    receiver.react(status(500));
    const { id } = await add(db, tenantId, receiver.url);
    await book(db, tenantId);
    const [late] = await claimNow(db);
    await insertHealth(id, { opened_at: db.raw("now() - interval '1 second'"), failures: 5, openings: 1 });
    const report = { ...unsent({ outcome: 'http_error', reason: 'status 500' }), statusCode: 500 };
    const next = { status: 'retrying', waitSeconds: 60, tries: 1 } as const;
    await recordResults(db, [{ delivery: late!, report, next, trips: false }], BREAKER);
    expect(await health(id)).toMatchObject({ openings: 1, failures: 6 });
  });

  it('a 429 to a probe leaves the breaker as it is, and a 500 opens the breaker again', async () => {
    receiver.react(status(429, 500));
    const { id } = await add(db, tenantId, receiver.url);
    await book(db, tenantId);
    await insertHealth(id, { failures: 1, openings: 1, blocked_until: db.fn.now() });
    worker = startFastWorker(db, { retryScheduleSeconds: PATIENT, leaseSeconds: 30 });
    await eventually('second opening', async () => ((await health(id)).openings === 2 ? true : undefined));
    expect(receiver.received).toHaveLength(2);
    expect((await health(id)).failures).toBe(2);
  });

  it('a ping of an operator passes an open breaker, and its failure does not count', async () => {
    receiver.react(status(500));
    const { id } = await add(db, tenantId, receiver.url);
    await book(db, tenantId);
    const inAnHour = db.raw("now() + interval '1 hour'");
    await insertHealth(id, { failures: 5, openings: 1, blocked_until: inAnHour });
    const before = await health(id);
    worker = startFastWorker(db, { retryScheduleSeconds: [0, 600] });
    const { delivery } = await inTransaction(db, (trx) => pingEndpoint(trx, id));
    await eventually('the ping', () => receiver.received[0]);
    await eventually('its result', async () =>
      (await deliveriesOf(db, tenantId)).find((item) => item.id === delivery && item.status === 'retrying'),
    );
    expect(receiver.received).toHaveLength(1);
    expect(await health(id)).toEqual(before);
  });

  it('a retry by an operator probes a blocked endpoint at once', async () => {
    receiver.react(status(500));
    const { id } = await add(db, tenantId, receiver.url);
    for (let i = 0; i < 6; i++) await book(db, tenantId);
    worker = startFastWorker(db, { retryScheduleSeconds: PATIENT });
    await opened(id);
    await settled();
    receiver.react(status(204));
    const [delivery] = await deliveriesOf(db, tenantId);
    await inTransaction(db, (trx) => retryDelivery(trx, delivery!.id));
    expect(await whenAll(db, tenantId, 'delivered', 6)).toHaveLength(6);
  });

  it('an endpoint that answers 429 is not blocked', async () => {
    receiver.react(status(429));
    const { id } = await add(db, tenantId, receiver.url);
    for (let i = 0; i < 10; i++) await book(db, tenantId);
    worker = startFastWorker(db, { retryScheduleSeconds: PATIENT });
    await eventually('many answers', () => (receiver.received.length > 20 ? true : undefined));
    expect(await health(id)).toMatchObject({ failures: 0, blockedUntil: null });
  });
});

describe('an endpoint that accepted no delivery for five days', () => {
  const failingFor = (id: string, days: number, exhausted: number) =>
    db('webhook_health').insert({
      endpoint_id: id,
      failures: 1,
      exhausted,
      failing_since: db.raw(`now() - interval '${days} days'`),
    });

  it('the twentieth dead delivery disables the endpoint and notifies subscribers', async () => {
    receiver.react((response, _n, { path }) => response.writeHead(path === '/alarm' ? 204 : 500).end());
    const { id } = await add(db, tenantId, receiver.url);
    await add(db, tenantId, new URL('/alarm', receiver.url).href, ['endpoint.disabled']);
    await failingFor(id, 5.1, 19);
    await book(db, tenantId);
    worker = startFastWorker(db, { retryScheduleSeconds: [0] });
    const told = await eventually('alarm', () => receiver.received.find(({ path }) => path === '/alarm'));
    expect(JSON.parse(told.body)).toMatchObject({ event_type: 'endpoint.disabled', endpoint: id });
    const endpoint = await findEndpoint(db, id);
    expect(endpoint.status).toBe('disabled');
    expect(endpoint.statusReason).toMatch(/for 5 days, and at least 20 deliveries/);

    await inTransaction(db, (trx) => enableEndpoint(trx, id));
    expect(await health(id)).toBeUndefined();
  });

  it.each([
    ['four days of failures', 4, 50],
    ['nineteen dead deliveries', 9, 18],
  ])('the endpoint stays active after %s', async (_what, days, exhausted) => {
    receiver.react(status(500));
    const { id } = await add(db, tenantId, receiver.url);
    await failingFor(id, days, exhausted);
    await book(db, tenantId);
    worker = startFastWorker(db, { retryScheduleSeconds: [0] });
    await whenAll(db, tenantId, 'dead');
    await sleep(50);
    expect((await findEndpoint(db, id)).status).toBe('active');
    expect(await health(id)).toMatchObject({ exhausted: exhausted + 1 });
  });
});
