import { inspectInstallation } from '../../services/api/health/inspect-installation';
import { type Db, openDatabase } from '../../services/platform/database/database';
import {
  appliedMigrations,
  knownMigrations,
  migrate,
  pendingMigrations,
} from '../../services/platform/migrate/migrate';
import { carryOver } from '../../services/platform/migrate/carry-over';
import { readSchemaFacts } from '../../services/platform/migrate/schema-facts';
import { fillOldTables, LAST_OLD, makeOldSchema } from '../migrations/old-database';
import { createTestDatabase, databaseUrl, type TestDatabase, useTestDatabase } from '../support/database';
import { startTemporaryPostgres } from '../support/temporary-postgres';

/**
 * The rows of a database. Each row has the transaction that wrote it and its position in the table's file. A write to the row would
 * change both.
 */
interface Rows {
  /** Maps each table to its rows. A row is the transaction, the position and the values of the columns. */
  values: Record<string, string[]>;
  /** Maps each table or index to the number of its file on disk. */
  files: Record<string, number>;
  sequences: unknown[];
}

const fresh = useTestDatabase();

/** The oldest migration from which the product can carry a database over. */
const FIRST = '0033_seat_count_of_a_new_database';

/** The operator's own role in an old database. */
const REPORTS = { role: `reports_${process.pid}` };

/** Creates a database by the old migrations up to `last`, with rows in every table. */
async function oldDatabase(last: string): Promise<TestDatabase> {
  const database = await createTestDatabase('template0');
  await makeOldSchema(database.db, last);
  await fillOldTables(database.db);
  return database;
}

/** Copies the database at 0033, runs the old migrations up to `last` in the copy, and then runs `work`. */
async function inCopy(source: TestDatabase, last: string, work: (db: Db) => Promise<void>): Promise<void> {
  const copy = await createTestDatabase(new URL(source.url).pathname.slice(1));
  try {
    await makeOldSchema(copy.db, last);
    await work(copy.db);
  } finally {
    await copy.drop();
  }
}

const OWN_TABLES = `
  select c.oid, c.relname as name from pg_class c
  where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and c.relname not like 'knex%' order by 2`;

async function readRows(db: Db): Promise<Rows> {
  const { rows: tables } = await db.raw<{ rows: { name: string }[] }>(OWN_TABLES);
  const values: Rows['values'] = {};
  for (const { name } of tables) {
    const { rows } = await db.raw(
      `select xmin::text || ' ' || ctid::text || ' ' || r::text as one from ?? r order by ctid`,
      [name],
    );
    values[name] = rows.map(({ one }: { one: string }) => one);
  }
  const files = await db.raw<{ rows: { name: string; file: number }[] }>(
    `select c.relname as name, c.relfilenode::integer as file from pg_class c
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'i', 'S') and c.relname not like 'knex%'`,
  );
  const sequences = await db.raw(
    `select sequencename, last_value from pg_sequences where sequencename not like 'knex%' order by 1`,
  );
  return {
    values,
    files: Object.fromEntries(files.rows.map(({ name, file }) => [name, file])),
    sequences: sequences.rows,
  };
}

/** Runs the migrator of the product, and expects it to refuse and to change nothing. */
async function refusalOf(db: Db): Promise<{ code: string; message: string }> {
  const before = [await appliedMigrations(db), await readRows(db), await readSchemaFacts(db)];
  const error = await migrate(db).then(
    () => {
      throw new Error('migrate did not refuse');
    },
    (reason: { code: string; message: string }) => reason,
  );
  expect([await appliedMigrations(db), await readRows(db), await readSchemaFacts(db)]).toEqual(before);
  return error;
}

describe(`a database at ${LAST_OLD}`, () => {
  let database: TestDatabase;
  let before: Rows;
  beforeAll(async () => {
    database = await oldDatabase(LAST_OLD);
    // Adds objects that a new database does not have: a monthly partition, and an operator's role that may read tours.
    await database.db.raw(`select webhook_make_month('2031-01-01')`);
    await database.db.raw('create role :role: nologin; grant select on tours to :role:', REPORTS);
    before = await readRows(database.db);
  });
  afterAll(async () => {
    await database.db.raw('drop owned by :role:; drop role :role:', REPORTS);
    await database.drop();
  });

  it('the old database starts with rows in every table except change_marks', () => {
    const empty = Object.keys(before.values).filter((name) => before.values[name]!.length === 0);
    expect(empty.filter((name) => !/_\d{4}_\d\d$/.test(name))).toEqual(['change_marks']);
  });

  it('the carry-over keeps every row, file and sequence', async () => {
    const { db } = database;
    await carryOver(db, await appliedMigrations(db));
    expect(await readRows(db)).toEqual(before);
    await migrate(db);
  });

  it('two migrators that start at once record the names of the migrations once', async () => {
    const empty = await createTestDatabase('template0');
    const other = openDatabase(empty.url, { applicationName: 'test', poolMax: 2 });
    await makeOldSchema(empty.db, LAST_OLD);
    expect((await pendingMigrations(empty.db)).length).toBeGreaterThan(0);
    const ran = await Promise.all([migrate(empty.db), migrate(other)]);
    expect(ran.filter((names) => names.length > 0)).toEqual([await knownMigrations()]);
    expect(await appliedMigrations(empty.db)).toEqual(await knownMigrations());
    expect(await migrate(empty.db)).toEqual([]);
    await other.destroy();
    await empty.drop();
  });

  it('a migrated old database has the schema of a new one', async () => {
    expect(await readSchemaFacts(database.db)).toEqual(await readSchemaFacts(fresh.db));
    expect((await inspectInstallation(database.db)).filter(({ status }) => status === 'broken')).toEqual([]);
  });
});

