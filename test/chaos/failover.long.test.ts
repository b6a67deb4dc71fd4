import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Db, inTransaction, openDatabase } from '../../services/platform/database/database';
import { awaitInstances } from '../../services/platform/read-cache/instance.repository';
import { migrate } from '../../services/platform/migrate/migrate';
import { addEndpoint } from '../../services/webhook-queue/endpoints/add-endpoint';
import { killChildren } from '../stack/child';
import { lowPorts } from '../stack/low-ports';
import { type Instance, startInstance } from '../stack/service';
import { describeWith, isInstalled } from '../support/describe-with';
import { givenKey, givenTenant, PEPPER } from '../support/given';
import { CUSTOMER, givenSeats } from '../support/website';
import { type Receiver, startReceiver } from '../webhook-queue/receiver';
import { type Clients, type Shop, startClients } from './failover/clients';
import { type Cluster, PORTS, startCluster } from './failover/cluster';
import { EVENTS, possibleEvents } from './failover/events';
import {
  countFailed,
  longestGap,
  type Outcome,
  printOutcomes,
  printTries,
  say,
  since,
} from './failover/figures';
import { onServer } from './failover/postgres-server';
import { countWrongReady, watchReadiness } from './failover/readiness';
import { serverPrograms } from './failover/server-programs';
import { checkPurchases } from './failover/verdict';
import { type WritersWatch, watchWriters } from './failover/writers';

/** The long form is `npm run lab -- failover`. */
const LONG = process.env.FAILOVER_EVENTS !== undefined;
const NAMES = (process.env.FAILOVER_EVENTS ?? 'killed,isolated').split(',');
/** The lease of docker/patroni/start; a shorter one, which newer Patroni releases refuse, for the short form. */
const LEASE = LONG ? { ttl: 20, loopWait: 5, retryTimeout: 5 } : { ttl: 8, loopWait: 1, retryTimeout: 3 };
const CALM_MS = LONG ? 5000 : 1000;
/** An event that promotes nobody lasts longer than the lease. */
const LASTING_MS = (LEASE.ttl + LEASE.loopWait) * 1000;
/** The lease of deliveries whose worker did not get the answer to its claim. The short form moves the clock forward instead of waiting. */
const DELIVERY_LEASE_MS = 45_000;
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

describeWith('patroni', 'the database of compose.ha.yaml', () => {
  describeWith(
    'etcd-server',
    'with etcd',
    () => {
      describeWith('haproxy', 'behind HAProxy', () => {
        describeWith('pgbouncer', 'and PgBouncer', () => {
          describeWith('postgresql', 'two PostgreSQL under Patroni', suite, serverPrograms() !== undefined);
        });
      });
    },
    isInstalled('etcd'),
  );
});

