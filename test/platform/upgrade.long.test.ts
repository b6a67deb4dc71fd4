import { readFileSync } from 'node:fs';
import path from 'node:path';
import { migrate, migrateWithin } from '../../services/platform/migrate/migrate';
import { listMigrations } from '../../services/platform/migrate/migration-files';
import { SALES_END_AT } from '../../services/api/catalog/departure-state';
import { type Db, inTransaction } from '../../services/platform/database/database';
import { createTestDatabase, type TestDatabase } from '../support/database';

/** The newest migration of the release before start times. */
const LAST_RELEASE = '0114_roles';
/** The first migration that runs only while no process of the API runs. */
const NOT_ROLLING = '0141_closing_and_cancellation';
/** Rows in every table of that release. */
const ROWS = path.join(__dirname, 'upgrade-rows.sql');
const SALES = ['seat_holds', 'booking_leads', 'octo_bookings', 'hold_changes', 'booking_changes'];

let database: TestDatabase;
let before: Record<string, unknown>[];

beforeAll(async () => {
  database = await createTestDatabase('template0');
  const { db } = database;
  const old = listMigrations().filter((name) => name <= LAST_RELEASE);
  await inTransaction(db, (trx) => migrateWithin(trx, old));
  await db.raw(readFileSync(ROWS, 'utf8').replaceAll('?', '\\?'));
  await db('tours').where({ slug: 'tour-2' }).update({ start_time: '09:30' });
  await db('next_departures_due').delete();
  before = await rowsOf(db);
  await inTransaction(db, (trx) =>
    migrateWithin(
      trx,
      listMigrations().filter((name) => name < NOT_ROLLING),
    ),
  );
});
afterAll(() => database.drop());

/** The columns of later releases. */
const LATER = `{start_time,customer_phone_as_sent,anonymized_at,closes_before,cancellation,refund_ceiling,refund_floor,refund_percent,refund_minor,payment_window_ends_at,platform_prices_minor,adjustment_minor,adjustment_reason,import_id,import_ref,import_digest,by_desk,uses}`;

