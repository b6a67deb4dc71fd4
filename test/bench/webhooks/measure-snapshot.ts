import type { Db } from '../../../services/platform/database/database';
import type { BenchServer } from './bench-server';
import { BODY } from './body';
import { now } from './contender';
import { type ConsumerProcess, startConsumer } from './processes';
import type { Queue } from './queue';
import { median, printTable } from '../table';

const { MINUTES = '3', JOBS = '20000' } = process.env;
const ENDPOINTS = 50;
/** Rounds before and after the snapshot. */
const FREE_MS = 20_000;
const THIRDS = ['first', 'middle', 'last'];

/** Duration of each round in seconds. */
type Rounds = number[];

/**
 * Runs rounds of no-op jobs while another transaction holds a snapshot. Vacuum can then remove no dead rows, and each claim and each
 * result adds some. One consumer runs all the time, as in production.
 */
export async function measureSnapshot({ queues, db, described }: BenchServer): Promise<void> {
  const { ours } = queues;
  await ours.clear();
  const consumer = startConsumer('ours', ours.url, { kind: 'no-op', jobs: Number(JOBS), rounds: Infinity });
  const during = (ms: number) => runRounds(ours, consumer, ms);
  await during(1);
  const before = await during(FREE_MS);
  const held = await holdingSnapshot(db, async () => {
    const rounds = await during(Number(MINUTES) * 60_000);
    return { rounds, dead: await deadRows(db) };
  });
  await db.raw('vacuum webhook_queue');
  const after = await during(FREE_MS);
  await consumer.stop();

  const size = Math.ceil(held.rounds.length / THIRDS.length);
  const thirds = THIRDS.map((_, i) => held.rounds.slice(i * size, (i + 1) * size));
  const slide = rate(thirds[2]!) / rate(thirds[1]!);
  printTable(
    `Jobs a second (no-op) while a snapshot is held open for ${MINUTES} min, in rounds of ${JOBS}. ` +
      `Last third / middle third: ${slide.toFixed(2)}, it ${slide < 0.9 ? 'slides' : 'settles'}; ${held.dead} dead rows at its end. ${described}`,
    ['', 'rounds', 'all jobs / all time', 'median round', 'slowest round'],
    [
      ['before', ...tell(before)],
      ...thirds.map((rounds, i) => [`held, ${THIRDS[i]} third`, ...tell(rounds)]),
      ['after it', ...tell(after)],
    ],
  );
}

/** Computes the rate over the whole time, because a median hides a round that stalls. */
function rate(rounds: Rounds): number {
  return (rounds.length * Number(JOBS)) / rounds.reduce((sum, seconds) => sum + seconds);
}

function tell(rounds: Rounds): number[] {
  const rates = [rate(rounds), Number(JOBS) / median(rounds), Number(JOBS) / Math.max(...rounds)];
  return [rounds.length, ...rates.map(Math.round)];
}

/** Measures from the commit of a round's jobs until the last job of the round has started. */
async function runRounds(queue: Queue, consumer: ConsumerProcess, ms: number): Promise<Rounds> {
  const urls = Array.from({ length: ENDPOINTS }, (_, i) => `http://127.0.0.1:20009/snapshot/${i}`);
  const rounds: Rounds = [];
  for (const until = now() + ms; now() < until;) {
    const ended = consumer.round();
    await queue.add(urls, Number(JOBS) / ENDPOINTS, BODY);
    const due = now();
    const { roundEndedAt } = await ended;
    rounds.push((roundEndedAt - due) / 1000);
    process.stderr.write(`round ${rounds.length}: ${Math.round(rate(rounds.slice(-1)))}/s\n`);
  }
  return rounds;
}

async function holdingSnapshot<T>(db: Db, work: () => Promise<T>): Promise<T> {
  const transaction = await db.transaction({ isolationLevel: 'repeatable read' });
  try {
    await transaction.raw('select count(*) from webhook_queue');
    return await work();
  } finally {
    await transaction.rollback();
  }
}

async function deadRows(db: Db): Promise<number> {
  const { rows } = await db.raw<{ rows: [{ dead: number }] }>(
    `select n_dead_tup as dead from pg_stat_user_tables where relname = 'webhook_queue'`,
  );
  return rows[0].dead;
}
