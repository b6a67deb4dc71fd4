import { type Db, inTransaction, type Trx } from '../../services/platform/database/database';
import { useTestDatabase } from '../support/database';
import {
  givenDeparture,
  givenKey,
  givenPriceRule,
  givenTenant,
  givenTour,
  givenVisibilityRule,
} from '../support/given';

const database = useTestDatabase();
let db: Db;
beforeAll(() => void (db = database.db));

const version = async (): Promise<number> => (await db('change_version').first('version')).version;

/** Returns the increase of the version during `work`. */
async function raisedBy(work: () => PromiseLike<unknown>): Promise<number> {
  const before = await version();
  await work();
  return (await version()) - before;
}

/** Inserts one row into each table with a trigger. */
async function givenRows(): Promise<void> {
  const tenant = await givenTenant(db);
  await givenKey(db, tenant);
  const tour = await givenTour(db);
  await givenDeparture(db, tour);
  await db('widget_tokens').insert({
    id: 'w'.repeat(12),
    family_id: 'w'.repeat(12),
    digest: Buffer.alloc(32),
    digest_alg: 'sha256',
    tenant_id: tenant.id,
  });
  await givenVisibilityRule(db, { tenant }, tour, true);
  await givenVisibilityRule(db, { tenant }, 'asia', true);
  await givenPriceRule(db, { tenant }, { percent: 5 });
}

const WATCHED = [
  'tenants',
  'api_keys',
  'widget_tokens',
  'visibility_tour_rules',
  'visibility_continent_rules',
  'price_rules',
  'tours',
  'departures',
];
const UNWATCHED_COLUMNS = ['api_keys.last_used_at', 'api_keys.browser_seen_at', 'widget_tokens.last_used_at'];

describe('the version of cached data', () => {
  beforeAll(givenRows);

  it.each(WATCHED)(
    'a change to any column of %s except the times of use raises the version',
    async (table) => {
      const { rows } = await db.raw(
        `select attname as name from pg_attribute
       where attrelid = ?::regclass and attnum > 0 and not attisdropped and attidentity = ''`,
        [table],
      );
      const unnoticed = [];
      for (const { name } of rows as { name: string }[]) {
        // Sets the column to its present value, because a statement trigger also fires for an unchanged value.
        if ((await raisedBy(() => db.raw('update ?? set ?? = ??', [table, name, name]))) !== 1)
          unnoticed.push(`${table}.${name}`);
      }
      expect(unnoticed).toEqual(UNWATCHED_COLUMNS.filter((column) => column.startsWith(`${table}.`)));
    },
  );

  it.each(WATCHED)('a deletion of rows of %s raises the version', async (table) => {
    expect(await raisedBy(() => db(table).whereRaw('false').delete())).toBe(1);
    expect(await raisedBy(() => db.raw('truncate ?? cascade', [table]))).toBe(1);
    await givenRowsAgain();
  });

  it('a new tenant or credential does not raise the version, because no cache contains it', async () => {
    const tenant = await givenTenant(db);
    expect(await raisedBy(() => givenTenant(db))).toBe(0);
    expect(await raisedBy(() => givenKey(db, tenant))).toBe(0);
  });

  it('a new rule, tour or departure raises the version', async () => {
    const tenant = await givenTenant(db);
    let tour = await givenTour(db);
    expect(await raisedBy(async () => (tour = await givenTour(db)))).toBe(1);
    expect(await raisedBy(() => givenDeparture(db, tour))).toBe(1);
    expect(await raisedBy(() => givenPriceRule(db, { tenant }, { percent: 5 }))).toBe(1);
    expect(await raisedBy(() => givenVisibilityRule(db, { tenant }, 'asia', false))).toBe(1);
  });

  const changeMuch = async (trx: Trx) => {
    for (let n = 0; n < 5; n++) await givenTour(trx);
    await trx.raw('savepoint half');
    await givenTour(trx);
    await trx.raw('rollback to savepoint half');
  };

  it('a transaction raises the version once, however much it changes', async () => {
    expect(await raisedBy(() => inTransaction(db, changeMuch))).toBe(1);
    expect(await db('change_marks')).toEqual([]);
  });

  it('a transaction that is rolled back does not raise the version', async () => {
    const undone = inTransaction(db, async (trx) => {
      await changeMuch(trx);
      throw new Error('undone');
    });
    expect(await raisedBy(() => undone.catch(() => {}))).toBe(0);
    expect(await db('change_marks')).toEqual([]);
  });

  it('a change after a rollback to a savepoint raises the version', async () => {
    const work = async (trx: Trx) => {
      await trx.raw('savepoint half');
      await givenTour(trx);
      await trx.raw('rollback to savepoint half');
      await givenTour(trx);
    };
    expect(await raisedBy(() => inTransaction(db, work))).toBe(1);
  });

  it('a revocation does not wait for an open import, because an import locks the version only at COMMIT', async () => {
    const tenant = await givenTenant(db);
    await givenKey(db, tenant);
    const imported = await db.transaction();
    await givenTour(imported);
    const revoke = () =>
      inTransaction(db, (trx) =>
        trx('api_keys')
          .where({ tenant_id: tenant.id })
          .update({ revoked_at: trx.raw('now()') }),
      );
    expect(await raisedBy(revoke)).toBe(1);
    expect(await raisedBy(() => imported.commit())).toBe(1);
  });

  it('each of many concurrent transactions raises the version', async () => {
    const many = () =>
      Promise.all(Array.from({ length: 40 }, () => inTransaction(db, (trx) => givenTour(trx))));
    expect(await raisedBy(many)).toBe(40);
  });
});

