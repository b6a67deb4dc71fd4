/*
 * Measures time and memory of `tourctl catalog import`, and how both grow with the catalog. Uses the real entry point, on a
 * durable database: `npm run bench -- import`, or with other numbers of tours: `npm run bench -- import 2000 10000`.
 */
import { createWriteStream, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { openDatabase } from '../../services/platform/database/database';
import { joinEmbeddedPostgres } from '../../services/platform/embedded-postgres/embedded-postgres';
import { migrate } from '../../services/platform/migrate/migrate';
import { measureCommand } from './measure-command';

const SIZES = [2000, 100_000];
const DEPARTURES = 20;
const COLUMNS = ['what', 'tours', 'seconds', 's / 1,000 tours', 'peak MB'];

export async function measureImport(args: string[]): Promise<void> {
  const sizes = args.length > 0 ? args.map(Number) : SIZES;
  if (!sizes.every((size) => size > 0)) throw new Error('name numbers of tours');
  const directory = mkdtempSync(path.join(tmpdir(), 'bench-import-'));
  try {
    for (const size of sizes) {
      // Starts a server for each size, because the service's role may not create databases.
      const embedded = await joinEmbeddedPostgres(path.join(directory, `data-${size}`));
      await measure(size, directory, embedded.url).finally(() => embedded.leave());
    }
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function measure(tours: number, directory: string, database: string): Promise<void> {
  await migrateDatabase(database);
  const file = path.join(directory, `${tours}.json`);
  await pipeline(Readable.from(catalogText(tours, 0)), createWriteStream(file));
  const exported = path.join(directory, `${tours}-exported.json`);
  process.stdout.write(
    `${tours} tours x ${DEPARTURES} departures, ${(statSync(file).size / 1e6).toFixed(0)} MB of JSON\n`,
  );
  print(COLUMNS);
  const run = async (what: string, args: string[]) => {
    const { seconds, megabytes } = await measureCommand(args, directory, database);
    print([what, tours, seconds.toFixed(1), ((seconds * 1000) / tours).toFixed(3), megabytes.toFixed(0)]);
  };
  await run('first import', ['catalog', 'import', file]);
  await run('again, unchanged', ['catalog', 'import', file]);
  await pipeline(Readable.from(catalogText(tours, 10)), createWriteStream(file));
  await run('every tenth tour changed', ['catalog', 'import', file]);
  await run('export', ['catalog', 'export', '--out', exported]);
  // Each entry differs from the stored text, so all entries are read and compared.
  await run('import of the export', ['catalog', 'import', exported]);
}

async function migrateDatabase(url: string): Promise<void> {
  const db = openDatabase(url, { applicationName: 'bench', poolMax: 2 });
  await migrate(db);
  await db.destroy();
}

/** @param changed every nth tour has a higher price than before; 0: no tour */
function* catalogText(tours: number, changed: number): Generator<string> {
  for (let i = 0; i < tours; i++) {
    const price = 990 + (i % 500) + (changed > 0 && i % changed === 0 ? 10 : 0);
    yield `${i === 0 ? '[\n' : ',\n'}${JSON.stringify(tour(i, price))}`;
  }
  yield '\n]\n';
}

/** Returns about as much text as a demo tour has. */
function tour(i: number, price: number): object {
  const days = 3 + (i % 12);
  return {
    slug: `tour-${i}`,
    name: `Tour number ${i}, from hut to hut`,
    continent: ['europe', 'asia', 'africa', 'oceania', 'south-america'][i % 5],
    country: ['IT', 'NP', 'KE', 'NZ', 'PE'][i % 5],
    duration_days: days,
    currency: 'EUR',
    base_price: price,
    summary: 'A week on foot above the tree line, with a guide and a bed in a hut every night.',
    description: `Day by day along the ridge ${i}.\n\nNights in huts, food as the huts have it. `.repeat(5),
    image_url: `/covers/tour-${i}.svg`,
    images: [{ url: `/covers/tour-${i}.svg`, alt: 'A ridge in the evening' }],
    tags: ['walking', 'huts'],
    time_zone: 'Europe/Rome',
    languages: ['en', 'de'],
    start_location: { name: 'Bolzano', lat: 46.4983, lng: 11.3548 },
    itinerary: Array.from({ length: days }, (_, day) => ({ day: day + 1, title: `Stage ${day + 1}` })),
    inclusions: ['Guide', 'Beds in huts', 'Breakfast and dinner'],
    exclusions: ['Travel to the start'],
    cancellation_policy: 'Free until 30 days before departure; after that the full price is due.',
    departures: Array.from({ length: DEPARTURES }, (_, n) => ({
      departure_date: new Date(Date.UTC(2031, 0, 1 + 7 * n + (i % 7))).toISOString().slice(0, 10),
      seats_total: 12 + (n % 5),
      prices: { adult: price + n, single_supplement: 190.5 },
    })),
  };
}

function print(cells: (string | number)[]): void {
  process.stdout.write(
    `${cells.map((cell, i) => (i === 0 ? String(cell).padEnd(26) : String(cell).padStart(16))).join('')}\n`,
  );
}
