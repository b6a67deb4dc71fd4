import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openAt } from '../../services/api/catalog/departure-state';
import { type DemoCredentials, seedDemo } from '../../services/api/demo/seed-demo';
import { type Db, inTransaction, openDatabase } from '../../services/platform/database/database';
import { joinEmbeddedPostgres } from '../../services/platform/embedded-postgres/embedded-postgres';
import { findServer } from '../../services/platform/embedded-postgres/server';
import { migrate } from '../../services/platform/migrate/migrate';
import { addEndpoint } from '../../services/webhook-queue/endpoints/add-endpoint';
import { type Instance, startInstance } from '../stack/service';
import { freePorts } from '../support/free-ports';
import { PEPPER } from '../support/given';
import { serverCpuMs } from './cpu-time';

const SECRETS = { SECRETS_KEY: 's'.repeat(32), CURSOR_KEY: 'c'.repeat(32), KEY_PEPPER: PEPPER };
const QUOTAS = [
  'GATEWAY_AVAILABILITY_RPM',
  'GATEWAY_HOLD_RPM',
  'GATEWAY_BOOKING_RPM',
  'CATALOG_RPM',
  'WIDGET_RPM',
];
const NO_LIMIT = 1_000_000;
/** Maximum seats of a departure. */
const SEATS = 100_000;
const TARGETS_MAX = 500;

/** A departure that can be booked. */
export interface Target {
  slug: string;
  date: string;
}

/** A durable embedded PostgreSQL of its own with the migrated schema. */
export interface BenchDatabase {
  db: Db;
  url: string;
  /** Reads the CPU milliseconds of PostgreSQL. */
  serverCpuMs(): number;
  /** Temporary directory with the cluster and the logs of the processes. */
  directory: string;
}

/** Starts the database, and deletes it after `work`. */
export async function withDatabase<T>(work: (database: BenchDatabase) => Promise<T>): Promise<T> {
  const directory = mkdtempSync(path.join(tmpdir(), 'tour-platform-bench-'));
  const embedded = await joinEmbeddedPostgres(directory);
  const db = openDatabase(embedded.url, { applicationName: 'bench', poolMax: 16, canPrepare: true });
  try {
    await migrate(db);
    const { pid } = (await findServer(path.join(directory, 'pg18')))!;
    return await work({ db, url: embedded.url, directory, serverCpuMs: () => serverCpuMs(pid) });
  } finally {
    await db.destroy();
    await embedded.leave();
    rmSync(directory, { recursive: true, force: true });
  }
}

/** A database with the demo catalog, and processes of the compiled services. The departures do not sell out. */
export interface BenchStack extends BenchDatabase {
  apiKey: string;
  widgetToken: string;
  tenantId: string;
  targets: Target[];
  /** Returns a file with the first targets, "slug date" a line. */
  targetsFile(count: number): string;
  /** Returns a file with these targets. */
  fileOf(name: string, targets: Target[]): string;
  /** Starts a service with everything on: authentication, quotas, headers, metrics, and a log line for each request. */
  start(service: 'api' | 'webhook-queue', environment?: Record<string, string>): Promise<Instance>;
  /** Deletes all holds, bookings, their events and idempotency rows. */
  clearSales(): Promise<void>;
}

