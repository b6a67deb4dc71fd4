import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Db } from '../../services/platform/database';
import { showDelivery, type DeliveryDetail } from '../../services/webhook-queue/operations';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { add, book, createTenant, deliveriesOf, eventually } from './queue-fixture';
import type { RawServer } from './raw-server';
import type { Animal } from './zoo/animal';
import { BODIES } from './zoo/bodies';
import { HANG_UPS } from './zoo/hang-ups';
import { HEADS } from './zoo/heads';
import { AUTHORITY, TLS } from './zoo/tls';

const ANIMALS: Animal[] = [...TLS, ...HEADS, ...BODIES, ...HANG_UPS];

let database: TestDatabase;
let db: Db;
let folder: string;
let worker: ChildProcess;
const servers: RawServer[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  db = database.db;
  folder = await mkdtemp(path.join(tmpdir(), 'zoo-'));
  const authority = path.join(folder, 'authority.pem');
  await writeFile(authority, AUTHORITY.cert);
  worker = fork(path.join(__dirname, 'zoo-worker.ts'), [database.url], {
    execArgv: ['--import', 'tsx'],
    env: { ...process.env, NODE_EXTRA_CA_CERTS: authority },
  });
});
afterAll(async () => {
  worker.kill('SIGKILL');
  await once(worker, 'exit');
  await Promise.all([database.drop(), rm(folder, { recursive: true })]);
});

describe('a receiver that answers with', () => {
  // A few at once: each has an endpoint and a tenant of its own, and none may disturb another.
  const met = new Map<Animal, Promise<{ last: DeliveryDetail; server: RawServer }>>();
  beforeAll(() => {
    const cages: Promise<unknown>[] = Array.from({ length: 8 }, () => Promise.resolve());
    ANIMALS.forEach((animal, i) => {
      const visit = cages[i % cages.length]!.then(() => meet(animal));
      met.set(animal, visit);
      cages[i % cages.length] = visit.catch(() => undefined);
    });
  });
  afterAll(async () => {
    await Promise.allSettled(met.values());
    await Promise.all(servers.map((server) => server.close()));
  });

  it.each(ANIMALS.map((animal) => [animal.name, animal] as const))('%s', async (_name, animal) => {
    const { last, server } = await met.get(animal)!;
    expect(last.tries).toHaveLength(animal.tries ?? 1);
    // A kept connection that had closed spends no try, and is followed at once.
    expect(last.tries.slice(0, -1).every(({ outcome }) => outcome === 'hung_up')).toBe(true);
    const attempt = last.tries.at(-1);
    expect(attempt).toMatchObject(animal.says);
    animal.also?.(attempt!, server);
  });

  it('leaves the worker as it was', async () => {
    await Promise.all(met.values());
    expect([worker.exitCode, worker.signalCode]).toEqual([null, null]);
    const rows = await db('webhook_attempts').distinct('worker');
    expect(rows).toHaveLength(1);
  });
});

/** Sends it its events one after the other, and gives the last delivery. */
async function meet(animal: Animal): Promise<{ last: DeliveryDetail; server: RawServer }> {
  const [tenantId, server] = await Promise.all([createTenant(db), animal.open()]);
  servers.push(server);
  await add(db, tenantId, (animal.url ?? ((port) => `http://127.0.0.1:${port}/hook`))(server.port));
  for (let n = 1; n <= (animal.events ?? 1); n++) {
    await book(db, tenantId);
    await eventually(`${animal.name}: ${n} finished`, async () => {
      const items = await deliveriesOf(db, tenantId);
      const finished = items.every(({ status }) => status === 'delivered' || status === 'dead');
      return items.length === n && finished ? true : undefined;
    });
  }
  const [item] = await deliveriesOf(db, tenantId);
  return { last: await showDelivery(db, item!.id), server };
}
