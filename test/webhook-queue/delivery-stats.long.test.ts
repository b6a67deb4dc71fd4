import type { Db } from '../../services/platform/database/database';
import { ALL_ENDPOINTS, createDeliveryStats } from '../../services/webhook-queue/stats/delivery-stats';
import { createTestDatabase, type TestDatabase } from '../support/database';
import {
  add,
  awaitRoomInPeriod,
  book,
  createTenant,
  eventually,
  startFastWorker,
  whenAll,
} from './queue-fixture';
import { type Receiver, startReceiver, status } from './receiver';

let database: TestDatabase;
let db: Db;
let receiver: Receiver;

beforeEach(async () => {
  [database, receiver] = await Promise.all([createTestDatabase(), startReceiver()]);
  db = database.db;
});
afterEach(async () => {
  await receiver.close();
  await database.drop();
});

const delivered = { outcome: 'delivered', statusCode: 204, durationMs: 20 } as const;

describe('the delivery statistics of an endpoint', () => {
  it('a worker that stops stores its counts of delivered and failed requests of five minutes', async () => {
    receiver.react(status(500, 204));
    const tenantId = await createTenant(db);
    const { id } = await add(db, tenantId, receiver.url);
    await book(db, tenantId);
    await awaitRoomInPeriod();
    const worker = startFastWorker(db);
    await whenAll(db, tenantId, 'delivered');
    await worker.stop();
    const rows = await db('webhook_pulse').orderBy('endpoint_id');
    expect(rows).toMatchObject([
      { endpointId: ALL_ENDPOINTS, delivered: 1, failed: 1 },
      { endpointId: id, delivered: 1, failed: 1 },
    ]);
    const sum = (cells: number[]) => cells.reduce((total, cell) => total + cell, 0);
    expect([sum(rows[0].answerTimes), sum(rows[0].waits)]).toEqual([2, 1]);
    expect(rows[0].at.getTime() % 300_000).toBe(0);
  });

  it('the statistics count response times in bins of doubling length, and a second flush adds to the first', async () => {
    const tenantId = await createTenant(db);
    const { id } = await add(db, tenantId, receiver.url);
    const stats = createDeliveryStats(db, 'one');
    const claimedAt = new Date();
    const at = { endpointId: id, claimedAt, createdAt: new Date(claimedAt.getTime() - 1000) };
    for (const durationMs of [0, 1, 2, 3, 4, 1023, 1024])
      stats.observe(at, { ...delivered, durationMs } as never);
    await stats.flush();
    stats.observe(at, { ...delivered, outcome: 'http_error', statusCode: 500 } as never);
    await stats.flush();
    await stats.flush();
    const [row] = await db('webhook_pulse').where({ endpoint_id: id });
    expect(row).toMatchObject({ delivered: 7, failed: 1 });
    expect(row.answerTimes).toEqual([1, 1, 2, 1, 0, 1, 0, 0, 0, 0, 1, 1]);
  });

  it('a flush stores the counts that an earlier flush could not store', async () => {
    const tenantId = await createTenant(db);
    const { id } = await add(db, tenantId, receiver.url);
    const stats = createDeliveryStats(db, 'one');
    stats.observe({ endpointId: id, claimedAt: new Date(), createdAt: new Date() }, delivered as never);
    await db.raw('alter table webhook_pulse rename to away');
    await expect(stats.flush()).rejects.toThrow(/webhook_pulse/);
    await db.raw('alter table away rename to webhook_pulse');
    await stats.flush();
    expect(await db('webhook_pulse').where({ endpoint_id: id })).toMatchObject([{ delivered: 1 }]);
  });

  it('the statistics ignore attempts that the worker cut off', async () => {
    const stats = createDeliveryStats(db, 'one');
    const at = { endpointId: 'e', claimedAt: new Date(), createdAt: new Date() };
    stats.observe(at, { ...delivered, outcome: 'interrupted', statusCode: null } as never);
    await stats.flush();
    expect(await db('webhook_pulse')).toEqual([]);
  });
});

describe('the row of a worker', () => {
  it('the row of a worker shows its requests in flight, and is deleted when it stops', async () => {
    const worker = startFastWorker(db);
    const [row] = await eventually('a heartbeat', async () => {
      const rows = await db('webhook_workers');
      return rows.length > 0 ? rows : undefined;
    });
    expect(row).toMatchObject({ slots: 64, inFlight: 0 });
    await worker.stop();
    expect(await db('webhook_workers')).toEqual([]);
  });
});
