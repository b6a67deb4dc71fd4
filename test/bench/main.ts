/*
 * Measures the product. `npm run bench` runs all comparisons except the long ones, and writes some rows to docs/benchmarks.md.
 * `npm run bench -- NAME` runs one comparison, and `npm run bench -- --help` lists the names. All figures of speed in this repository
 * come from here.
 */
import type { Instance } from '../stack/service';
import { measureApiProcesses } from './api-processes';
import { measureAuthorization } from './authorization';
import { measureBackup } from './backup';
import { measureEntryPoints } from './entry-points';
import { measureGroupCommit } from './group-commit';
import { measureHostileHeaders } from './hostile-headers';
import { measureHotDeparture } from './hot-departure';
import { measureBookingImport } from './import-bookings';
import { measureImport } from './import-catalog';
import { measureLockedDeparture } from './locked-departure';
import { measureLongLists } from './long-lists';
import { measureLone } from './lone';
import { measureOcto } from './octo';
import { measureOneKey } from './one-key';
import { measureReads } from './reads';
import { describeMachine, tableOf, writeSection } from './report';
import { measureResources } from './resources';
import { cellsOf, COLUMNS, type Row } from './row';
import { measureSales } from './sales';
import { measureScale } from './scale';
import { measureSeatsNet } from './seats-net';
import { measureSoak } from './soak';
import { type BenchStack, withStack } from './stack';
import { printTable } from './table';
import { measureWebhookJobs } from './webhooks/main';

/** Functions that measure rows of the table on one stack. */
const ROWS: Record<string, (stack: BenchStack, api: Instance) => Promise<Row[]>> = {
  reads: measureReads,
  lone: measureLone,
  holds: (stack, api) => measureSales(stack, api, 'hold'),
  bookings: (stack, api) => measureSales(stack, api, 'booking'),
  'locked-departure': measureLockedDeparture,
  'api-processes': measureApiProcesses,
  'webhook-jobs': measureWebhookJobs,
};

/** The rows that docs/benchmarks.md has. The terminal shows all rows. */
const PAGE_ROWS = [
  'read: tour',
  'read: catalog page of 24',
  'a single hold, p50',
  'holds: one departure, 256 connections',
  'holds: 500 departures, 256 connections',
  'bookings: 500 departures, 256 connections',
  'a hold while 200 requests wait for another departure',
  'memory with 1000 connections, 40 requests on each',
  'webhook jobs: POST, signed',
];

/** Measurements that run on their own and print their figures. */
const OTHERS: Record<string, (args: string[]) => Promise<void>> = {
  authorization: measureAuthorization,
  backup: measureBackup,
  'entry-points': measureEntryPoints,
  'group-commit': measureGroupCommit,
  'hot-departure': measureHotDeparture,
  'hostile-headers': measureHostileHeaders,
  import: measureImport,
  'import-bookings': measureBookingImport,
  'long-lists': measureLongLists,
  octo: measureOcto,
  'one-key': measureOneKey,
  resources: measureResources,
  scale: measureScale,
  'seats-net': measureSeatsNet,
  soak: measureSoak,
};

async function main([name, ...args]: string[]): Promise<void> {
  if (name === undefined) return measureAll();
  const rows = ROWS[name];
  if (rows) return print(await describeMachine(), await withStack(rows));
  const other = OTHERS[name];
  if (!other) throw new Error(`choose one of: ${[...Object.keys(ROWS), ...Object.keys(OTHERS)].join(', ')}`);
  await other(args);
}

async function measureAll(): Promise<void> {
  const begun = performance.now();
  const machine = await describeMachine();
  const rows = await withStack(async (stack, api) => {
    const measured: Row[] = [];
    for (const [name, measure] of Object.entries(ROWS)) {
      const rows = await measure(stack, api);
      print(name, rows);
      measured.push(...rows);
    }
    return measured;
  });
  const minutes = ((performance.now() - begun) / 60_000).toFixed(1);
  const text = `\`npm run bench\`: ${machine}; ${minutes} minutes.`;
  process.stdout.write(`\n${text}\n`);
  await writeSection('Side by side', `${text}\n\n${tableOf(rows, PAGE_ROWS)}`);
}

function print(title: string, rows: Row[]): void {
  printTable(title, COLUMNS, rows.map(cellsOf));
}

main(process.argv.slice(2)).catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
