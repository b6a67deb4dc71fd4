import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Db, inTransaction, openDatabase } from '../../../services/platform/database/database';
import { migrate } from '../../../services/platform/migrate/migrate';
import { EVENT_TYPES } from '../../../services/webhook-queue/deliveries/delivery';
import { addEndpoint } from '../../../services/webhook-queue/endpoints/add-endpoint';
import { killChildren } from '../../stack/child';
import { lowPorts } from '../../stack/low-ports';
import { givenKey, givenTenant, PEPPER } from '../../support/given';
import { startRedis, stopRedisServers } from '../../support/redis';
import { mountSmallDisk, removeSmallDisks } from '../../support/small-disk';
import { startTcpProxy, type TcpProxy } from '../../support/tcp-proxy';
import { givenSeats } from '../../support/website';
import { type Receiver, startReceiver } from '../receiver';
import type { Stock } from './clients';
import { keepPostgres, type KeptPostgres } from './postgres';
import { supervise, type Supervised } from './supervise';

/** Two APIs and two queues, with proxies before PostgreSQL and Redis, and a receiver of webhooks. */
export interface Installation {
  apis: Supervised[];
  queues: Supervised[];
  postgres: KeptPostgres;
  database: TcpProxy;
  store: TcpProxy;
  receiver: Receiver;
  /** Connects to PostgreSQL without the proxy. */
  db: Db;
  authorization: string;
  stock: Stock[];
  stop(): Promise<void>;
}

export interface InstallationOptions {
  /** True: PostgreSQL's data is on a small disk of its own, which needs root. */
  ownDisk: boolean;
  /** Milliseconds of clock shift: the clock of the first API is fast, and the clock of the first queue is slow. */
  clockShiftMs: number;
}

const SECRETS_KEY = 's'.repeat(32);
const WIDE = '1000000';
const QUOTAS = {
  GATEWAY_AVAILABILITY_RPM: WIDE,
  GATEWAY_HOLD_RPM: WIDE,
  GATEWAY_BOOKING_RPM: WIDE,
  CATALOG_RPM: WIDE,
};
const DISK_MIB = 384;
/** Seats of the first departure, fewer than clients. */
const SMALLEST = 5;

export async function startInstallation(options: InstallationOptions): Promise<Installation> {
  const stops: (() => unknown)[] = [];
  const stop = async () => {
    for (const end of stops.splice(0).reverse()) await end();
  };
  try {
    return { ...(await start(options, stops)), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function start(
  { ownDisk, clockShiftMs }: InstallationOptions,
  stops: (() => unknown)[],
): Promise<Omit<Installation, 'stop'>> {
  const dir = mkdtempSync(path.join(tmpdir(), 'test-mixed-chaos-'));
  chmodSync(dir, 0o755);
  stops.push(() => rmSync(dir, { recursive: true, force: true }), removeSmallDisks);
  const ports = await lowPorts(13);
  const next = () => ports.shift()!;
  const postgres = await keepPostgres(ownDisk ? mountSmallDisk(DISK_MIB) : dir, next());
  stops.push(() => postgres.stop());
  const db = openDatabase(postgres.url, { applicationName: 'chaos', poolMax: 2 });
  stops.push(() => db.destroy());
  await migrate(db);
  const receiver = await startReceiver();
  stops.push(() => receiver.stop());
  const redis = await startRedis();
  stops.push(stopRedisServers);
  const store = await startTcpProxy(redis.port);
  const database = await startTcpProxy(Number(new URL(postgres.url).port));
  stops.push(
    () => store.stop(),
    () => database.stop(),
    killChildren,
  );
  const { authorization, stock } = await givenShop(db, receiver);

  const databaseUrl = new URL(postgres.url);
  databaseUrl.host = `127.0.0.1:${database.port}`;
  const env = {
    SECRETS_KEY,
    CURSOR_KEY: 'c'.repeat(32),
    KEY_PEPPER: PEPPER,
    LOG_LEVEL: 'warn',
    ...QUOTAS,
    DATABASE_URL: databaseUrl.href,
    REDIS_URL: `redis://127.0.0.1:${store.port}`,
    REPLICAS: '2',
    WEBHOOK_ALLOW_PRIVATE_TARGETS: 'on',
    WEBHOOK_RETRY_SCHEDULE: '0s,1s,1s,2s,2s,5s,5s,5s,10s,10s',
  };
  const wrongClock = (shiftMs: number) => ({
    NODE_OPTIONS: `--require ${path.join(__dirname, 'shifted-clock.cjs')}`,
    CLOCK_SHIFT_MS: `${shiftMs}`,
  });
  const run = (service: 'api' | 'webhook-queue', more: Record<string, string> = {}) => {
    // The API uses METRICS_PORT, and the queue the port after it.
    const [port, metrics] = [next(), next()];
    next();
    const one = supervise({
      service,
      dir,
      port,
      env: { ...env, METRICS_PORT: `${metrics}`, ...more },
    });
    stops.push(() => one.stop());
    return one;
  };
  const apis = [
    run('api', wrongClock(clockShiftMs)),
    run('api', { GROUP_COMMIT: 'off', PREPARED_STATEMENTS: 'off' }),
  ];
  const queues = [run('webhook-queue', wrongClock(-clockShiftMs)), run('webhook-queue')];
  return { apis, queues, postgres, database, store, receiver, db, authorization, stock };
}

/** Creates departures in ascending order of seats. The first two sell out during the faults. The last two do not. */
async function givenShop(db: Db, receiver: Receiver): Promise<{ authorization: string; stock: Stock[] }> {
  const tenant = await givenTenant(db, { status: 'active', maxHolds: 1_000_000, maxUnpaid: 1_000_000 });
  const authorization = `Bearer ${await givenKey(db, tenant)}`;
  const secrets: Record<string, string> = {};
  for (const kind of ['fine', 'slow'] as const) {
    const at = `/${kind}/1`;
    const endpoint = { tenantId: tenant.id, url: receiver.origins[kind] + at, events: [...EVENT_TYPES] };
    const added = await inTransaction(db, (trx) =>
      addEndpoint(trx, SECRETS_KEY, { ...endpoint, allowPrivateTargets: true }),
    );
    secrets[at] = added.secret;
  }
  receiver.trust(secrets);
  const prices = { adult: 50_000, child: 30_000 };
  const stock: Stock[] = [];
  for (const seats of [SMALLEST, 25, 100_000, 100_000]) {
    const { tour, date } = await givenSeats(db, { seats, prices });
    const row = await db('departures').where({ tour_id: tour.id, departure_date: date }).first('id');
    stock.push({ tour, date, departureId: row.id });
  }
  return { authorization, stock };
}
