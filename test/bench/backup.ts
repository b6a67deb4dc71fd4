/*
 * Measures seconds, memory and size of `tourctl backup` and `restore`: `npm run bench -- backup`, or with other numbers of bookings:
 * `npm run bench -- backup 100000 500000`. A database has one ended hold and one delivery for every ten bookings.
 */
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openDatabase } from '../../services/platform/database/database';
import { migrate } from '../../services/platform/migrate/migrate';
import { fillLargeCatalog } from '../plans/large-catalog';
import { databaseUrl } from '../support/database';
import { startTemporaryPostgres } from '../support/temporary-postgres';
import { measureCommand } from './measure-command';

const SIZES = [100_000, 1_000_000, 5_000_000];
const COLUMNS = ['what', 'bookings', 'seconds', 'peak MB', 'file MB'];

export async function measureBackup(args: string[]): Promise<void> {
  const sizes = args.length > 0 ? args.map(Number) : SIZES;
  if (!sizes.every((size) => size > 0)) throw new Error('name numbers of bookings');
  const directory = mkdtempSync(path.join(tmpdir(), 'bench-backup-'));
  const server = await startTemporaryPostgres();
  try {
    print(COLUMNS);
    for (const size of sizes) await measure(size, directory, server.url);
  } finally {
    await server.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

async function measure(bookings: number, directory: string, server: string): Promise<void> {
  const [from, to] = [`backup_${bookings}`, `restore_${bookings}`];
  const admin = openDatabase(server, { applicationName: 'bench', poolMax: 1 });
  for (const name of [from, to]) await admin.raw('create database ??', [name]);
  const db = openDatabase(databaseUrl(server, from), { applicationName: 'bench', poolMax: 2 });
  await migrate(db);
  await fillLargeCatalog(db, {
    tours: 2000,
    departures: 20,
    tenants: 100,
    bookings,
    holds: 1000,
    deliveries: bookings / 10,
  });
  await db.destroy();
  const file = path.join(directory, `${bookings}.backup`);
  const run = async (what: string, args: string[], database: string) => {
    const { seconds, megabytes } = await measureCommand(args, directory, databaseUrl(server, database));
    const size = statSync(file).size / 1e6;
    print([what, bookings, seconds.toFixed(1), megabytes.toFixed(0), size.toFixed(0)]);
  };
  await run('backup', ['backup', '--out', file], from);
  await run('restore', ['restore', file], to);
  for (const name of [from, to]) await admin.raw('drop database ?? with (force)', [name]);
  await admin.destroy();
  rmSync(file);
}

function print(cells: (string | number)[]): void {
  process.stdout.write(`${cells.map((cell) => String(cell).padStart(12)).join('')}\n`);
}
