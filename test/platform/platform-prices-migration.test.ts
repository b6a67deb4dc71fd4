import { inTransaction } from '../../services/platform/database/database';
import { migrate, migrateWithin } from '../../services/platform/migrate/migrate';
import { listMigrations } from '../../services/platform/migrate/migration-files';
import { createTestDatabase, type TestDatabase } from '../support/database';

const MIGRATION = '0163_platform_prices';
const RUNNING = '0190a0c0-0000-7000-8000-000000000004';

/** Sales of the release before, by their currency: the stored prices of the platform, and what the migration makes of them. */
const SALES = [
  {
    currency: 'EUR',
    digits: 2,
    prices: { adult: 445, child: 311.55, senior: 0.29 },
    minor: [44_500, 31_155, 29],
  },
  { currency: 'JPY', digits: 0, prices: { adult: 72_000, child: 0 }, minor: [72_000, 0] },
  { currency: 'KWD', digits: 3, prices: { adult: 1.005, child: 45.999 }, minor: [1005, 45_999] },
  // The number of JSON has 17 digits. It is the one nearest to the exact price.
  { currency: 'USD', digits: 2, prices: { adult: 9_999_999_999.99 }, minor: [999_999_999_999] },
  { currency: 'GBP', digits: 2, prices: undefined, minor: [] },
];

describe('the migration of the prices of the platform to minor units', () => {
  let database: TestDatabase;
  const rowsOf = async (table: string): Promise<Record<string, unknown>[]> => {
    const { rows } = await database.db.raw(`select to_jsonb(r) as row from ${table} r order by currency`);
    return rows.map(({ row }: { row: Record<string, unknown> }) => row);
  };

  beforeAll(async () => {
    database = await createTestDatabase('template0');
    const { db } = database;
    const before = listMigrations().filter((name) => name < MIGRATION);
    await inTransaction(db, (trx) => migrateWithin(trx, before));
    await db.raw(`
      insert into tenants (slug, name, booking_prefix, country, currency, currency_digits)
      values ('acme', 'Acme Travel', 'ACME', 'DE', 'EUR', 2);
      insert into tours (slug, name, name_folded, continent, country, duration_days, currency, currency_digits, base_price_minor)
      values ('alps', 'Alps', 'alps', 'europe', 'IT', 3, 'EUR', 2, 50000);
      insert into departures (tour_id, departure_date, seats_total, prices_minor)
      select id, date '2041-01-01', 100, '{"adult": 50000}' from tours`);
    for (const { currency, digits, prices } of SALES) {
      const breakdown = { platform_prices: prices, unit_price: 500, rule: null, deposit_percent: 20 };
      const bindings = { currency, digits, breakdown: JSON.stringify(breakdown) };
      await db.raw(
        `insert into seat_holds (tenant_id, departure_id, party, seats, hold_minutes, expires_at, prices_minor, currency,
           currency_digits, price_breakdown)
         select n.id, d.id, '{"adult": 1}', 1, 60, now() + interval '1 hour', '{"adult": 50000}', :currency, :digits, :breakdown
         from tenants n, departures d`,
        bindings,
      );
      await db.raw(
        `insert into booking_leads (booking_ref, tenant_id, tour_id, departure_id, departure_date, party, seats, prices_minor,
           total_minor, deposit_minor, currency, currency_digits, price_breakdown, payment_method, customer_name, customer_phone,
           customer_email)
         select 'ACME-' || :currency, n.id, d.tour_id, d.id, d.departure_date, '{"adult": 1}', 1, '{"adult": 50000}', 50000, 10000,
           :currency, :digits, :breakdown, 'bank', 'Ana Lima', '+4930901820', 'ana@example.com'
         from tenants n, departures d`,
        bindings,
      );
    }
  });
  afterAll(() => database.drop());

  it('migrate refuses while a process of the API runs, and changes nothing', async () => {
    const { db } = database;
    const before = await rowsOf('seat_holds');
    await db.raw(`insert into api_instances (id, seen_version, poll) values ('${RUNNING}', 1, 1)`);
    await expect(migrate(db)).rejects.toMatchObject({ code: 'instances_running' });
    expect(await rowsOf('seat_holds')).toEqual(before);
    await db('api_instances').delete();
  });

  it('every hold and booking keeps the prices of the platform as minor units of its currency, and all its other values', async () => {
    const [holds, leads] = [await rowsOf('seat_holds'), await rowsOf('booking_leads')];
    await inTransaction(database.db, (trx) => migrateWithin(trx, [MIGRATION]));
    const expected = (row: Record<string, unknown>) => {
      const { prices = {}, minor } = SALES.find(({ currency }) => currency === row['currency'])!;
      const codes = Object.keys(prices);
      return {
        ...row,
        platform_prices_minor: Object.fromEntries(codes.map((code, index) => [code, minor[index]])),
        price_breakdown: { rule: null, deposit_percent: 20 },
      };
    };
    expect(await rowsOf('seat_holds')).toEqual(holds.map(expected));
    expect(await rowsOf('booking_leads')).toEqual(leads.map(expected));
    expect([holds.length, leads.length]).toEqual([SALES.length, SALES.length]);
  });
});
