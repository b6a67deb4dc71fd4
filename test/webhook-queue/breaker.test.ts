import { setTimeout as sleep } from 'node:timers/promises';
import { type Db, inTransaction } from '../../services/platform/database';
import { enableEndpoint } from '../../services/webhook-queue/endpoints/change-endpoint-state';
import { findEndpoint } from '../../services/webhook-queue/endpoints/endpoint.repository';
import { pingEndpoint, retryDelivery } from '../../services/webhook-queue/endpoints/requested-deliveries';
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
const opened = (id: string) =>
  eventually('breaker open', async () => {
    const row = await health(id);
    return row?.blockedUntil > new Date() ? row : undefined;
  });

/** A claim that began before the breaker opened may still send. */
const settled = () =>
  eventually('no request underway', async () => {
    const underway = await db('webhook_queue').whereNotNull('worker');
    return underway.length === 0 ? true : undefined;
  });

describe('an endpoint that fails five times in a row', () => {
  it('is blocked without counting attempts, and one successful request sends all its deliveries', async () => {
    receiver.react(status(500));
    const { id } = await add(db, tenantId, receiver.url);
    // Many more than a slow machine sends before the breaker opens.
    for (let i = 0; i < 60; i++) await book(db, tenantId);
    worker = startFastWorker(db, { retryScheduleSeconds: PATIENT });
    const { failures, openings } = await opened(id);
    expect(failures).toBeGreaterThanOrEqual(5);
    expect(openings).toBe(1);
    const underway = db('webhook_queue').whereNotNull('worker');
    const during = await eventually('all settled', async () => {
      // A claim that began before the breaker opened may still send: nothing may move for a moment.
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

  it('is probed by one request of all workers, and blocked twice as long after each failed probe', async () => {
    receiver.react(status(500));
    const { id } = await add(db, tenantId, receiver.url);
    for (let i = 0; i < 10; i++) await book(db, tenantId);
    await db('webhook_health').insert({
      endpoint_id: id,
      failures: 5,
      openings: 2,
      opened_at: db.raw("now() - interval '1 second'"),
      blocked_until: db.fn.now(),
    });
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

  it('is blocked again after every failed probe, and 429 or 503 neither opens nor closes the breaker', async () => {
    receiver.react(status(429, 500));
    const { id } = await add(db, tenantId, receiver.url);
    await book(db, tenantId);
    await db('webhook_health').insert({
      endpoint_id: id,
      failures: 1,
      openings: 1,
      opened_at: db.raw("now() - interval '1 second'"),
      blocked_until: db.fn.now(),
    });
    worker = startFastWorker(db, { retryScheduleSeconds: PATIENT, leaseSeconds: 30 });
    await eventually('second opening', async () => ((await health(id)).openings === 2 ? true : undefined));
    expect(receiver.received).toHaveLength(2);
    expect((await health(id)).failures).toBe(2);
  });

  it('receives a retry or a ping of an operator while the breaker is open, and these do not count as failures', async () => {
    receiver.react(status(500));
    const { id } = await add(db, tenantId, receiver.url);
    await book(db, tenantId);
    await db('webhook_health').insert({
      endpoint_id: id,
      failures: 5,
      openings: 1,
      opened_at: db.fn.now(),
      blocked_until: db.raw("now() + interval '1 hour'"),
    });
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

  it('is probed at once when an operator retries a delivery', async () => {
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

  it('stays unblocked when it answers 429 or 503', async () => {
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

  it('is disabled when its twentieth delivery is dead, and subscribers receive endpoint.disabled', async () => {
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
    ['four days', 4, 50],
    ['nineteen deaths', 9, 18],
  ])('goes on after %s', async (_what, days, exhausted) => {
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
