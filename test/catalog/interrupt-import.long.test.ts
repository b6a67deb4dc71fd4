import { type ChildProcess, spawn } from 'node:child_process';
import path from 'node:path';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { departureEntry, importFiles, tourEntry, writeFiles } from './catalog-files';

const ENTRY = path.resolve(__dirname, '../../cli/tourctl.js');
const TOURS = 2000;
/** A limit for what hangs: an import of 40,000 departures takes half a minute on a busy machine. */
jest.setTimeout(180_000);

let database: TestDatabase;
beforeEach(async () => {
  database = await createTestDatabase();
});
afterEach(() => database.drop());

function tours(count: number): string {
  const departures = Array.from({ length: 20 }, (_, day) =>
    departureEntry({ departure_date: `2031-06-${String(day + 1).padStart(2, '0')}` }),
  );
  const lines = Array.from({ length: count }, (_, i) => tourEntry({ slug: `tour-${i}`, departures }));
  return lines.map((line) => JSON.stringify(line)).join('\n');
}

function tourctl(...args: string[]): ChildProcess {
  return spawn(ENTRY, args, {
    env: {
      PATH: process.env.PATH,
      DATABASE_URL: database.url,
      SECRETS_KEY: 's'.repeat(32),
      CURSOR_KEY: 'c'.repeat(32),
    },
    stdio: 'ignore',
  });
}

const ended = (child: ChildProcess) => new Promise((resolve) => child.on('close', resolve));

/** Waits until a terminal's session runs a matching statement. If `found` is false, waits until no session runs one. */
async function until(found: boolean, statement: string): Promise<void> {
  const sql =
    "select from pg_stat_activity where datname = current_database() and application_name = 'tourctl' and query ~ ?";
  while ((await database.db.raw(sql, [statement])).rows.length > 0 !== found) {
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

async function rows(): Promise<unknown> {
  const { rows } = await database.db.raw(
    `select (select count(*) from tours) as tours, (select count(*) from departures) as departures,
            (select count(*) from audit_log) as audits, (select count(*) from change_marks) as marks,
            (select count(*) from pg_class where relname like 'changed_%') as staged`,
  );
  return rows[0];
}

describe('Ctrl-C in an import', () => {
  it.each([
    ['the comparison', '^copy pg_temp'],
    ['the writing', 'insert into departures'],
  ])('Ctrl-C during %s leaves no row, and the next import works', async (_, statement) => {
    const [file] = writeFiles({ 'big.jsonl': tours(TOURS) });
    const importing = tourctl('catalog', 'import', file!);
    const code = ended(importing);
    await until(true, statement);
    importing.kill('SIGINT');
    expect(await code).toBe(130);
    await until(false, '');
    expect(await rows()).toEqual({ tours: 0, departures: 0, audits: 0, marks: 0, staged: 0 });
    const again = await importFiles(database.db, { 'few.jsonl': tours(3) });
    expect(again.tours.created).toBe(3);
  });
});
