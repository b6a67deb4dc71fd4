/*
 * Runs a steady mixed rate of reads, holds, bookings, confirmations and webhooks for MINUTES (default 30): `npm run lab -- soak`. Shows each
 * minute's memory, handles, connections, table sizes and response times, and whether they stay flat. Writes some of them to
 * docs/benchmarks.md.
 */
import { readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Instance } from '../stack/service';
import { residentMiB } from './cpu-time';
import { describeMachine, markdownTable, writeSection } from './report';
import { rounded } from './row';
import { startMixedLoad, type MixedLoad } from './mixed-load';
import { addReceiver, type BenchStack, withStack } from './stack';
import { percentile, printTable } from './table';

const MINUTES = Number(process.env.MINUTES ?? 30);
/** Requests a second. */
const RATE = Number(process.env.RATE ?? 100);

/** The figures of one minute by name; the last ones are compared with the middle ones. */
type Sample = Record<keyof typeof FIGURES, number>;

/**
 * The highest growth in the second half of the run for which a figure still counts as flat, as a share. Null: the figure grows with
 * each booking.
 */
const FIGURES = {
  'API MiB': 0.1,
  'queue MiB': 0.1,
  'API handles': 0.1,
  'queue handles': 0.1,
  'database connections': 0.1,
  'p50 ms': 0.25,
  'p99 ms': 0.5,
  'queue table MiB': 0.25,
  'bytes a booking': 0.1,
  'bytes of indexes a booking': 0.1,
  'database MiB': null,
} satisfies Record<string, number | null>;

/** The figures that docs/benchmarks.md has. The terminal shows all figures. */
const PAGE_FIGURES: (keyof Sample)[] = ['API MiB', 'queue MiB', 'p99 ms'];

export async function measureSoak(): Promise<void> {
  const machine = await describeMachine();
  await withStack(async (stack, api) => {
    const receiver = await startReceiver();
    await addReceiver(stack, `${receiver.url}/hook`);
    const queue = await stack.start('webhook-queue');
    const load = startMixedLoad(stack, api.baseUrl, RATE);
    const samples: Sample[] = [];
    for (let minute = 1; minute <= MINUTES; minute++) {
      await sleep(60_000);
      samples.push(await sampleOf(stack, api, queue, load));
      const line = Object.entries(samples.at(-1)!).map(([name, value]) => `${name} ${rounded(value)}`);
      process.stderr.write(`minute ${minute}: ${line.join(', ')}\n`);
    }
    await load.stop();
    await sleep(5000);
    const { sent, bookings, confirmed, refused } = load;
    const summary =
      `${sent} requests in ${MINUTES} minutes (${RATE} per second): ${bookings} bookings, ${confirmed} confirmations, ` +
      `${receiver.received()} webhooks received, ${refused.length} refused or failed${refused.length > 0 ? ` (${refused[0]})` : ''}`;
    receiver.stop();
    await report(machine, summary, samples);
    if (refused.length > 0) process.exitCode = 1;
  });
}

async function sampleOf(stack: BenchStack, api: Instance, queue: Instance, load: MixedLoad): Promise<Sample> {
  const { db } = stack;
  const { rows } = await db.raw<{ rows: [Record<string, string>] }>(
    `select (select count(*) from pg_stat_activity where datname = current_database()) as connections,
       pg_total_relation_size('webhook_queue') as queue_table, pg_database_size(current_database()) as database,
       pg_table_size('booking_leads') as leads, pg_indexes_size('booking_leads') as indexes`,
  );
  const sizes = Object.fromEntries(Object.entries(rows[0]).map(([name, value]) => [name, Number(value)]));
  const [apiPid, queuePid] = [api.child().pid, queue.child().pid];
  const times = load.takeTimes();
  return {
    'API MiB': residentMiB(apiPid),
    'queue MiB': residentMiB(queuePid),
    'API handles': handles(apiPid),
    'queue handles': handles(queuePid),
    'database connections': sizes.connections!,
    'p50 ms': percentile(times, 0.5),
    'p99 ms': percentile(times, 0.99),
    'queue table MiB': sizes.queueTable! / 2 ** 20,
    'bytes a booking': sizes.leads! / load.bookings,
    'bytes of indexes a booking': sizes.indexes! / load.bookings,
    'database MiB': sizes.database! / 2 ** 20,
  };
}

/** Counts the open files and sockets of a process of this machine. */
function handles(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}

async function report(machine: string, summary: string, samples: Sample[]): Promise<void> {
  const names = Object.keys(FIGURES) as (keyof Sample)[];
  const later = samples.slice(Math.floor(samples.length / 2));
  const verdicts = names.map((name) => {
    const { mean, slope } = trend(later.map((sample) => sample[name]));
    const allowed = FIGURES[name];
    const growth = (slope * later.length) / mean;
    const [limit, verdict] = judgeGrowth(growth, allowed);
    return [name, rounded(mean), `${(growth * 100).toFixed(1)} %`, limit, verdict];
  });
  const head = ['second half', 'mean', 'growth', 'allowed', 'verdict'];
  printTable(summary, head, verdicts);
  const onThePage = verdicts.filter((_, n) => PAGE_FIGURES.includes(names[n]!));
  const table = markdownTable(head, onThePage);
  await writeSection('Soak', `\`npm run lab -- soak\`: ${machine}.\n\n${summary}.\n\n${table}`);
}

/** Compares a figure's growth with the allowed growth. Null allows any growth. */
function judgeGrowth(growth: number, allowed: number | null): [limit: string, verdict: string] {
  if (allowed === null) return ['', 'grows with the bookings'];
  return [`≤ ${allowed * 100} %`, growth <= allowed ? 'flat' : 'grows'];
}

/** Fits a line by least squares. @returns the mean, and the slope for one step */
function trend(values: number[]): { mean: number; slope: number } {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const middle = (values.length - 1) / 2;
  const spread = values.reduce((sum, _, n) => sum + (n - middle) ** 2, 0);
  const covariance = values.reduce((sum, value, n) => sum + (n - middle) * (value - mean), 0);
  return { mean, slope: spread === 0 ? 0 : covariance / spread };
}

async function startReceiver(): Promise<{ url: string; received(): number; stop(): void }> {
  let count = 0;
  const server = createServer((request, response) => {
    request.resume().once('end', () => {
      count++;
      response.writeHead(204).end();
    });
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  const stop = () => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${port}`, received: () => count, stop };
}
