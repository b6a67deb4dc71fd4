import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from '../../services/platform/database/database';
import type { Claim } from '../../services/webhook-queue/worker/claim.repository';
import { BREAKER } from '../../services/webhook-queue/worker/breaker';
import { unsent } from '../../services/webhook-queue/sending/send-webhook';
import { recordResults } from '../../services/webhook-queue/worker/results.repository';
import { showDelivery } from '../../services/webhook-queue/deliveries/find-deliveries';
import { useTestDatabase } from '../support/database';
import { LOAD_TYPESCRIPT } from '../support/service-entry';
import {
  add,
  book,
  claimNow,
  createTenant,
  deliveriesOf,
  eventually,
  startFastWorker,
  whenAll,
} from './queue-fixture';
import { type Receiver, startReceiver, status } from './receiver';

const database = useTestDatabase();
let db: Db;
let receiver: Receiver;
let tenantId: string;
let child: ChildProcess | undefined;

beforeAll(() => void (db = database.db));
beforeEach(async () => {
  [receiver, tenantId] = await Promise.all([startReceiver(), createTenant(db)]);
});
afterEach(() => {
  child?.kill('SIGKILL');
  return receiver.close();
});

describe('a worker', () => {
  it('another worker delivers after the lease of a killed worker, and the log has both attempts', async () => {
    receiver.react((response, n) => void (n > 1 && response.writeHead(204).end()));
    await add(db, tenantId, receiver.url);
    await book(db, tenantId);
    child = forkWorker(database.url, 1.5);
    await eventually('request in flight', () => receiver.received[0]);
    expect(await deliveriesOf(db, tenantId)).toMatchObject([{ status: 'delivering', attempts: 0 }]);
    child.kill('SIGKILL');
    await once(child, 'exit');

    const worker = startFastWorker(db);
    const [delivery] = await whenAll(db, tenantId, 'delivered');
    await worker.stop();
    const { tries, attempts } = await showDelivery(db, delivery!.id);
    expect(attempts).toBe(2);
    expect(tries.map(({ number, outcome }) => [number, outcome])).toEqual([
      [1, 'worker_lost'],
      [2, 'delivered'],
    ]);
    const [first, second] = receiver.received;
    expect(second!.body).toBe(first!.body);
    expect(second!.headers['webhook-id']).toBe(first!.headers['webhook-id']);
  });

  it('a result that a worker reports after its lease changes nothing', async () => {
    await add(db, tenantId, receiver.url);
    await book(db, tenantId);
    const [late] = await claimNow(db, { worker: 'frozen', leaseSeconds: 0.01 });
    await sleep(20);
    const [current] = await claimNow(db, { worker: 'other' });
    const report = { ...unsent({ outcome: 'delivered', reason: null }), statusCode: 200 };
    const next = { status: 'delivered', waitSeconds: 0, tries: 1 } as const;
    const record = async (delivery: Claim) => {
      const { taken } = await recordResults(db, [{ delivery, report, next, trips: false }], BREAKER);
      return [...taken];
    };

    expect(await record(late!)).toEqual([]);
    expect(await deliveriesOf(db, tenantId)).toMatchObject([{ status: 'delivering' }]);
    expect(await record(current!)).toEqual([current!.id]);
    expect(await deliveriesOf(db, tenantId)).toMatchObject([{ status: 'delivered', attempts: 2 }]);
  });

  it('a worker that stops waits for its requests, and releases a delivery whose request does not end', async () => {
    receiver.react((response, n) => {
      if (n === 1) setTimeout(() => response.writeHead(204).end(), 100);
    });
    await add(db, tenantId, receiver.url);
    await book(db, tenantId);
    const first = startFastWorker(db);
    await eventually('request in flight', () => receiver.received[0]);
    await first.stop(5000);
    expect(await deliveriesOf(db, tenantId)).toMatchObject([{ status: 'delivered' }]);

    await book(db, tenantId);
    const second = startFastWorker(db);
    await eventually('request in flight', () => receiver.received[1]);
    await second.stop(50);
    const [delivery] = await deliveriesOf(db, tenantId);
    expect(delivery).toMatchObject({ status: 'retrying', attempts: 1 });
    expect(await db('webhook_queue').where({ delivery_id: delivery!.id })).toMatchObject([
      { tries: 0, worker: null },
    ]);
  });

  it('three workers send each delivery exactly once', async () => {
    receiver.react(status(204));
    await add(db, tenantId, receiver.url);
    await add(db, tenantId, receiver.url);
    for (let i = 0; i < 50; i++) await book(db, tenantId);
    const workers = [startFastWorker(db), startFastWorker(db), startFastWorker(db)];
    await whenAll(db, tenantId, 'delivered', 100);
    await Promise.all(workers.map((worker) => worker.stop()));
    expect(receiver.received).toHaveLength(100);
  });

  it('a worker delivers even if the log already has an attempt with the next number', async () => {
    receiver.react(status(204));
    await add(db, tenantId, receiver.url);
    for (let i = 0; i < 30; i++) await book(db, tenantId);
    const [odd] = await deliveriesOf(db, tenantId);
    const [past, outcome] = [new Date(0), 'delivered'];
    const row = { delivery_id: odd!.id, number: 1, started_at: past, duration_ms: 1, outcome, worker: 'odd' };
    await db('webhook_attempts').insert(row);
    const worker = startFastWorker(db);
    await whenAll(db, tenantId, 'delivered', 30);
    await worker.stop();
    expect(await db('webhook_queue')).toEqual([]);
  });

  it('a worker keeps slots free for other endpoints while one endpoint hangs', async () => {
    receiver.react(
      (response, _n, request) => void (request.path === '/hook' && response.writeHead(204).end()),
    );
    await add(db, tenantId, new URL('/hangs', receiver.url).href, ['booking.cancelled']);
    await add(db, tenantId, receiver.url, ['booking.created']);
    for (let i = 0; i < 20; i++) await book(db, tenantId, 'booking.cancelled');
    await book(db, tenantId);
    const worker = startFastWorker(db, { slots: 8 });
    const hanging = () => receiver.received.filter(({ path: to }) => to === '/hangs');
    await eventually('healthy delivery', () => receiver.received.find(({ path: to }) => to === '/hook'));
    await eventually('limit reached', () => (hanging().length >= 4 ? true : undefined));
    await sleep(50);
    expect(hanging()).toHaveLength(4);
    await worker.stop(0);
  });
});

function forkWorker(url: string, leaseSeconds: number): ChildProcess {
  return fork(path.join(__dirname, 'worker-process.ts'), [url, String(leaseSeconds)], {
    execArgv: LOAD_TYPESCRIPT,
  });
}
