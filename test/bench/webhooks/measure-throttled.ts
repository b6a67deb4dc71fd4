import { setTimeout as sleep } from 'node:timers/promises';
import type { BenchServer } from './bench-server';
import { add, book, createTenant, startFastWorker } from '../../webhook-queue/queue-fixture';
import { startReceiver } from '../../webhook-queue/receiver';
import { printTable } from '../table';

const { RUNS = '20', DELIVERIES = '600', WORKERS = '1', BOOKING_EVERY_MS = '4' } = process.env;
/** Twenty attempts, so that no delivery ends as dead. The figures show the deliveries that ten attempts would not complete. */
const SCHEDULE = [0, 0.05, 0.1, 0.2, ...Array.from({ length: 16 }, () => 0.3)];
/** Ten attempts and the three uncounted refusals. */
const TRIES_OF_TEN = 13;

/** Measures the attempts of a delivery to a receiver that refuses every second request with 429. */
export async function measureThrottled({ db, described }: BenchServer): Promise<void> {
  const rows: (string | number)[][] = [];
  for (let run = 1; run <= Number(RUNS); run++) {
    const tries = await countTries(db);
    const share = (count: number) => `${((100 * count) / tries.length).toFixed(1)} %`;
    const first = share(tries.filter((count) => count === 1).length);
    rows.push([run, first, Math.max(...tries), tries.filter((count) => count > TRIES_OF_TEN).length]);
  }
  printTable(
    `${DELIVERIES} deliveries to a receiver that answers 429 to every second request, ${WORKERS} worker(s). ${described}`,
    ['run', 'delivered at the first try', 'most tries', `more than ${TRIES_OF_TEN}`],
    rows,
  );
}

/** @returns the number of attempts of each delivery in one run */
async function countTries(db: BenchServer['db']): Promise<number[]> {
  const receiver = await startReceiver();
  receiver.react((response, nth) => {
    const refused = nth % 2 === 1 ? { 'retry-after': nth % 4 === 1 ? '0' : '1' } : undefined;
    response.writeHead(refused ? 429 : 204, refused).end();
  });
  const tenantId = await createTenant(db);
  const { id } = await add(db, tenantId, receiver.url);
  const worker = { retryScheduleSeconds: SCHEDULE, pollMs: 250 };
  const workers = Array.from({ length: Number(WORKERS) }, () => startFastWorker(db, worker));
  for (let booked = 0; booked < Number(DELIVERIES); booked++) {
    await book(db, tenantId);
    await sleep(Number(BOOKING_EVERY_MS));
  }
  while (await db('webhook_queue').where({ endpoint_id: id }).first('delivery_id')) await sleep(50);
  await Promise.all(workers.map((one) => one.stop()));
  await receiver.close();
  return db('webhook_deliveries').where({ endpoint_id: id }).pluck<number[]>('attempts');
}