describe('a role that is no superuser', () => {
  let server: Awaited<ReturnType<typeof startTemporaryPostgres>>;
  let superuser: Db;
  beforeAll(async () => {
    server = await startTemporaryPostgres();
    superuser = openDatabase(server.url, { applicationName: 'tests', poolMax: 1 });
    await superuser.raw("create role plain login nosuperuser nocreaterole password 'secret'");
  });
  afterAll(async () => {
    await superuser.destroy();
    await server.stop();
  });

  /** Runs `work` in a database at 0037 whose objects belong to the role. */
  async function asPlain(name: string, work: (db: Db) => Promise<void>): Promise<void> {
    const url = new URL(databaseUrl(server.url, name));
    [url.username, url.password] = ['plain', 'secret'];
    const db = openDatabase(url.href, { applicationName: 'tests', poolMax: 2 });
    try {
      await makeOldSchema(db, LAST_OLD);
      await fillOldTables(db);
      await work(db);
    } finally {
      await db.destroy();
    }
  }

  it('a role without superuser rights migrates the old database that it owns', async () => {
    await superuser.raw('create database owned owner plain');
    await asPlain('owned', async (db) => {
      const before = await readRows(db);
      const carried = await carryOver(db, await appliedMigrations(db));
      expect(await readRows(db)).toEqual(before);
      expect([...carried, ...(await migrate(db))]).toEqual(await knownMigrations());
    });
  });

  it('migrate refuses a role that may not create a schema, and names the missing grant', async () => {
    await superuser.raw('create database granted');
    const admin = openDatabase(databaseUrl(server.url, 'granted'), { applicationName: 'tests', poolMax: 1 });
    await admin.raw('create extension pg_trgm; grant create on schema public to plain');
    await admin.destroy();
    await asPlain('granted', async (db) => {
      const { code, message } = await refusalOf(db);
      expect(code).toBe('schema_not_created');
      expect(message).toContain('grant create on database granted to plain');
      await superuser.raw('grant create on database granted to plain');
      expect(await migrate(db)).toEqual(await knownMigrations());
    });
  });
});

describe('a database before 0033', () => {
  it.each(['0032_database_roles', '0001_tenants'])(
    'migrate refuses a database whose migrations end at %s',
    async (last) => {
      const database = await createTestDatabase('template0');
      try {
        await makeOldSchema(database.db, last);
        const error = await migrate(database.db).catch((reason: unknown) => reason);
        expect(error).toMatchObject({ code: 'database_too_old' });
        expect((error as Error).message).toContain(`end at ${last}`);
        expect((await appliedMigrations(database.db)).at(-1)).toBe(last);
      } finally {
        await database.drop();
      }
    },
  );
});

describe('copies of a database at 0033', () => {
  let source: TestDatabase;
  beforeAll(async () => {
    source = await oldDatabase(FIRST);
    // A database with connections cannot be copied.
    await source.db.destroy();
  });
  afterAll(() => source.drop());

  it.each([FIRST, '0034_narrower_rights', '0035_validate_addresses', '0036_departure_status_changes'])(
    'migrate completes a database whose old files end at %s, and keeps its rows',
    async (last) =>
      inCopy(source, last, async (db) => {
        const before = await readRows(db);
        const carried = await carryOver(db, await appliedMigrations(db));
        const after = await readRows(db);
        expect([...carried, ...(await migrate(db))]).toEqual(await knownMigrations());
        expect(await readSchemaFacts(db)).toEqual(await readSchemaFacts(fresh.db));
        // Ignores two expected changes. 0034 revokes a right on secret_checks. 0036 adds an empty column to departures.
        const unchanged = ({ values: { database_rights: _, departures, ...others } }: Rows) => ({
          ...others,
          departures: departures!.map((row) => row.split(' ').slice(0, 2)),
        });
        expect(unchanged(after)).toEqual(unchanged(before));
        expect(after.files).toMatchObject(before.files);
        expect(after.sequences).toEqual(before.sequences);
      }),
  );

  it.each([
    ['a missing index', 'drop index tours_by_name', 'lacks "CREATE INDEX tours_by_name'],
    [
      'a missing trigger',
      'drop trigger seat_holds_inserted on seat_holds',
      'lacks "CREATE TRIGGER seat_holds_inserted',
    ],
    [
      'a disabled trigger',
      'alter table seat_holds disable trigger seat_holds_inserted',
      'in addition "disabled: CREATE TRIGGER seat_holds_inserted',
    ],
    ['an additional column', 'alter table tours add column mine text', 'in addition "column tours.mine'],
    [
      'another type of a column',
      'alter table audit_log alter column host type varchar(99)',
      'column audit_log.host',
    ],
    [
      'a missing constraint',
      'alter table tours drop constraint tours_duration_range',
      'lacks "constraint tours_duration_range',
    ],
    [
      'a changed function',
      `create or replace function tour_today(time_zone text, at timestamptz) returns date language sql immutable return at::date`,
      'function tour_today',
    ],
    [
      'an additional right of everyone',
      'grant select on tours to public',
      'in addition "right public SELECT on tours',
    ],
    ['an additional table', 'create table mine (id integer)', 'in addition "column mine.id'],
  ])(
    'migrate refuses a database with %s, names the difference and changes nothing',
    async (_, difference, named) =>
      inCopy(source, FIRST, async (db) => {
        await db.raw(difference.replaceAll('?', '\\?'));
        const { code, message } = await refusalOf(db);
        expect(code).toBe('schema_differs');
        expect(message).toContain(named);
      }),
  );
});
