import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Db,
  inTransaction,
  openDatabase,
  runPrepared,
  toColumns,
  type Trx,
} from '../../services/platform/database/database';
import { migrate, pendingMigrations } from '../../services/platform/migrate/migrate';
import { createTestDatabase, useTestDatabase } from '../support/database';
import { givenDeparture, givenTour } from '../support/given';

const database = useTestDatabase();

/** A migration that creates a table with a foreign key to tenants, and therefore locks tenants. */
const AUDIT = '0110_audit';

describe('runPrepared', () => {
  it.each([
    [true, 1],
    [false, 0],
  ])(
    'runPrepared returns the rows, and keeps the plan only in a pool that may prepare (canPrepare: %s)',
    async (canPrepare, kept) => {
      const db = openDatabase(database.url, { applicationName: 'test', poolMax: 1, canPrepare });
      const answers = await inTransaction(db, async (trx) => {
        const add = (more: number) => runPrepared(trx, 'select :more::integer + 1 as sum', { more });
        return [await add(1), await add(2)].map(({ rows }) => rows[0].sum as number);
      });
      const { rows } = await db.raw('select statement from pg_prepared_statements');
      await db.destroy();
      expect(answers).toEqual([2, 3]);
      expect(rows).toHaveLength(kept);
    },
  );

  it('runPrepared prepares a statement once for each different setting of its transactions', async () => {
    const db = openDatabase(database.url, { applicationName: 'test', poolMax: 1, canPrepare: true });
    const scan = (settings: string) =>
      inTransaction(db, (trx) => runPrepared(trx, 'select :one::integer', { one: 1 }), { settings });
    for (const settings of ['', 'set local enable_seqscan = off', '']) await scan(settings);
    const { rows } = await db.raw('select statement from pg_prepared_statements');
    await db.destroy();
    expect(rows).toHaveLength(2);
  });

  it('runPrepared refuses a statement after its transaction, because another may have the connection', async () => {
    let ended: Trx;
    await inTransaction(database.db, async (trx) => void (ended = trx));
    await expect(runPrepared(ended!, 'select 1', {})).rejects.toThrow('the transaction has ended');
  });
});

describe('inTransaction', () => {
  it('inTransaction runs in READ COMMITTED with time limits, whatever the server prefers', async () => {
    const { db } = database;
    await db.raw(`alter role current_user set default_transaction_isolation = 'serializable'`);
    const other = openDatabase(database.url, { applicationName: 'test' });
    try {
      const { rows } = await inTransaction(other, (trx) =>
        trx.raw(
          `select current_setting('transaction_isolation') as isolation, current_setting('lock_timeout') as wait,
                  current_setting('statement_timeout') as statement,
                  current_setting('idle_in_transaction_session_timeout') as pause`,
        ),
      );
      expect(rows[0]).toEqual({ isolation: 'read committed', wait: '2s', statement: '10s', pause: '15s' });
    } finally {
      await other.destroy();
      await db.raw('alter role current_user reset default_transaction_isolation');
    }
  });

  it('inTransaction repeats the whole work after a deadlock, but not after another error', async () => {
    let runs = 0;
    const deadlock = (state: string) =>
      runs++ < 1 ? `raise exception 'x' using errcode = '${state}'` : 'null';
    const work = (state: string) =>
      inTransaction(database.db, (trx) => trx.raw(`do $$ begin ${deadlock(state)}; end $$`));

    await work('40P01');
    expect(runs).toBe(2);

    runs = 0;
    await expect(work('23505')).rejects.toThrow();
    expect(runs).toBe(1);
  });

  it('inTransaction gives up after three conflicts', async () => {
    let runs = 0;
    const work = inTransaction(database.db, (trx) => {
      runs++;
      return trx.raw(`do $$ begin raise exception 'x' using errcode = '40001'; end $$`);
    });
    await expect(work).rejects.toThrow();
    expect(runs).toBe(3);
  });
});

describe('the database', () => {
  it('the database returns dates as text', async () => {
    const tour = await givenTour(database.db);
    await givenDeparture(database.db, tour, { date: '2031-03-01' });
    const row = await database.db('departures').where({ tour_id: tour.id }).first('departure_date');
    expect(row).toEqual({ departureDate: '2031-03-01' });
  });
});

/** Waits until the query returns a row. */
async function untilFound(db: Db, query: string): Promise<void> {
  while ((await db.raw(query)).rows.length === 0) await sleep(10);
}

