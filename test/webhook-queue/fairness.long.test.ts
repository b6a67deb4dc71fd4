import type { Db } from '../../services/platform/database/database';
import { BREAKER } from '../../services/webhook-queue/worker/breaker';
import type { ClaimLimits, KnownEndpoint } from '../../services/webhook-queue/worker/claim.repository';
import type { Worker } from '../../services/webhook-queue/worker/worker';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { add, book, claimNow, createTenant, eventually, startFastWorker } from './queue-fixture';
import { type Receiver, startReceiver } from './receiver';

let database: TestDatabase;
let db: Db;
let receiver: Receiver;
let worker: Worker | undefined;

beforeEach(async () => {
  [database, receiver] = await Promise.all([createTestDatabase(), startReceiver()]);
  db = database.db;
});
afterEach(async () => {
  await worker?.stop(0);
  worker = undefined;
  await receiver.close();
  await database.drop();
});

const at = (path: string) => new URL(path, receiver.url).href;
const seen = (path: string) => receiver.received.filter((request) => request.path === path);

/** Creates a tenant with endpoints and deliveries for each. */
async function tenantWith(paths: string[], bookings: number): Promise<string> {
  const tenantId = await createTenant(db);
  for (const path of paths) await add(db, tenantId, at(path));
  for (let i = 0; i < bookings; i++) await book(db, tenantId);
  return tenantId;
}

function known(id: string, what: Partial<KnownEndpoint>): KnownEndpoint {
  return { id, inFlight: 0, concurrencyLimit: 4, slow: false, dueLowerBound: null, ...what };
}

/** Claims for an idle worker with 16 slots. @returns the number of deliveries of each tenant */
async function claimed(limits: Partial<ClaimLimits> = {}): Promise<Record<string, number>> {
  const deliveries = await claimNow(db, limits);
  const counts: Record<string, number> = {};
  for (const { endpointId } of deliveries) {
    const { tenantId } = await db('webhook_endpoints').where({ id: endpointId }).first('tenant_id');
    counts[tenantId] = (counts[tenantId] ?? 0) + 1;
  }
  return counts;
}

describe('a tenant whose endpoints hang', () => {
  it('a tenant whose endpoints hang does not delay another tenant', async () => {
    receiver.react((response, _n, { path }) => void (path === '/well' && response.writeHead(204).end()));
    await tenantWith(['/hangs', '/hangs', '/hangs', '/hangs'], 10);
    const healthy = await tenantWith(['/well'], 0);
    worker = startFastWorker(db, { slots: 16, attemptTimeoutMs: 6000 });
    await eventually('slots taken', () => (seen('/hangs').length >= 12 ? true : undefined));
    const began = Date.now();
    await book(db, healthy);
    await eventually('healthy delivery', () => seen('/well')[0]);
    expect(Date.now() - began).toBeLessThan(2000);
    expect(seen('/hangs')).toHaveLength(12);
  });

  it('after timeouts, an endpoint gets one request at a time, and its responses raise the limit again', async () => {
    let well = false;
    let open = 0;
    const openWith: number[] = [];
    receiver.react((response) => {
      openWith.push(++open);
      response.once('close', () => open--);
      if (well) setTimeout(() => response.writeHead(204).end(), 100);
    });
    await tenantWith(['/hanging'], 14);
    const breaker = { ...BREAKER, failures: 1000 };
    worker = startFastWorker(db, { breaker, attemptTimeoutMs: 500, retryScheduleSeconds: Array(50).fill(0) });
    await eventually('first timeouts', () => (seen('/hanging').length > 4 ? true : undefined));
    well = true;
    await eventually('all of them', () => (seen('/hanging').length >= 19 ? true : undefined));
    expect(openWith.slice(0, 6)).toEqual([1, 2, 3, 4, 1, 1]);
    expect(Math.max(...openWith.slice(6))).toBeGreaterThanOrEqual(4);
  });
});

describe('a claim', () => {
  it('a claim gives tenants equal shares, and keeps a quarter of the slots free', async () => {
    const large = await tenantWith(['/a', '/b', '/c', '/d'], 10);
    const small = await tenantWith(['/e'], 1);
    const other = await tenantWith(['/f'], 9);
    expect(await claimed({ rows: 3 })).toEqual({ [large]: 1, [small]: 1, [other]: 1 });
    expect(await claimed()).toEqual({ [large]: 8, [other]: 4 });
  });

  it('a claim alternates between the endpoints of a tenant, whatever the age of their deliveries', async () => {
    const tenantId = await tenantWith(['/old'], 10);
    for (const path of ['/b', '/c', '/d']) await add(db, tenantId, at(path));
    await book(db, tenantId);
    const deliveries = await claimNow(db, { rows: 4 });
    expect(deliveries.map(({ url }) => new URL(url).pathname).sort()).toEqual(['/b', '/c', '/d', '/old']);
  });

  it('a tenant gets more than a quarter of the slots only while another quarter stays free for others', async () => {
    const tenantId = await tenantWith(['/a', '/b', '/c', '/d'], 10);
    const ids: string[] = await db('webhook_endpoints')
      .where({ tenant_id: tenantId })
      .orderBy('id')
      .pluck('id');
    expect(await claimed({ rows: 4, known: [known(ids[0]!, { inFlight: 12 })] })).toEqual({});
    expect(await claimed({ rows: 5, known: [known(ids[0]!, { inFlight: 11 })] })).toEqual({ [tenantId]: 1 });
  });

  it('a claim keeps an eighth of the slots for endpoints that accepted their last delivery', async () => {
    const unknown = await Promise.all(
      Array.from({ length: 5 }, (_, i) => tenantWith([`/${i}a`, `/${i}b`, `/${i}c`], 4)),
    );
    const sum = (counts: Record<string, number>) => Object.values(counts).reduce((total, n) => total + n, 0);
    expect(sum(await claimed())).toBe(14);
    await db('webhook_queue').update({ worker: null, claimed_at: null, lease_until: null });
    const proven: string[] = await db('webhook_endpoints').where({ tenant_id: unknown[0] }).pluck('id');
    expect(sum(await claimed({ proven }))).toBe(16);
  });

  it('a claim takes the deliveries of an endpoint by age, even those that the endpoint refused before', async () => {
    await tenantWith(['/a'], 4);
    const byAge = (await db('webhook_queue').orderBy('delivery_id').pluck('delivery_id')) as string[];
    await db('webhook_queue').where({ delivery_id: byAge[1] }).update({ spared: 3 });
    expect((await claimNow(db)).map(({ id }) => id)).toEqual(byAge);
  });

  it('a claim gives all slow endpoints together half of the slots', async () => {
    const tenants = await Promise.all(
      Array.from({ length: 5 }, (_, i) => tenantWith([`/${i}a`, `/${i}b`], 3)),
    );
    const ids: string[] = await db('webhook_endpoints').pluck('id');
    const counts = await claimed({ known: ids.map((id) => known(id, { concurrencyLimit: 1, slow: true })) });
    expect(Object.keys(counts).sort()).toEqual([...tenants].sort());
    expect(Object.values(counts).reduce((sum, count) => sum + count)).toBe(8);
  });
});
