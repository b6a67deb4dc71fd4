import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Db, openDatabase } from '../../services/platform/database/database';
import { queryOnce } from '../../services/platform/database/connect';
import { migrate } from '../../services/platform/migrate/migrate';
import { requireUsable } from '../../services/platform/readiness';
import { SALE_TRIAL } from '../../services/api/seats/try-sale';
import { runOnce } from '../cli/run-once';
import { killChildren } from '../stack/child';
import { lowPorts } from '../stack/low-ports';
import { type Instance, startInstance } from '../stack/service';
import { describeWith } from '../support/describe-with';
import { givenKey, givenTenant, PEPPER } from '../support/given';
import {
  createPrimary,
  describeServer,
  makeFolder,
  onServer,
  type PostgresServer,
  waitForStandby,
} from './failover/postgres-server';
import { serverPrograms } from './failover/server-programs';

const KEY = 'k'.repeat(32);
/** Long enough for several requests in each second. */
const OUTAGE_MS = 4000;

describeWith(
  'postgresql',
  'a URL that names a primary and its standby',
  suite,
  serverPrograms() !== undefined,
);

function suite(): void {
  let dir: string;
  let primary: PostgresServer;
  let standby: PostgresServer;
  /** Database URL with two hosts, the standby first. */
  let url: string;
  let authorization: string;
  let ports: number[];
  beforeAll(async () => {
    dir = mkdtempSync(path.join(tmpdir(), 'test-host-list-'));
    chmodSync(dir, 0o755);
    makeFolder(path.join(dir, 'database'));
    ports = await lowPorts(8);
    [primary, standby] = ['a', 'b'].map((name) =>
      describeServer(path.join(dir, 'database'), name, ports.shift()!),
    ) as [PostgresServer, PostgresServer];
    await createPrimary(primary, path.join(dir, 'database'));
    await standby.rebuildFrom(primary);
    await waitForStandby(primary, standby);
    url = primary.url.replace('127.0.0.1:', `127.0.0.1:${standby.port},127.0.0.1:`);
    const db = openDatabase(url, { applicationName: 'test', poolMax: 2 });
    await migrate(db);
    authorization = `Bearer ${await givenKey(db, await givenTenant(db, { status: 'active' }))}`;
    await db.destroy();
  }, 120_000);
  afterAll(async () => {
    await killChildren();
    rmSync(dir, { recursive: true, force: true });
  }, 30_000);

  const portOf = async (db: Db) => {
    const { rows } = await db.raw('select inet_server_port() as port');
    return rows[0].port as number;
  };
  const at = (databaseUrl: string, line: string) =>
    runOnce(line, {
      env: { DATABASE_URL: databaseUrl, SECRETS_KEY: KEY, CURSOR_KEY: KEY, KEY_PEPPER: PEPPER },
    });

  it('services, tourctl and the completion of names connect to the primary of a URL with several hosts', async () => {
    expect(await onServer({ url }, portOf)).toBe(primary.port);
    expect(await onServer({ url: `${url}?target_session_attrs=read-write` }, portOf)).toBe(primary.port);
    const query = { text: 'select inet_server_port() as port', values: [], timeoutMs: 5000 };
    expect(await queryOnce(url, query)).toEqual([{ port: primary.port }]);
    expect(await at(url, 'tenant list')).toMatchObject({ code: 0, stderr: '' });
  });

  it('when no host of the URL accepts writes, the message names the reason of each host', async () => {
    expect(await at(standby.url, 'tenant list')).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /^error: The database: the server is a standby, which accepts no writes: /,
      ),
    });
    const none = standby.url.replace('127.0.0.1:', '127.0.0.1:1,127.0.0.1:');
    const db = openDatabase(standby.url, { applicationName: 'test', poolMax: 1 });
    await expect(requireUsable(db, SALE_TRIAL)).rejects.toMatchObject({ code: '25006' });
    await db.destroy();
    expect((await at(none, 'tenant list')).stderr).toMatch(
      /^error: The database: no host accepts writes \(127\.0\.0\.1:1: connect ECONNREFUSED [^;]*; 127\.0\.0\.1:\d+: the server is a standby, which accepts no writes\): /,
    );
  });

  it('target_session_attrs=read-write refuses a primary whose transactions are read-only by default', async () => {
    const set = (value: string) =>
      onServer(primary, (db) => db.raw(`alter role tours set default_transaction_read_only = ${value}`));
    await set('on');
    const asked = onServer({ url: `${url}?target_session_attrs=read-write` }, portOf);
    await expect(asked).rejects.toThrow(/default_transaction_read_only is on/);
    expect(await onServer({ url }, portOf)).toBe(primary.port);
    await onServer(primary, (db) =>
      db.raw('begin read write; alter role tours reset default_transaction_read_only; commit'),
    );
  });

  it('services continue on a promoted standby, and log at most one line a second before its promotion', async () => {
    const env = { DATABASE_URL: url, SECRETS_KEY: KEY, CURSOR_KEY: KEY, KEY_PEPPER: PEPPER };
    const [apiPort, queuePort, metrics] = ports as [number, number, number];
    const services = await Promise.all([
      startInstance('api', dir, apiPort, { ...env, METRICS_PORT: `${metrics}` }),
      startInstance('webhook-queue', dir, queuePort, { ...env, METRICS_PORT: `${metrics + 1}` }),
    ]);
    const db = openDatabase(url, { applicationName: 'test', poolMax: 1 });
    expect(await portOf(db)).toBe(primary.port);

    primary.crash();
    const requests = await requestFor(services[0]);
    expect(requests.statuses.length).toBeGreaterThan(10);
    expect([...new Set(requests.statuses)].sort()).toEqual(['500 internal_error 1']);
    expect(await Promise.all(services.map(readyStatus))).toEqual([503, 503]);

    await standby.promote();
    for (const service of services) while ((await readyStatus(service)) !== 200) await sleep(50);
    expect(await portOf(db)).toBe(standby.port);
    await db.destroy();
    // A service writes its log line for a second at the end of that second.
    await sleep(1100);
    const isLogged = () => services.every((service) => outageLines(service).length > 0);
    for (let tries = 0; tries < 100 && !isLogged(); tries += 1) await sleep(50);
    for (const service of services) {
      const lines = outageLines(service);
      // The number of lines depends on the duration of the promotion.
      expect(lines.length).toBeGreaterThan(0);
      expect(shortestPauseMs(lines)).toBeGreaterThan(950);
    }
    const failures = outageLines(services[0]).map((line) => line.failures.internal_error ?? 0);
    const counted = failures.reduce((sum, count) => sum + count, 0);
    expect(counted).toBeGreaterThanOrEqual(requests.statuses.length);
    expect(services.map(({ child }) => child().log()).join()).not.toContain('"stack"');
  }, 60_000);

  /** Sends requests, one after the other, while the database is away. Returns status, code and Retry-After of each. */
  async function requestFor({ baseUrl }: Instance): Promise<{ statuses: string[] }> {
    const statuses: string[] = [];
    for (const until = Date.now() + OUTAGE_MS; Date.now() < until; await sleep(20)) {
      const answer = await fetch(`${baseUrl}/api/tenant/catalog`, { headers: { authorization } });
      const { code } = (await answer.json()) as { code?: string };
      // For a second the API answers from its cache.
      if (answer.status !== 200)
        statuses.push(`${answer.status} ${code} ${answer.headers.get('retry-after')}`);
    }
    return { statuses };
  }
}

const readyStatus = async ({ baseUrl }: Instance) => (await fetch(`${baseUrl}/readyz`)).status;

interface OutageLine {
  time: string;
  failures: Record<string, number>;
}

function outageLines({ child }: Instance): OutageLine[] {
  const lines = child()
    .log()
    .split('\n')
    .filter((line) => line.includes('"msg":"the database cannot be used, or no connection is free"'));
  return lines.map((line) => JSON.parse(line) as OutageLine);
}

function shortestPauseMs(lines: OutageLine[]): number {
  const times = lines.map(({ time }) => Date.parse(time));
  return Math.min(...times.slice(1).map((time, n) => time - times[n]!));
}
