import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import type { SaleKind } from './load';
import type { BenchDatabase } from './stack';

const run = promisify(execFile);
const SCRIPTS = path.join(__dirname, 'pgbench');
const CLIENTS = [16, 64];

export interface PlainRate {
  perSecond: number;
  clients: number;
}

/**
 * Measures the bare transaction of a hold or booking on the same server, with prepared statements and one transaction for each sale.
 * Begins with empty tables, as the measurement of the API does.
 * @returns the better rate of 16 and 64 clients
 */
export async function measurePlain(
  database: BenchDatabase,
  kind: SaleKind,
  departures: number,
  seconds: number,
): Promise<PlainRate> {
  const rates: PlainRate[] = [];
  for (const clients of CLIENTS) {
    const output = await runPgbench(database, { kind, departures, seconds, clients });
    // A very busy machine may complete no transaction in the time.
    rates.push({ clients, perSecond: Number(/tps = ([\d.]+)/.exec(output)?.[1] ?? 0) });
  }
  const best = rates.reduce((best, one) => (one.perSecond > best.perSecond ? one : best));
  if (best.perSecond === 0) throw new Error('pgbench measured nothing');
  return best;
}

/** Measures the same transactions of one client. @returns the mean time of one, in milliseconds */
export async function measurePlainLatency(
  database: BenchDatabase,
  kind: SaleKind,
  departures: number,
  seconds: number,
): Promise<number> {
  const output = await runPgbench(database, { kind, departures, seconds, clients: 1 });
  const latency = Number(/latency average = ([\d.]+)/.exec(output)?.[1]);
  if (!(latency > 0)) throw new Error('pgbench measured nothing');
  return latency;
}

interface PgbenchRun {
  kind: SaleKind;
  departures: number;
  seconds: number;
  clients: number;
}

/** Runs pgbench on new tables, and returns its report. */
async function runPgbench({ db, url }: BenchDatabase, wanted: PgbenchRun): Promise<string> {
  await db.raw(readFileSync(path.join(SCRIPTS, 'schema.sql'), 'utf8'));
  const { hostname, port, username, password, pathname } = new URL(url);
  const { stdout } = await run(
    'pgbench',
    [
      '-n',
      '-h',
      hostname,
      '-p',
      port,
      '-U',
      username,
      '-M',
      'prepared',
      '-j',
      '1',
      '-c',
      `${wanted.clients}`,
      '-T',
      `${wanted.seconds}`,
      '-D',
      `departures=${wanted.departures}`,
      '-f',
      path.join(SCRIPTS, `${wanted.kind}.sql`),
      pathname.slice(1),
    ],
    { env: { ...process.env, PGPASSWORD: password } },
  );
  await db.raw('drop schema plain cascade');
  return stdout;
}
