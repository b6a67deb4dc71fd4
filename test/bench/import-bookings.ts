/*
 * Measures time and memory of `tourctl booking import` and of its undo. Uses the real entry point, on a durable database:
 * `npm run bench -- import-bookings`, or with other numbers of rows: `npm run bench -- import-bookings 2000 50000`.
 */
import { createWriteStream, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { measureCommand } from './measure-command';
import { type BenchDatabase, withDatabase } from './stack';
import { printTable } from './table';

const SIZES = [2000, 50_000];
const TOURS = 50;
const DEPARTURES = 20;
const COLUMNS = ['what', 'rows', 'seconds', 's / 1,000 rows', 'peak MiB'];
const TENANT = 'moving';

export async function measureBookingImport(args: string[]): Promise<void> {
  const sizes = args.length > 0 ? args.map(Number) : SIZES;
  if (!sizes.every((size) => size > 0)) throw new Error('name numbers of rows');
  for (const size of sizes) await withDatabase((database) => measure(size, database));
}

async function measure(rows: number, { db, url, directory }: BenchDatabase): Promise<void> {
  const lines: string[][] = [];
  const run = async (what: string, args: string[]) => {
    const { seconds, megabytes } = await measureCommand(args, directory, url);
    const cells = [
      what,
      rows,
      seconds.toFixed(1),
      ((seconds * 1000) / rows).toFixed(2),
      megabytes.toFixed(0),
    ];
    lines.push(cells.map(String));
  };
  const catalog = path.join(directory, 'catalog.json');
  writeFileSync(catalog, JSON.stringify(catalogFor(rows)));
  const file = path.join(directory, 'bookings.csv');
  await pipeline(Readable.from(csvOf(rows)), createWriteStream(file));
  const grouped = path.join(directory, 'travellers.csv');
  await pipeline(Readable.from(travellersOf(rows)), createWriteStream(grouped));
  const map = path.join(directory, 'map.json');
  writeFileSync(map, JSON.stringify({ grouped: true, columns: { category: 'party' } }));
  await measureCommand(['catalog', 'import', catalog], directory, url);
  await measureCommand(['tenant', 'create', '--slug', TENANT, '--name', 'Moving', '--yes'], directory, url);
  const load = ['booking', 'import', file, '--tenant', TENANT, '--yes'];
  await run('check (--dry-run)', [...load, '--dry-run']);
  await run('check, a row a traveller', [
    'booking',
    'import',
    grouped,
    '--tenant',
    TENANT,
    '--map',
    map,
    '--dry-run',
  ]);
  await run('import', load);
  await run('again, all equal', load);
  const [id] = await db('booking_imports').pluck<string[]>('id');
  await run('undo', ['booking', 'import', '--undo', id!, '--yes']);
  printTable(`bookings of ${TOURS * DEPARTURES} departures`, COLUMNS, lines);
}

/** Returns tours whose departures have seats for the rows. */
function catalogFor(rows: number): object[] {
  const seats = Math.ceil((rows * 2) / (TOURS * DEPARTURES)) + 2;
  return Array.from({ length: TOURS }, (_, i) => ({
    slug: `tour-${i}`,
    name: `Tour number ${i}`,
    continent: 'europe',
    country: 'IT',
    duration_days: 1,
    currency: 'EUR',
    base_price: 45,
    summary: 'A day on foot above the tree line.',
    time_zone: 'Europe/Rome',
    departures: Array.from({ length: DEPARTURES }, (_, n) => ({
      departure_date: dateOf(n),
      seats_total: seats,
      prices: { adult: 45 },
    })),
  }));
}

const dateOf = (n: number) => new Date(Date.UTC(2031, 0, 1 + 7 * n)).toISOString().slice(0, 10);

function* csvOf(rows: number): Generator<string> {
  yield 'external_ref,tour,departure_date,adults,name,phone,email,total,created_at,notes\n';
  for (let i = 0; i < rows; i++) yield `${placeOf(i)},2,${personOf(i)}\n`;
}

/** Yields a row for each of two travellers of a booking. */
function* travellersOf(rows: number): Generator<string> {
  yield 'external_ref,tour,departure_date,category,name,phone,email,total,created_at,notes\n';
  for (let i = 0; i < rows; i++) yield `${placeOf(i >> 1)},adult,${personOf(i >> 1)}\n`;
}

const placeOf = (i: number) => `old-${i},tour-${i % TOURS},${dateOf(Math.floor(i / TOURS) % DEPARTURES)}`;

const personOf = (i: number) =>
  `Ana Lima ${i},+49 30 9018${String(i).padStart(5, '0')},ana${i}@example.org,${80 + (i % 20)}.50,2026-05-01T10:00:00Z,A seat at the window`;
