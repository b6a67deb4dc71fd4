import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describeWith } from './describe-with';
import { freePorts } from './free-ports';

/** Declares a suite that needs a real Redis. */
export function describeWithRedis(title: string, suite: () => void): void {
  describeWith('redis-server', title, suite);
}

export interface TestRedis {
  port: number;
  /** redis://… */
  url: string;
  /** Sends SIGSTOP: connections are accepted and get no answer. */
  hang(): void;
  wake(): void;
  /** Sends SIGKILL; the data is lost. */
  kill(): Promise<void>;
  /** Starts the killed server again on the same port, without data. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

const started = new Set<ChildProcess>();
const folders: string[] = [];

/** Stops all servers of this file, for afterEach or afterAll. */
export async function stopRedisServers(): Promise<void> {
  await Promise.all([...started].map(end));
  await Promise.all(folders.splice(0).map((dir) => rm(dir, { recursive: true, force: true })));
}

/** Starts a redis-server that writes nothing to disk. @param settings command line arguments */
export async function startRedis(settings: string[] = []): Promise<TestRedis> {
  const [port] = await freePorts();
  const dir = await makeFolder();
  const common = ['--port', `${port}`, '--bind', '127.0.0.1', '--dir', dir];
  const start = () => launch([...common, '--save', '', '--appendonly', 'no', ...settings]);
  let server = await start();
  const kill = () => end(server);
  return {
    port,
    url: `redis://127.0.0.1:${port}`,
    hang: () => void server.kill('SIGSTOP'),
    wake: () => void server.kill('SIGCONT'),
    kill,
    restart: async () => void (server = await start()),
    stop: kill,
  };
}

/** Starts one sentinel that does the failover of `master`. */
export async function startSentinel(master: TestRedis): Promise<{ port: number; stop(): Promise<void> }> {
  const [port] = await freePorts();
  const dir = await makeFolder();
  const file = path.join(dir, 'sentinel.conf');
  const lines = [
    `port ${port}`,
    'bind 127.0.0.1',
    `dir ${dir}`,
    `sentinel monitor tours 127.0.0.1 ${master.port} 1`,
    'sentinel down-after-milliseconds tours 400',
    'sentinel failover-timeout tours 2000',
  ];
  await writeFile(file, lines.join('\n'));
  const sentinel = await launch([file, '--sentinel'], 'Sentinel ID is');
  return {
    port,
    stop: () => end(sentinel),
  };
}

async function makeFolder(): Promise<string> {
  const dir = await mkdtemp(path.join(tmpdir(), 'test-redis-'));
  folders.push(dir);
  return dir;
}

async function launch(args: string[], sign = 'Ready to accept connections'): Promise<ChildProcess> {
  const server = spawn('redis-server', args, { stdio: ['ignore', 'pipe', 'ignore'] });
  started.add(server);
  let said = '';
  await new Promise<void>((resolve, reject) => {
    server.once('exit', () => reject(new Error(`redis-server did not start: ${said}`)));
    server.once('error', reject);
    server.stdout.on('data', (chunk: Buffer) => {
      said += chunk.toString();
      if (said.includes(sign)) resolve();
    });
  });
  return server;
}

async function end(server: ChildProcess): Promise<void> {
  started.delete(server);
  if (server.exitCode !== null || server.signalCode !== null) return;
  server.kill('SIGKILL');
  await once(server, 'exit');
}