/** Starts the database and an API on the demo catalog, and ends all processes after `work`. */
export async function withStack<T>(
  work: (stack: BenchStack, api: Instance) => Promise<T>,
  environment: Record<string, string> = {},
): Promise<T> {
  return withDatabase(async (database) => {
    const { db, url, directory } = database;
    const demo = await seedDemoFor(db);
    const targets = await widenDepartures(db);
    const running: Instance[] = [];
    const start: BenchStack['start'] = async (service, more) => {
      const [api, queue, metrics] = await freePorts();
      const settings = { ...serviceSettings(url, metrics), ...environment, ...more };
      const instance = await startInstance(service, directory, service === 'api' ? api : queue, settings);
      running.push(instance);
      return instance;
    };
    const fileOf = (name: string, list: Target[]) => {
      const file = path.join(directory, `targets-${name}`);
      const lines = list.map(({ slug, date }) => `${slug} ${date}\n`);
      // Keeps an existing file, because another load may be reading it.
      if (!existsSync(file)) writeFileSync(file, lines.join(''));
      return file;
    };
    const targetsFile = (count: number) => fileOf(`${count}`, targets.slice(0, count));
    const clearSales = async () => {
      await db.raw(
        'truncate seat_holds, idempotency_keys, webhook_queue, webhook_deliveries, webhook_events cascade',
      );
    };
    const { api_key: apiKey, widget_token: widgetToken } = demo;
    const { id: tenantId } = await db('tenants').where({ slug: demo.tenant }).first<{ id: string }>('id');
    try {
      const stack = {
        ...database,
        apiKey,
        widgetToken,
        tenantId,
        targets,
        targetsFile,
        fileOf,
        start,
        clearSales,
      };
      return await work(stack, await start('api'));
    } finally {
      await Promise.all(running.map((instance) => instance.stop()));
    }
  });
}

/** Returns the environment of a service without quotas. */
export function serviceSettings(databaseUrl: string, metricsPort: number): Record<string, string> {
  return {
    ...SECRETS,
    ...Object.fromEntries(QUOTAS.map((name) => [name, `${NO_LIMIT}`])),
    DATABASE_URL: databaseUrl,
    METRICS_PORT: `${metricsPort}`,
    WEBHOOK_ALLOW_PRIVATE_TARGETS: '1',
    // Turns prepared statements on, as the embedded server of DATA_DIR and pgbench do.
    PREPARED_STATEMENTS: 'on',
    // The visitors of a load differ by X-Forwarded-For, because the widget's quota limits each address.
    TRUST_PROXY: '1',
  };
}

/** Plants the demo's catalog, tenant and credentials, without the tenant's limits. */
export async function seedDemoFor(db: Db): Promise<DemoCredentials> {
  const today = new Date().toISOString().slice(0, 10);
  const demo = await inTransaction(db, (trx) => seedDemo(trx, today, PEPPER));
  await db('tenants')
    .where({ slug: demo.tenant })
    .update({ max_holds: NO_LIMIT, max_unpaid: NO_LIMIT, max_hold_trips: NO_LIMIT });
  return demo;
}

/** SQL condition: the departure `d` is the only one on its date, so that a request needs no start time. */
export const ONLY_ONE = `not exists (
  select from departures o where o.tour_id = d.tour_id and o.departure_date = d.departure_date and o.id <> d.id)`;

/**
 * Raises the seats of departures to the maximum, where booking stays open for another day.
 * @returns 500 of these departures, each the only one of its tour on its date, and of a tour that sells to one adult
 */
async function widenDepartures(db: Db): Promise<Target[]> {
  const open = openAt("now() + interval '1 day'");
  await db.raw(
    `update departures d set seats_total = ${SEATS} from tours t where t.id = d.tour_id and ${open}`,
  );
  const { rows } = await db.raw<{ rows: Target[] }>(
    `select t.slug, d.departure_date::text as date from departures d join tours t on t.id = d.tour_id
     where ${open} and ${ONLY_ONE} and coalesce(t.categories @> '[{"code": "adult"}]', true)
     order by d.id limit ${TARGETS_MAX}`,
  );
  if (rows.length < TARGETS_MAX)
    throw new Error(
      `the demo has only ${rows.length} departures for one adult that are alone on their dates`,
    );
  await db.raw('vacuum analyze');
  return rows;
}

/** Gives the tenant an endpoint with this URL, if it has none, so that each booking enqueues a delivery. */
export async function addReceiver({ db, tenantId }: BenchStack, url: string): Promise<void> {
  if (await db('webhook_endpoints').where({ tenant_id: tenantId, url }).first('id')) return;
  const endpoint = { tenantId, url, allowPrivateTargets: true };
  await inTransaction(db, (trx) => addEndpoint(trx, SECRETS.SECRETS_KEY, endpoint));
}
