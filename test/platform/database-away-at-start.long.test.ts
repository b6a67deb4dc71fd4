import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { useTestDatabase } from '../support/database';
import { freePorts } from '../support/free-ports';
import { SERVICE_ENTRY } from '../support/service-entry';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy';

type Service = keyof typeof SERVICE_ENTRY;

interface Started {
  child: ChildProcess;
  /** Undefined while the port is closed. */
  readyz(): Promise<{ status: number; reason?: string } | undefined>;
  /** The lines of the log about the database. */
  outages(): string[];
}

/** Longer than the pause between two attempts. */
const WATCH_MS = 1500;
const KEY = 'k'.repeat(32);
const ROLE = `late_${process.pid}`;
/** An ErrorResponse of PostgreSQL's protocol: severity, SQLSTATE, message. */
const STARTING_UP = errorResponse('SFATAL\0C57P03\0Mthe database system is starting up\0\0');

const database = useTestDatabase();
let proxy: TcpProxy | undefined;
let started: Started | undefined;

afterEach(async () => {
  started?.child.kill('SIGKILL');
  await proxy?.stop();
  await database.db.raw('drop role if exists ??', [ROLE]);
});

/** Functions that make the database unusable. Each returns the URL, and a function that restores the database. */
const obstacles: Record<string, () => Promise<{ url: string; restore: () => unknown }>> = {
  'listens on no port yet': async () => {
    const [port] = await freePorts();
    return {
      url: urlAt(port),
      restore: async () => (proxy = await startTcpProxy(portOf(database.url), port)),
    };
  },
  'closes each connection': () => throughProxy((fault) => fault.refuse()),
  'accepts connections and says nothing': () => throughProxy((fault) => fault.hang()),
  'is starting up': () => throughProxy((fault) => fault.answerWith(STARTING_UP)),
  'refuses the password': async () => {
    const owner = new URL(database.url).username;
    await database.db.raw(`create role ?? login password 'another one' in role ??`, [ROLE, owner]);
    const url = new URL(database.url);
    url.username = ROLE;
    url.password = 'wrong';
    const restore = () => database.db.raw(`alter role ?? password 'wrong'`, [ROLE]);
    return { url: url.href, restore };
  },
};

async function throughProxy(
  begin: (proxy: TcpProxy) => void,
): Promise<{ url: string; restore: () => unknown }> {
  const fault = (proxy = await startTcpProxy(portOf(database.url)));
  begin(fault);
  return { url: urlAt(fault.port), restore: () => fault.resume() };
}

describe.each(['api', 'webhook-queue'] as const)('the start of the %s', (service) => {
  it.each(Object.keys(obstacles))(
    'a service waits while the database %s, logs the reason, and becomes ready afterwards',
    async (name) => {
      const { url, restore } = await obstacles[name]!();
      const running = (started = await start(service, url));
      while (running.outages().length === 0 || (await running.readyz()) === undefined) {
        expect(running.child.exitCode).toBeNull();
        await sleep(50);
      }
      await sleep(WATCH_MS);
      expect(running.child.exitCode).toBeNull();
      expect(await running.readyz()).toEqual({ status: 503, reason: 'database does not answer' });
      expect(running.outages().join()).not.toContain('stack');

      await restore();
      while ((await running.readyz())?.status !== 200) await sleep(50);
      running.child.kill('SIGTERM');
      expect(await once(running.child, 'exit')).toEqual([0, null]);
    },
  );
});

function urlAt(port: number): string {
  const url = new URL(database.url);
  url.port = String(port);
  return url.href;
}

function portOf(url: string): number {
  return Number(new URL(url).port);
}

function errorResponse(fields: string): string {
  const length = Buffer.alloc(4);
  length.writeInt32BE(4 + fields.length);
  return `E${length.toString('latin1')}${fields}`;
}

async function start(service: Service, url: string): Promise<Started> {
  const [api, queue, metrics] = await freePorts();
  const child = spawn(process.execPath, [SERVICE_ENTRY[service]], {
    cwd: path.resolve(__dirname, '../..'),
    env: {
      PATH: process.env.PATH,
      DATABASE_URL: url,
      API_PORT: `${api}`,
      WEBHOOK_QUEUE_PORT: `${queue}`,
      METRICS_PORT: `${metrics}`,
      SECRETS_KEY: KEY,
      CURSOR_KEY: KEY,
      KEY_PEPPER: KEY,
    },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  return {
    child,
    async readyz() {
      const address = `http://127.0.0.1:${service === 'api' ? api : queue}/readyz`;
      const response = await fetch(address).catch(() => undefined);
      if (!response) return undefined;
      const { reason } = (await response.json()) as { reason?: string };
      return { status: response.status, reason };
    },
    outages: () =>
      output
        .split('\n')
        .filter((line) =>
          /"msg":"(the database cannot be used, or no connection is free|waiting for the database)"/.test(
            line,
          ),
        ),
  };
}
