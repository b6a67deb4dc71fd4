import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Db, inTransaction, openDatabase } from '../../services/platform/database';
import { awaitInstances } from '../../services/platform/read-cache/instance.repository';
import { migrate } from '../../services/platform/migrate';
import { addEndpoint } from '../../services/webhook-queue/endpoints/add-endpoint';
import { killChildren } from '../stack/child';
import { lowPorts } from '../stack/low-ports';
import { type Instance, startInstance } from '../stack/service';
import { describeWith } from '../support/describe-with';
import { givenKey, givenTenant, PEPPER } from '../support/given';
import { CUSTOMER, givenSeats } from '../support/website';
import { type Receiver, startReceiver } from '../webhook-queue/receiver';
import { type Clients, type Shop, startClients } from './failover/clients';
import { printFailover, printTries, say, since } from './failover/figures';
import { type Failover, LOSSES, type Pair, startPair } from './failover/pair';
import { makeFolder, onServer, serverPrograms } from './failover/postgres-server';
import { firstAfter, countWrongReady, type ReadinessWatch, watchReadiness } from './failover/readiness';
import { checkPurchases } from './failover/verdict';

/** The long form is `npm run lab -- failover`. */
const FAILOVERS = Number(process.env.FAILOVERS ?? LOSSES.length);
const LONG = FAILOVERS > LOSSES.length;
const CALM_MS = LONG ? 5000 : 1000;
/** From the second round on: the time in which a cluster manager with its usual settings notices a failure. */
const LONG_NOTICE_MS = 20_000;
/** The lease of deliveries whose worker did not get the answer to its claim. The short form moves the clock forward instead of waiting. */
const LEASE_MS = 45_000;
const SECRETS_KEY = 's'.repeat(32);
const WIDE = '1000000';
const QUOTAS = { GATEWAY_HOLD_RPM: WIDE, GATEWAY_BOOKING_RPM: WIDE, CATALOG_RPM: WIDE };

/** Waits up to five seconds until the condition is true. */
async function until(isSo: () => Promise<boolean>): Promise<void> {
  for (let tries = 1; !(await isSo()); tries++) {
    if (tries === 50) throw new Error('it did not come about');
    await sleep(100);
  }
}

describeWith('pgbouncer', 'behind PgBouncer', () => {
  describeWith('postgresql', 'a primary with a synchronous standby', suite, serverPrograms() !== undefined);
});