/** Restores the rows, because a truncate with cascade removes rows of other tables too. */
async function givenRowsAgain(): Promise<void> {
  await db.raw('truncate tenants, tours cascade');
  await givenRows();
}

describe('the instant until which a departure can be booked', () => {
  it.each([
    ['UTC', '2026-05-01'],
    ['Pacific/Pago_Pago', '2026-05-01'],
    ['Asia/Ho_Chi_Minh', '2026-05-01'],
    // Clocks go forward at midnight, so the day begins at 01:00.
    ['Africa/Cairo', '2026-04-23'],
    ['America/Asuncion', '2023-09-30'],
    // Clocks go back over midnight, so midnight occurs twice.
    ['Atlantic/Azores', '2026-10-24'],
    ['America/Havana', '2026-10-31'],
    // Clocks go back from midnight, so the day is an hour longer.
    ['America/Asuncion', '2024-03-23'],
    ['Africa/Cairo', '2026-10-29'],
    // The next date was skipped in Samoa.
    ['Pacific/Apia', '2011-12-29'],
    ['Australia/Lord_Howe', '2026-04-04'],
  ])('the last instant for a booking is exact in %s on %s', async (zone, date) => {
    const { rows } = await db.raw(
      `select departure_is_open('scheduled', :date, null, null, null, :zone, at) as after,
         departure_is_open('scheduled', :date, null, null, null, :zone, at - interval '1 millisecond') as before
       from departure_closes_at(:date, null, null, null, :zone) as at`,
      { zone, date },
    );
    expect(rows[0]).toEqual({ before: true, after: false });
  });

  it('bookings close at the closing time of a departure if it comes before the end of its date', async () => {
    const { rows } = await db.raw(
      `select departure_closes_at('2026-05-01', null, '2026-04-30 18:00Z', null, 'UTC') = '2026-04-30 18:00Z' as earlier,
         departure_closes_at('2026-05-01', null, '2026-05-09 18:00Z', null, 'UTC') = '2026-05-02 00:00Z' as later`,
    );
    expect(rows[0]).toEqual({ earlier: true, later: true });
  });
});