/** Returns the departures, holds and bookings with the columns of the last release. */
async function rowsOf(db: Db): Promise<Record<string, unknown>[]> {
  const { rows } = await db.raw(
    ['departures', ...SALES]
      .map((table) => `select '${table}' as "table", to_jsonb(r) - '${LATER}'::text[] as row from ${table} r`)
      .join(' union all '),
  );
  return rows.sort((a: object, b: object) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
}

/** The columns of a party and its prices, before and after the migration to price categories. */
const PARTY = [
  'quantity',
  'adults',
  'children',
  'single_supplements',
  'unit_price_minor',
  'child_price_minor',
  'single_supplement_minor',
  'price_breakdown',
  'party',
  'seats',
  'prices_minor',
  'categories',
];

/** The columns that later migrations add. */
const ADDED = ['pickup'];

function unchanged({ table, row }: Record<string, unknown>) {
  const columns = Object.entries(row as object).filter(([name]) => ![...PARTY, ...ADDED].includes(name));
  return { table, row: Object.fromEntries(columns) };
}

describe('the migrations of start times', () => {
  it('the migrations keep every departure, hold and booking', async () => {
    expect(before.length).toBeGreaterThan(40);
    expect(await rowsOf(database.db)).toEqual(before);
  });

  it('the migrations add no start times, and the next departures of tours with a start time become due', async () => {
    const { db } = database;
    expect(await db('departures').whereNotNull('start_time')).toEqual([]);
    const due = db('next_departures_due as n').join('tours as t', 't.id', 'n.tour_id').pluck('t.slug');
    expect(await due).toEqual(['tour-2']);
  });
});

describe('an instance of the last release, after the migrations that are rolling', () => {
  const LIVING = '0190a0c0-0000-7000-8000-000000000001';
  beforeAll(async () => {
    await database.db('api_instances').delete();
    await database.db.raw(
      `insert into api_instances as i (id, seen_version, poll) values ('${LIVING}', 1, 1)
       on conflict (id) do update set seen_version = excluded.seen_version, poll = excluded.poll, polled_at = clock_timestamp()`,
    );
  });

  const insert = (date: string) =>
    database.db.raw(
      `insert into departures (tour_id, departure_date, seats_total, prices_minor)
       select id, ?, 20, '{"adult": 50000}' from tours where slug = 'tour-1' returning id`,
      [date],
    );

  it('an old instance adds a departure, but the database refuses a second one on its date', async () => {
    await insert('2041-05-01');
    await expect(insert('2041-05-01')).rejects.toMatchObject({ code: '23505' });
  });

  it('an old instance changes a departure by its date', async () => {
    const { rowCount } = await database.db.raw<{ rowCount: number }>(
      `update departures d set seats_total = 30, status = 'cancelled', updated_at = clock_timestamp()
       from tours t where t.id = d.tour_id and t.slug = 'tour-2' and d.departure_date = '2040-01-02'`,
    );
    expect(rowCount).toBe(1);
  });

  it('an old instance finds open departures and closing times by the functions without a start time', async () => {
    const { rows } = await database.db.raw(
      `select count(*)::int as open, max(departure_closes_at(d.departure_date, d.closes_at, t.time_zone)) as last
       from departures d join tours t on t.id = d.tour_id
       where t.slug = 'tour-3' and departure_is_open(d.status, d.departure_date, d.closes_at, t.time_zone, now())`,
    );
    expect(rows).toEqual([{ open: 3, last: new Date('2040-01-05T00:00:00Z') }]);
  });

  it('an old instance stores a refusal and a hold without a start time', async () => {
    const { db } = database;
    await db.raw(
      `insert into sale_refusals (at, tenant_id, operation, code, request_id)
       select now(), id, 'hold', 'insufficient_seats', 'an-old-request' from tenants where slug = 'acme'`,
    );
    const { rows } = await db.raw(
      `insert into seat_holds (tenant_id, departure_id, quantity, hold_minutes, expires_at, unit_price_minor, currency,
         currency_digits, price_breakdown)
       select n.id, d.id, 2, 60, now() + interval '1 hour', 50000, 'EUR', 2, '{}'
       from tenants n, departures d join tours t on t.id = d.tour_id
       where n.slug = 'acme' and t.slug = 'tour-3' and d.departure_date = '2040-01-02'
       returning (select taken from count_seats(departure_id, false, now())) as before`,
    );
    expect(rows).toHaveLength(1);
  });

  it('a selling currency is refused until the old instance has ended', async () => {
    const { db } = database;
    const sellIn = () => db('tenants').where({ slug: 'acme' }).update({ sell_in: 'CHF', sell_in_digits: 2 });
    await expect(sellIn()).rejects.toMatchObject({ constraint: 'tenants_sell_in_during_update' });
  });

  it('a second departure of a date is refused until the old instance has ended', async () => {
    const { db } = database;
    const tour = await db('tours').where({ slug: 'tour-2' }).first<{ id: string }>('id');
    const second = {
      tour_id: tour.id,
      departure_date: '2040-01-02',
      start_time: '14:30',
      seats_total: 5,
      prices_minor: '{"adult": 50000}',
    };
    const add = () => db('departures').insert(second).then();
    await expect(add()).rejects.toMatchObject({ constraint: 'departures_one_a_day_during_update' });
    await db('api_instances').where({ id: LIVING }).delete();
    await add();
  });
});

describe('the migration to closing times before the start', () => {
  const RUNNING = '0190a0c0-0000-7000-8000-000000000002';
  let kept: Record<string, unknown>[];
  beforeAll(async () => {
    await database.db('api_instances').delete();
    kept = await rowsOf(database.db);
  });
  const poll = (agoSeconds: number) =>
    database.db.raw(
      `insert into api_instances as i (id, seen_version, poll, polled_at) values ('${RUNNING}', 1, 1, now() - make_interval(secs => ?))
       on conflict (id) do update set poll = i.poll + 1, polled_at = excluded.polled_at`,
      [agoSeconds],
    );

  it('migrate refuses while a process of the API runs, and names how many', async () => {
    await poll(50);
    await expect(migrate(database.db)).rejects.toMatchObject({
      code: 'instances_running',
      message: expect.stringMatching(
        /^1 API process runs .* stop all API processes, migrate, then start the new ones; .* Nothing was changed$/,
      ),
      facts: { instances: 1, applied: [] },
    });
    expect(await database.db('knex_migrations').where({ name: NOT_ROLLING })).toEqual([]);
  });

  it('a start with an embedded database refuses too if the process polls meanwhile', async () => {
    await poll(0);
    const polls = setInterval(() => void poll(0).then(), 200);
    await expect(migrate(database.db, () => {}, true)).rejects.toMatchObject({ code: 'instances_running' });
    clearInterval(polls);
  });

  it('a start with an embedded database waits until a killed process counts no more, and the migration keeps every row', async () => {
    const { db } = database;
    await poll(56);
    const lines: string[] = [];
    expect(await migrate(db, (line) => lines.push(line), true)).toContain(NOT_ROLLING);
    expect(lines).toEqual(['Waiting up to a minute for API processes that were killed']);
    // Compares the columns that no later migration changes or adds: price-categories-migration.test.ts compares the others.
    const found = await rowsOf(db);
    expect(found.map(unchanged)).toEqual(kept.map(unchanged));
    const { rows } = await db.raw(
      `select max(${SALES_END_AT}) as last from departures d join tours t on t.id = d.tour_id where t.slug = 'tour-3'`,
    );
    expect(rows).toEqual([{ last: new Date('2040-01-05T00:00:00Z') }]);
  });
});