function suite(): void {
  let dir: string;
  let cluster: Cluster;
  let services: Instance[];
  let receiver: Receiver;
  let shop: Shop;
  let tenantId: string;
  const toEnd: (() => unknown)[] = [];
  beforeAll(async () => {
    dir = mkdtempSync(path.join(tmpdir(), 'test-failover-'));
    chmodSync(dir, 0o755);
    cluster = await startCluster(path.join(dir, 'database'), await lowPorts(PORTS), LEASE);
    toEnd.push(() => cluster.stop());
    receiver = await startReceiver();
    await givenShop();
    services = await startServices();
    shop.apis = services.slice(0, 2).map(({ baseUrl }) => baseUrl);
  }, 180_000);
  afterAll(async () => {
    await Promise.all(toEnd.map((end) => end()));
    await killChildren();
    await receiver?.close();
    rmSync(dir, { recursive: true, force: true });
  }, 30_000);

  /** Starts two APIs and two webhook queues. */
  async function startServices(): Promise<Instance[]> {
    const ports = await lowPorts(12);
    const env = {
      DATABASE_DIRECT_URL: cluster.directUrl,
      LOG_LEVEL: 'info',
      ...QUOTAS,
      SECRETS_KEY,
      CURSOR_KEY: 'c'.repeat(32),
      KEY_PEPPER: PEPPER,
      WEBHOOK_ALLOW_PRIVATE_TARGETS: 'on',
    };
    // A queue uses the port after this one.
    const metricsPort = () => `${ports.splice(-2)[0]}`;
    const start = (service: 'api' | 'webhook-queue', login: 'tours_api' | 'tours_queue') =>
      startInstance(service, dir, ports.shift()!, {
        ...env,
        DATABASE_URL: cluster.pooledUrl(login),
        METRICS_PORT: metricsPort(),
      });
    return Promise.all([
      start('api', 'tours_api'),
      start('api', 'tours_api'),
      start('webhook-queue', 'tours_queue'),
      start('webhook-queue', 'tours_queue'),
    ]);
  }

  async function givenShop(): Promise<void> {
    const db = openDatabase(cluster.directUrl, { applicationName: 'test', poolMax: 2 });
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

  /** Waits for the first 201 that arrives after `since`. */
  async function untilServed(clients: Clients, since: number): Promise<void> {
    for (const end = Date.now() + 30_000; Date.now() < end; await sleep(5))
      if (clients.acknowledged.some(({ at, status }) => at > since && status === 201)) return;
    throw new Error('nothing was sold after the event');
  }

  /** Runs one event while the clients sell, and waits until there is a synchronous standby again. */
  async function runEvent(name: string, clients: Clients, writers: WritersWatch): Promise<Outcome> {
    const event = EVENTS[name]!;
    const [primary, standby] = await cluster.roles();
    const lost = performance.now();
    await event.begin(cluster, primary, standby);
    let promoted: number | undefined;
    if (event.promotes) {
      await cluster.untilPrimary(standby);
      promoted = performance.now();
    } else {
      await sleep(LASTING_MS);
      expect((await cluster.roles())[0].name).toBe(primary.name);
    }
    await untilServed(clients, performance.now());
    await sleep(CALM_MS);
    const oldStopped = writers.lastWritable(cluster.members.indexOf(primary), lost);
    await event.end(cluster, primary, standby);
    const synchronous = await cluster.untilSynchronous();
    await untilServed(clients, performance.now());
    await sleep(CALM_MS);
    return {
      title: event.title,
      ttl: LEASE.ttl,
      lost,
      promoted,
      gap: longestGap(clients, lost),
      synchronous,
      both: writers.bothWritable(lost),
      oldWritable: event.promotes && oldStopped ? oldStopped - lost : undefined,
      failed: countFailed(clients, lost),
    };
  }

  async function untilDelivered(db: Db, bookings: number): Promise<string[]> {
    if (!LONG) await db('webhook_queue').whereNotNull('lease_until').update({ lease_until: db.fn.now() });
    const delivered = () =>
      new Set(receiver.received.map(({ body }) => JSON.parse(body).booking_ref as string));
    for (const end = Date.now() + DELIVERY_LEASE_MS + 30_000; Date.now() < end; await sleep(100))
      if (delivered().size >= bookings) break;
    return [...delivered()].sort();
  }

  it(
    'failures and switchovers lose no acknowledged write, and no retry repeats a write',
    async () => {
      const watch = watchReadiness(services.slice(0, 3).map(({ baseUrl }) => baseUrl));
      const writers = watchWriters(cluster.members.map((member) => cluster.superuserUrl(member)));
      const clients = startClients(shop);
      toEnd.push(clients.giveUp, watch.stop, writers.stop);
      const outcomes: Outcome[] = [];
      const names = possibleEvents(NAMES);
      await sleep(CALM_MS);
      for (const name of names) outcomes.push(await runEvent(name, clients, writers));
      await clients.finish();
      await Promise.all([watch.stop(), writers.stop()]);
      printOutcomes(outcomes);
      printTries(clients);

      await onServer({ url: cluster.directUrl }, async (db) => {
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
      const outages = outcomes.filter((_, index) => EVENTS[names[index]!]!.isOutage);
      expect(outages.map(({ lost, promoted }) => countWrongReady(watch, lost, promoted!))).toEqual(
        outages.map(() => 0),
      );
      // A frozen server that continues accepts writes until its Patroni has looked; without its standby it acknowledges none.
      const overlaps = outcomes.filter(({ both }, index) => both > 0 && names[index] !== 'frozen');
      expect(overlaps).toEqual([]);
      expect(Math.max(...clients.tries.map(({ ms }) => ms))).toBeLessThan(20_000);
      expect(clients.acknowledged.filter(({ status }) => status === 409).length).toBeGreaterThan(0);

      const repeated = clients.acknowledged.filter(({ status }) => status === 201);
      const sample = [...repeated.filter(({ replayed }) => replayed), ...repeated.slice(0, 20)];
      const again = await Promise.all(sample.map(({ intent }) => clients.repeat(intent)));
      for (const [n, { status, text }] of sample.entries())
        expect(again[n]).toMatchObject({ status, text, replayed: true });
    },
    120_000 + NAMES.length * 120_000,
  );

  it('a retry books again when its first booking was stored only on the failed primary', async () => {
    const [primary, standby] = await cluster.roles();
    const onPrimary = { url: cluster.superuserUrl(primary) };
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

    primary.holdBackWal();
    expect(await book(shop.apis[0]!, 500)).toBe('nothing');
    await onServer(onPrimary, async (db) => {
      expect(await count(db)).toEqual([]);
      // Cancels the wait for the standby. PostgreSQL then shows a transaction that the standby does not have.
      await db.raw(`select pg_terminate_backend(pid) from pg_stat_activity where wait_event = 'SyncRep'`);
      for (let tries = 0; tries < 100 && (await count(db)).length === 0; tries++) await sleep(20);
      expect(await count(db)).toHaveLength(1);
    });
    expect(await book(shop.apis[1]!, 1500)).toBe('nothing');

    await primary.kill();
    await cluster.untilPrimary(standby);
    const onNewPrimary = { url: cluster.directUrl };
    // Patroni calls the member the primary some time before PostgreSQL accepts writes.
    await until(() =>
      onServer(onNewPrimary, (db) => count(db)).then(
        () => true,
        () => false,
      ),
    );
    await onServer(onNewPrimary, async (db) => {
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
    await onServer({ url: cluster.directUrl }, async (db) => {
      const begun = performance.now();
      await db('tenants').where({ id: tenantId }).update({ status: 'suspended' });
      await awaitInstances(db);
      // Both instances confirm the change, so the command does not wait until their read-cache validity ends.
      expect(performance.now() - begun).toBeLessThan(1000);
    });
    expect(await statuses()).toEqual([401, 401]);
  });
}
