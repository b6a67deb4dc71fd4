import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Db } from '../../services/platform/database/database';
import { type DeliveryDetail, showDelivery } from '../../services/webhook-queue/deliveries/find-deliveries';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { LOAD_TYPESCRIPT } from '../support/service-entry';
import { add, book, createTenant, deliveriesOf, eventually } from './queue-fixture';
import type { RawServer } from './raw-server';
import type { HostileReceiver } from './hostile-receivers/hostile-receiver';
import { BODIES } from './hostile-receivers/bodies';
import { HANG_UPS } from './hostile-receivers/hang-ups';
import { HEADS } from './hostile-receivers/heads';
import { AUTHORITY, TLS } from './hostile-receivers/tls';

const RECEIVERS: HostileReceiver[] = [...TLS, ...HEADS, ...BODIES, ...HANG_UPS];

let database: TestDatabase;
let db: Db;
let folder: string;
let worker: ChildProcess;
const servers: RawServer[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  db = database.db;
  folder = await mkdtemp(path.join(tmpdir(), 'hostile-receivers-'));
  const authority = path.join(folder, 'authority.pem');
  await writeFile(authority, AUTHORITY.cert);
  worker = fork(path.join(__dirname, 'hostile-receivers-worker.ts'), [database.url], {
    execArgv: LOAD_TYPESCRIPT,
    env: { ...process.env, NODE_EXTRA_CA_CERTS: authority },
  });
});
afterAll(async () => {
  worker.kill('SIGKILL');
  await once(worker, 'exit');
  await Promise.all([database.drop(), rm(folder, { recursive: true })]);
});

describe('a hostile receiver', () => {
  // Tests eight receivers at once. Each receiver has its own endpoint and tenant, so that no receiver delays another.
  const results = new Map<HostileReceiver, Promise<{ last: DeliveryDetail; server: RawServer }>>();
  beforeAll(() => {
    const queues: Promise<unknown>[] = Array.from({ length: 8 }, () => Promise.resolve());
    RECEIVERS.forEach((receiver, i) => {
      const met = queues[i % queues.length]!.then(() => deliverTo(receiver));
      results.set(receiver, met);
      queues[i % queues.length] = met.catch(() => undefined);
    });
  });
  afterAll(async () => {
    await Promise.allSettled(results.values());
    await Promise.all(servers.map((server) => server.close()));
  });

  it.each(RECEIVERS.map((receiver) => [receiver.name, receiver] as const))(
    'the log shows the outcome of an attempt at a receiver with %s',
    async (_name, receiver) => {
      const { last, server } = await results.get(receiver)!;
      expect(last.tries).toHaveLength(receiver.tries ?? 1);
      // The receiver closed a kept-alive connection. Such an attempt does not count, and the worker repeats it at once.
      expect(last.tries.slice(0, -1).every(({ outcome }) => outcome === 'hung_up')).toBe(true);
      const attempt = last.tries.at(-1);
      expect(attempt).toMatchObject(receiver.says);
      receiver.also?.(attempt!, server);
    },
  );

  it('no hostile receiver stops the worker', async () => {
    await Promise.all(results.values());
    expect([worker.exitCode, worker.signalCode]).toEqual([null, null]);
    const rows = await db('webhook_attempts').distinct('worker');
    expect(rows).toHaveLength(1);
  });
});

/** Sends the events one after another and returns the last delivery. */
async function deliverTo(receiver: HostileReceiver): Promise<{ last: DeliveryDetail; server: RawServer }> {
  const [tenantId, server] = await Promise.all([createTenant(db), receiver.open()]);
  servers.push(server);
  await add(db, tenantId, (receiver.url ?? ((port) => `http://127.0.0.1:${port}/hook`))(server.port));
  for (let n = 1; n <= (receiver.events ?? 1); n++) {
    await book(db, tenantId);
    await eventually(`${receiver.name}: ${n} finished`, async () => {
      const items = await deliveriesOf(db, tenantId);
      const finished = items.every(({ status }) => status === 'delivered' || status === 'dead');
      return items.length === n && finished ? true : undefined;
    });
  }
  const [item] = await deliveriesOf(db, tenantId);
  return { last: await showDelivery(db, item!.id), server };
}
