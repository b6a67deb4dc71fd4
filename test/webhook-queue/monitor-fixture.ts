import { randomUUID } from 'node:crypto';
import { Writable } from 'node:stream';
import pino from 'pino';
import supertest, { type Response } from 'supertest';
import type { TrustProxy } from '../../services/platform/config/variables';
import { type Db, inTransaction, openDatabase } from '../../services/platform/database/database';
import { createMonitorLink } from '../../services/webhook-queue/monitor/session';
import { startQueueServer, type QueueServer } from '../../services/webhook-queue/queue-server';
import { createTestDatabase } from '../support/database';
import { urlAs } from '../support/database-roles';
import { preparedBeforeAll } from '../support/prepared';
import { SECRETS_KEY } from './queue-fixture';

export const OPERATOR = { operator: 'olga', host: 'desk-1' };

export interface TestMonitor {
  /** The connections of the test. The page has its own, with the rights of the queue. */
  db: Db;
  url: string;
  http: ReturnType<typeof supertest>;
  server: QueueServer;
  /** Returns the log so far. */
  logged(): string;
  /** Creates a link like `tourctl monitor`. */
  newLink(): Promise<string>;
  signIn(): Promise<Browser>;
  /** Stops the page; health checks continue. */
  closeMonitor(): Promise<void>;
  stop(): Promise<void>;
}

/** A signed-in operator with a browser's headers. */
export interface Browser {
  /** The whole Cookie header. */
  cookie: string;
  csrf: string;
  get(path: string): supertest.Test;
  /** Sends a form of the page with its CSRF token. */
  post(path: string, fields?: Record<string, string>): supertest.Test;
}

interface Settings {
  trustProxy?: TrustProxy;
  heartbeatMs?: number;
}

/** Starts the monitoring page before the tests of a file or block, and stops it after them. See startTestMonitor. */
export function useTestMonitor(settings?: Settings): TestMonitor {
  const monitor = preparedBeforeAll(() => startTestMonitor(settings));
  afterAll(() => monitor.stop?.());
  return monitor;
}

/** Starts the queue's server with the monitoring page on its own database. */
export async function startTestMonitor({
  trustProxy = false,
  heartbeatMs,
}: Settings = {}): Promise<TestMonitor> {
  const database = await createTestDatabase();
  const { db } = database;
  const ofQueue = openDatabase(urlAs('tour_platform_queue', database.url), { applicationName: 'tests' });
  let text = '';
  const lines = new Writable({
    write(chunk: Buffer, _encoding, done) {
      text += chunk.toString();
      done();
    },
  });
  const server = await startQueueServer({
    host: '127.0.0.1',
    port: 0,
    trustProxy,
    log: pino({ level: 'trace' }, lines),
    whyNotReady: () => Promise.resolve(undefined),
  });
  const closeMonitor = server.openMonitor({ db: ofQueue, secretsKey: SECRETS_KEY, heartbeatMs });
  const http = supertest(server.url);
  const newLink = () => inTransaction(db, async (trx) => (await createMonitorLink(trx, OPERATOR)).token);
  return {
    db,
    url: server.url,
    http,
    server,
    logged: () => text,
    newLink,
    signIn: async () => browse(http, cookieOf(await http.post(`/sign-in/${await newLink()}`).expect(303))),
    closeMonitor,
    stop: async () => {
      await closeMonitor();
      await server.close();
      await ofQueue.destroy();
      await database.drop();
    },
  };
}

async function browse(http: TestMonitor['http'], cookie: string): Promise<Browser> {
  const { text } = await http.get('/').set('Cookie', cookie).expect(200);
  const csrf = /name="csrf" value="([^"]+)"/.exec(text)?.[1];
  if (!csrf) throw new Error('the page holds no form');
  return {
    cookie,
    csrf,
    get: (path) => http.get(path).set('Cookie', cookie),
    post: (path, fields = {}) =>
      http
        .post(path)
        .set('Cookie', cookie)
        .set('Sec-Fetch-Site', 'same-origin')
        .type('form')
        .send({ csrf, ...fields }),
  };
}

/** Returns the cookies of the answer, as the next request sends them. */
export function cookieOf(response: Response, name = 'monitor_session'): string {
  const set = setCookies(response).find((line) => line.startsWith(`${name}=`));
  if (!set) throw new Error(`no cookie ${name} was set`);
  return set.split(';')[0]!;
}

export function setCookies(response: Response): string[] {
  return (response.headers['set-cookie'] as unknown as string[] | undefined) ?? [];
}

/** Returns the path of a route, with an id in place of each parameter. */
export function pathOf(route: { path: string }, id: string = randomUUID()): string {
  return route.path.replace(':id', id).replace(':token', 'A'.repeat(43));
}

export interface AuditRow {
  actor: string;
  host: string;
  action: string;
  tenantId: string | null;
  subject: string | null;
  before: unknown;
  after: unknown;
}

/** Returns the audit rows, newest last. Leaves out the rows of signing in. */
export async function auditRows(db: Db): Promise<AuditRow[]> {
  return db('audit_log').whereNot('action', 'like', 'monitor.%').orderBy('id').select<AuditRow[]>();
}
