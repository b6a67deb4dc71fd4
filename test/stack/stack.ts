import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openDatabase } from '../../services/platform/database/database';
import { joinEmbeddedPostgres } from '../../services/platform/embedded-postgres/embedded-postgres';
import { migrate } from '../../services/platform/migrate/migrate';
import { isListening } from '../support/free-ports';
import { PEPPER } from '../support/given';
import { type Child, startChild, untilReady } from './child';
import { lowPorts } from './low-ports';
import { type ProxyPorts, startNginx } from './nginx';
import { type PgBouncer, startPgBouncer } from './pgbouncer';
import { type Instance, startInstance } from './service';

/** The processes of docker/compose.yaml without containers. */
export interface Stack {
  /** URL of the proxy of the two APIs. */
  url: string;
  /** URL of the proxy of the two queues' monitoring pages. */
  monitorUrl: string;
  apis: Instance[];
  queues: Instance[];
  nginx: Child;
  pooler: PgBouncer;
  /** URL of PostgreSQL without the pooler, which the instances have as DATABASE_DIRECT_URL. */
  directUrl: string;
  /** URL of the pooler, which the instances have as DATABASE_URL. */
  databaseUrl: string;
  redisUrl: string;
  /** Logs and files of the processes. */
  dir: string;
  /** The environment of the services, for tourctl. */
  env: Record<string, string>;
  /** Stops all in the order of their dependencies, and deletes the files. */
  stop(): Promise<void>;
}

export interface StackOptions {
  /** A migrated database; without one an embedded PostgreSQL is started and migrated. */
  directUrl?: string;
  proxyPort?: number;
  /** Settings of every service. */
  env?: Record<string, string>;
  /** Lines of PgBouncer's ini file. */
  poolerSettings?: string[];
}

type Stops = (() => Promise<unknown>)[];

export async function startStack(options: StackOptions = {}): Promise<Stack> {
  const stops: Stops = [];
  const stop = async () => {
    for (let next = stops.pop(); next; next = stops.pop()) await next();
  };
  try {
    return { ...(await start(options, stops)), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function start(options: StackOptions, stops: Stops): Promise<Omit<Stack, 'stop'>> {
  const dir = mkdtempSync(path.join(tmpdir(), 'tour-platform-stack-'));
  // PostgreSQL, PgBouncer and nginx's workers run as other accounts when root runs this.
  chmodSync(dir, 0o755);
  stops.push(async () => rmSync(dir, { recursive: true, force: true }));
  const ports = await choosePorts(options.proxyPort);

  const directUrl = options.directUrl ?? (await ownDatabase(dir, stops));
  const redis = await startRedis(dir, ports.redis);
  stops.push(() => redis.stop());
  const pooler = await startPgBouncer(
    path.join(dir, 'pgbouncer'),
    ports.pooler,
    directUrl,
    options.poolerSettings,
  );
  // SIGTERM ends PgBouncer at once. Its clients have already stopped.
  stops.push(() => pooler.child.stop());
  const [databaseUrl, redisUrl] = [pooler.url(directUrl), `redis://127.0.0.1:${ports.redis}`];
  const url = `http://127.0.0.1:${ports.proxy}`;
  const env = {
    ...SECRETS,
    DATABASE_URL: databaseUrl,
    DATABASE_DIRECT_URL: directUrl,
    REDIS_URL: redisUrl,
    REPLICAS: '2',
    TRUST_PROXY: '1',
    PUBLIC_BASE_URL: url,
    ...options.env,
  };
  const { apis, queues } = await startInstances(dir, ports, env, stops);
  const nginx = await startNginx(path.join(dir, 'nginx'), ports);
  // Stops first, so that no more requests arrive.
  stops.push(() => nginx.stop('SIGQUIT'));
  const monitorUrl = `http://127.0.0.1:${ports.monitor}`;
  return { url, monitorUrl, apis, queues, nginx, pooler, directUrl, databaseUrl, redisUrl, dir, env };
}

/** Fixed secrets, because all data of a stack is deleted with it. */
const SECRETS = { SECRETS_KEY: 's'.repeat(32), CURSOR_KEY: 'c'.repeat(32), KEY_PEPPER: PEPPER };

async function ownDatabase(dir: string, stops: Stops): Promise<string> {
  const data = path.join(dir, 'data');
  mkdirSync(data, { mode: 0o755 });
  const server = await joinEmbeddedPostgres(data);
  stops.push(() => server.leave());
  const db = openDatabase(server.url, { applicationName: 'stack', poolMax: 2 });
  await migrate(db).finally(() => db.destroy());
  return server.url;
}

async function startRedis(dir: string, port: number): Promise<Child> {
  const child = startChild({
    name: 'Redis',
    program: 'redis-server',
    cwd: dir,
    args: ['--port', `${port}`, '--bind', '127.0.0.1', '--dir', dir, '--save', '', '--appendonly', 'no'],
    env: { PATH: '/usr/local/bin:/usr/bin:/bin' },
    logFile: path.join(dir, 'redis.log'),
  });
  await untilReady(child, 'Redis', () => isListening(port));
  return child;
}

async function startInstances(
  dir: string,
  { apis, queues, metrics }: Ports,
  env: Record<string, string>,
  stops: Stops,
): Promise<Pick<Stack, 'apis' | 'queues'>> {
  const metricsOf = (index: number) => ({ ...env, METRICS_PORT: `${metrics[index]}` });
  const starting = [
    ...apis.map((port, index) => startInstance('api', dir, port, metricsOf(index))),
    ...queues.map((port, index) => startInstance('webhook-queue', dir, port, metricsOf(index))),
  ];
  const settled = await Promise.allSettled(starting);
  const instances = settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  stops.push(() => Promise.all(instances.map((instance) => instance.stop())));
  // Reports the first failure.
  await Promise.all(starting);
  return { apis: instances.slice(0, apis.length), queues: instances.slice(apis.length) };
}

interface Ports extends ProxyPorts {
  pooler: number;
  redis: number;
  /** The metrics port of each API. The webhook queue beside the API uses the next port. */
  metrics: number[];
}

async function choosePorts(proxyPort: number | undefined): Promise<Ports> {
  const free = await lowPorts(12);
  const take = (count: number) => free.splice(0, count);
  const [proxy, monitor, pooler, redis] = take(4) as [number, number, number, number];
  const [apis, queues, metrics] = [take(2), take(2), take(4)];
  return {
    proxy: proxyPort ?? proxy,
    monitor,
    pooler,
    redis,
    apis,
    queues,
    metrics: [metrics[0]!, metrics[2]!],
  };
}