function suite(): void {
  let dir: string;
  let pair: Pair;
  let apis: Instance[];
  let queue: Instance;
  let receiver: Receiver;
  let shop: Shop;
  let tenantId: string;
  const toEnd: (() => unknown)[] = [];
  beforeAll(async () => {
    dir = mkdtempSync(path.join(tmpdir(), 'test-failover-'));
    chmodSync(dir, 0o755);
    makeFolder(path.join(dir, 'database'));
    const ports = await lowPorts(10);
    pair = await startPair(path.join(dir, 'database'), ports.splice(0, 3) as [number, number, number]);
    receiver = await startReceiver();
    await givenShop();
    const env = {
      DATABASE_URL: pair.url,
      DATABASE_DIRECT_URL: pair.primary().url,
      LOG_LEVEL: 'info',
      ...QUOTAS,
      SECRETS_KEY,
      CURSOR_KEY: 'c'.repeat(32),
      KEY_PEPPER: PEPPER,
      WEBHOOK_ALLOW_PRIVATE_TARGETS: 'on',
    };
    const [one, two, three] = ports.splice(0, 3) as [number, number, number];
    const metrics = () => ({ ...env, METRICS_PORT: `${ports.shift()}` });
    const starting = [startInstance('api', dir, one, metrics()), startInstance('api', dir, two, metrics())];
    queue = await startInstance('webhook-queue', dir, three, metrics());
    apis = await Promise.all(starting);
    shop.apis = apis.map(({ baseUrl }) => baseUrl);
  }, 60_000);
  afterAll(async () => {
    await Promise.all(toEnd.map((end) => end()));
    await killChildren();
    await receiver.close();
    rmSync(dir, { recursive: true, force: true });
  }, 30_000);

  async function givenShop(): Promise<void> {
    const db = openDatabase(pair.primary().url, { applicationName: 'test', poolMax: 2 });
    await migrate(db);
    const tenant = await givenTenant(db, { status: 'active', maxHolds: 1_000_000, maxUnpaid: 1_000_000 });
    tenantId = tenant.id;
    const authorization = `Bearer ${await givenKey(db, tenant)}`;
    const departures = await Promise.all([20, 100_000, 100_000].map((seats) => givenSeats(db, { seats })));
    const endpoint = { tenantId, url: receiver.url, allowPrivateTargets: true };
    await inTransaction(db, (trx) => addEndpoint(trx, SECRETS_KEY, endpoint));
    shop = { apis: [], authorization, departures };
    await db.destroy();
  }

  /** Waits for the first 201 that arrives after `since`. @returns the time of its arrival */
  async function untilServed(clients: Clients, since: number): Promise<number> {
    for (const end = Date.now() + 30_000; Date.now() < end; await sleep(5)) {
      const served = clients.acknowledged.find(({ at, status }) => at > since && status === 201);
      if (served) return served.at;
    }
    throw new Error('nothing was sold after the failover');
  }

  async function failOverUnderLoad(n: number, clients: Clients, watch: ReadinessWatch): Promise<Failover> {
    const failover = await pair.failOver(
      LOSSES[n % LOSSES.length]!,
      n < LOSSES.length ? undefined : LONG_NOTICE_MS,
    );
    const served = await untilServed(clients, failover.promoted);
    await sleep(CALM_MS);
    const last = Math.max(...clients.acknowledged.map(({ at }) => at).filter((at) => at < failover.promoted));
    printFailover(
      failover,
      { last, served },
      {
        notReady: firstAfter(watch, failover.lost, false),
        ready: firstAfter(watch, failover.promoted, true),
      },
    );
    return failover;
  }

  async function untilDelivered(db: Db, bookings: number): Promise<string[]> {
    if (!LONG) await db('webhook_queue').whereNotNull('lease_until').update({ lease_until: db.fn.now() });
    const delivered = () =>
      new Set(receiver.received.map(({ body }) => JSON.parse(body).booking_ref as string));
    for (const end = Date.now() + LEASE_MS + 30_000; Date.now() < end; await sleep(100))
      if (delivered().size >= bookings) break;
    return [...delivered()].sort();
  }

  it(
    'repeated failovers lose no acknowledged write, and no retry repeats a write',
    async () => {
      const watch = watchReadiness([...shop.apis, queue.baseUrl]);
      const clients = startClients(shop);
      toEnd.push(clients.giveUp, watch.stop);
      const failovers: Failover[] = [];
      await sleep(CALM_MS);
      for (let n = 0; n < FAILOVERS; n++) {
        failovers.push(await failOverUnderLoad(n, clients, watch));
        await pair.rebuildStandby();
      }
      await clients.finish();
      await watch.stop();
      printTries(clients);

      await onServer(pair.primary(), async (db) => {
        expect(await checkPurchases(db, clients.acknowledged, shop.departures)).toEqual({
          lost: [],
          duplicated: [],
          unrequested: [],
          withoutEvent: [],
          unexpected: [],
          miscounted: [],
          unhealthy: [],
        });
        const bookings = await db('booking_leads').pluck('booking_ref');
        const asked = performance.now();
        expect(await untilDelivered(db, bookings.length)).toEqual(bookings.sort());
        say(
          `${bookings.length} bookings delivered ${receiver.received.length} times, the last ${since(asked)} ms after the load`,
        );
      });
      const wrongReady = failovers.map(({ lost, promoted }) => countWrongReady(watch, lost, promoted));
      expect(wrongReady).toEqual(failovers.map(() => 0));
      expect(Math.max(...clients.tries.map(({ ms }) => ms))).toBeLessThan(20_000);
      expect(clients.acknowledged.filter(({ status }) => status === 409).length).toBeGreaterThan(0);

      const repeated = clients.acknowledged.filter(({ status }) => status === 201);
      const sample = [...repeated.filter(({ replayed }) => replayed), ...repeated.slice(0, 20)];
      const again = await Promise.all(sample.map(({ intent }) => clients.repeat(intent)));
      for (const [n, { status, text }] of sample.entries())
        expect(again[n]).toMatchObject({ status, text, replayed: true });
    },
    60_000 + FAILOVERS * 60_000,
  );

  it('a retry books again when its first booking was stored only on the failed primary', async () => {
    const { primary } = pair;
    const headers = {
      authorization: shop.authorization,
      'content-type': 'application/json',
      'idempotency-key': 'half-made',
    };
    const seats = shop.departures[1]!;
    const order = {
      ...CUSTOMER,
      tour_id: seats.tour.id,
      departure_date: seats.date,
      external_ref: 'half-made',
    };
    const book = (api: string, timeoutMs: number) =>
      fetch(`${api}/api/tenant/bookings`, {
        method: 'POST',
        headers,
        body: JSON.stringify(order),
        signal: AbortSignal.timeout(timeoutMs),
      }).then(
        ({ status }) => status,
        () => 'nothing',
      );
    const count = (db: Db) => db('booking_leads').where({ external_ref: 'half-made' }).pluck('booking_ref');

    primary().holdBackWal();
    expect(await book(shop.apis[0]!, 500)).toBe('nothing');
    await onServer(primary(), async (db) => {
      expect(await count(db)).toEqual([]);
      // Cancels the wait for the standby. PostgreSQL then shows a transaction that the standby does not have.
      await db.raw(`select pg_terminate_backend(pid) from pg_stat_activity where wait_event = 'SyncRep'`);
      for (let tries = 0; tries < 100 && (await count(db)).length === 0; tries++) await sleep(20);
      expect(await count(db)).toHaveLength(1);
    });
    expect(await book(shop.apis[1]!, 1500)).toBe('nothing');

    await pair.failOver('killed');
    await onServer(primary(), async (db) => {
      expect(await count(db)).toEqual([]);
      await until(async () => (await book(shop.apis[0]!, 20_000)) === 201);
      expect(await count(db)).toHaveLength(1);
    });
  });

  it('both APIs apply changes from the terminal after a failover', async () => {
    const ask = (api: string) =>
      fetch(`${api}/api/tenant/catalog`, { headers: { authorization: shop.authorization } });
    const statuses = async () => Promise.all(shop.apis.map(async (api) => (await ask(api)).status));
    await until(async () => (await statuses()).every((status) => status === 200));
    await onServer(pair.primary(), async (db) => {
      const begun = performance.now();
      await db('tenants').where({ id: tenantId }).update({ status: 'suspended' });
      await awaitInstances(db);
      // Both instances confirm the change, so the command does not wait until their read-cache validity ends.
      expect(performance.now() - begun).toBeLessThan(1000);
    });
    expect(await statuses()).toEqual([401, 401]);
  });
}