describe('migrate', () => {
  it('migrate runs each migration once when several processes start at once', async () => {
    const empty = await createTestDatabase();
    try {
      await empty.db.raw('drop schema public cascade; create schema public');
      const starters = [1, 2, 3].map(() => openDatabase(empty.url, { applicationName: 'test', poolMax: 2 }));
      const ran = await Promise.all(starters.map((db) => migrate(db)));
      expect(ran.filter((names) => names.length > 0)).toHaveLength(1);
      expect(await pendingMigrations(empty.db)).toEqual([]);
      await Promise.all(starters.map((db) => db.destroy()));
    } finally {
      await empty.drop();
    }
  });

  it('migrate waits for a locked table in short attempts, so that other statements can use the table', async () => {
    const { db } = database;
    await db.raw('drop table audit_log');
    await db('knex_migrations').where({ name: AUDIT }).delete();
    const holder = await db.transaction();
    await holder.raw('lock table tenants in share row exclusive mode');
    const migrating = migrate(db);
    let longest = 0;
    for (const until = Date.now() + 4_000; Date.now() < until; await sleep(50)) {
      const { rows } = await db.raw(
        `select coalesce(max(extract(epoch from clock_timestamp() - waitstart)), 0)::float8 as seconds
         from pg_locks where not granted and relation = 'tenants'::regclass`,
      );
      longest = Math.max(longest, rows[0].seconds);
    }
    await holder.rollback();
    expect(await migrating).toEqual([AUDIT]);
    expect(longest).toBeGreaterThan(0.5);
    expect(longest).toBeLessThan(2.8);
  });

  it('a waiting migrator and CREATE INDEX CONCURRENTLY of another one never wait for each other', async () => {
    const { db } = database;
    const holder = await db.transaction();
    await holder.raw('select pg_try_advisory_xact_lock(7406211953)');
    const waiters = [1, 2, 3, 4].map(() =>
      openDatabase(database.url, { applicationName: 'test', poolMax: 2 }),
    );
    const waiting = waiters.map((one) => migrate(one));
    for (const until = Date.now() + 2_000; Date.now() < until;) {
      await db.raw('create index concurrently built_meanwhile on tours (updated_at)');
      await db.raw('drop index built_meanwhile');
    }
    await holder.rollback();
    expect(await Promise.all(waiting)).toEqual([[], [], [], []]);
    await Promise.all(waiters.map((one) => one.destroy()));
  });

  it('migrate waits until an index is built that a killed migrator left', async () => {
    const { db } = database;
    const writer = await db.transaction();
    await writer.raw('lock table tours in row exclusive mode');
    const building = db
      .raw('create index concurrently left_behind on tours (updated_at)')
      .then(() => 'built');
    await untilFound(db, 'select from pg_stat_progress_create_index where datname = current_database()');
    const migrating = migrate(db).then(() => 'migrated');
    expect(await Promise.race([migrating, sleep(500, 'waiting')])).toBe('waiting');
    await writer.rollback();
    expect(await Promise.all([building, migrating])).toEqual(['built', 'migrated']);
    await db.raw('drop index left_behind');
  });

  it('migrate continues after a killed migrator that left its lock', async () => {
    await database.db('knex_migrations_lock').update({ is_locked: 1 });
    expect(await migrate(database.db)).toEqual([]);
  });
});

describe('a row', () => {
  const sql = `select 1 as tour_id, 'a' as slug, null as brand_1_logo, now() as created_at, '\\x00ff'::bytea as raw_digest,
    '{"unit_price": {"per_seat": 1}}'::jsonb as price_breakdown, '{a_b,c_d}'::text[] as own_origins`;
  const fields = {
    tourId: 1,
    slug: 'a',
    brand1Logo: null,
    createdAt: expect.any(Date),
    rawDigest: Buffer.from([0, 255]),
    priceBreakdown: { unit_price: { per_seat: 1 } },
    ownOrigins: ['a_b', 'c_d'],
  };

  it('a row that is read has fields in camel case, and unchanged values', async () => {
    const { db } = database;
    const rows = () => db.from(db.raw(`(${sql}) as t`));
    expect((await db.raw(sql)).rows).toEqual([fields]);
    expect(await rows().select('*')).toEqual([fields]);
    expect(await rows().first()).toEqual(fields);
  });

  it('a row that a write returns has fields in camel case', async () => {
    const { db } = database;
    const { id } = await givenTour(db);
    const written = db('tours').where({ id }).update({ revision: 7 });
    expect(await written.returning(['base_price_minor', 'revision'])).toEqual([
      { basePriceMinor: 50_000, revision: 7 },
    ]);
    expect(await db('tours').where({ id }).update({ revision: 8 })).toBe(1);
    expect(await db('tours').where({ id }).pluck('base_price_minor')).toEqual([50_000]);
    const unknown = db('tours').where({ id: randomUUID() });
    expect(await unknown.first()).toBeUndefined();
  });

  it('toColumns names each field by its column', () => {
    const changes = { tenantId: 'x', maxHoldShare: undefined, createdAt: null };
    expect(toColumns(changes)).toEqual({ tenant_id: 'x', max_hold_share: undefined, created_at: null });
  });
});
