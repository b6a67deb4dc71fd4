import { createTestDatabase, type TestDatabase } from '../support/database';
import { PEPPER } from '../support/given';
import type { Db } from '../../services/platform/database/database';
import { openTestTerminal, type TestTerminal } from '../cli/terminal';

/** A database without any table. */
const WITHOUT_SCHEMA = 'template0';
const SETTINGS = { KEY_PEPPER: PEPPER };

/** Databases and terminals that are dropped together. */
export interface Installations {
  /** Opens a terminal on a migrated, empty database. */
  migrated(settings?: Record<string, string>): Promise<TestTerminal>;
  /** Opens a terminal on a database without our tables. */
  bare(settings?: Record<string, string>): Promise<TestTerminal>;
  /** Creates a database without our tables. */
  bareDatabase(): Promise<TestDatabase>;
}

/** Drops the databases after the tests of a file or block. */
export function useInstallations(): Installations {
  const opened: TestDatabase[] = [];
  const keep = async <T extends TestDatabase>(opening: Promise<T>) => {
    const database = await opening;
    opened.push(database);
    return database;
  };
  afterAll(async () => {
    for (const database of opened) await database.drop();
  });
  return {
    migrated: (settings) => keep(openTestTerminal({ ...SETTINGS, ...settings })),
    bare: (settings) => keep(openTestTerminal({ ...SETTINGS, ...settings }, WITHOUT_SCHEMA)),
    bareDatabase: () => keep(createTestDatabase(WITHOUT_SCHEMA)),
  };
}

/** Lists our tables without partitions. */
export async function tablesOf(db: Db): Promise<string[]> {
  const { rows } = await db.raw<{ rows: { name: string }[] }>(
    `select relname as name from pg_class
     where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition order by 1`,
  );
  return rows.map(({ name }) => name);
}
