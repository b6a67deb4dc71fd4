import { inTransaction } from '../../services/platform/database/database';
import { migrate, migrateWithin } from '../../services/platform/migrate/migrate';
import { listMigrations } from '../../services/platform/migrate/migration-files';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { givenEarlierSales } from '../support/earlier-sales';

const COUNT = 240;
const RUNNING = '0190a0c0-0000-7000-8000-000000000003';

type Row = Record<string, unknown>;
interface Breakdown extends Row {
  platform_unit_price?: number;
  platform_child_price?: number | null;
  platform_single_supplement?: number | null;
}
/** A hold or booking of the release before. */
interface EarlierSale extends Row {
  unit_price_minor: number;
  child_price_minor: number | null;
  single_supplement_minor: number | null;
  price_breakdown: Breakdown;
}

/** Leaves out categories without a value, and without a unit. */
const filled = (values: Record<string, number | null | undefined>) =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null && value !== undefined));
const party = (units: Record<string, number>) =>
  Object.fromEntries(Object.entries(units).filter(([, number]) => number > 0));

/** Returns the sale as the migration must store it, but without its party and seats. */
function carried(sale: EarlierSale): Row {
  const { unit_price_minor, child_price_minor, single_supplement_minor, price_breakdown, ...kept } = sale;
  const { platform_unit_price, platform_child_price, platform_single_supplement, ...others } =
    price_breakdown;
  return {
    ...kept,
    categories: null,
    prices_minor: filled({
      adult: unit_price_minor,
      child: child_price_minor,
      single_supplement: single_supplement_minor,
    }),
    price_breakdown: others,
    // A later migration (0163) converts these prices to minor units.
    platform_prices_minor: filled({
      adult: platform_unit_price && platform_unit_price * 100,
      child: platform_child_price && platform_child_price * 100,
      single_supplement: platform_single_supplement,
    }),
  };
}

function carriedHold({
  quantity,
  children,
  ...sale
}: EarlierSale & { quantity: number; children: number }): Row {
  return {
    ...carried(sale),
    seats: quantity,
    party: party({ adult: quantity - children, child: children }),
    by_desk: false,
  };
}

function carriedLead(lead: EarlierSale & Record<'adults' | 'children' | 'single_supplements', number>): Row {
  const { adults, children, single_supplements, ...sale } = lead;
  const units = { adult: adults, child: children, single_supplement: single_supplements };
  return {
    ...carried(sale),
    seats: adults + children,
    party: party(units),
    payment_window_ends_at: null,
    refund_floor: null,
    adjustment_minor: null,
    adjustment_reason: null,
    import_id: null,
    import_ref: null,
    import_digest: null,
  };
}

describe('the migration to price categories', () => {
  let database: TestDatabase;
  let holds: Row[];
  let leads: Row[];
  let taken: Row[];

  const rowsOf = async (table: string): Promise<Row[]> => {
    const { rows } = await database.db.raw(`select to_jsonb(r) as row from ${table} r order by id`);
    return rows.map(({ row }: { row: Row }) => row);
  };
  const takenSeats = async (): Promise<Row[]> => {
    const { rows } = await database.db.raw(
      `select d.id, real.taken, tested.taken as tested
       from departures d, count_seats(d.id, false, now()) as real, count_seats(d.id, true, now()) as tested order by d.id`,
    );
    return rows;
  };

  beforeAll(async () => {
    database = await createTestDatabase('template0');
    await givenEarlierSales(database.db, COUNT);
    holds = await rowsOf('seat_holds');
    leads = await rowsOf('booking_leads');
    taken = await takenSeats();
    await database.db.raw(`insert into api_instances (id, seen_version, poll) values ('${RUNNING}', 1, 1)`);
  });
  afterAll(() => database.drop());

  it('migrate refuses while a process of the API runs, and changes nothing', async () => {
    await expect(migrate(database.db)).rejects.toMatchObject({ code: 'instances_running' });
    expect(await rowsOf('seat_holds')).toEqual(holds);
  });

  it('the migration keeps every hold and booking, with its party, prices and seats by category', async () => {
    const { db } = database;
    await db('api_instances').delete();
    await inTransaction(db, (trx) => migrateWithin(trx, listMigrations()));
    expect(await rowsOf('seat_holds')).toEqual(holds.map((hold) => carriedHold(hold as never)));
    expect(await rowsOf('booking_leads')).toEqual(leads.map((lead) => carriedLead(lead as never)));
    expect(holds).toHaveLength(COUNT);
    expect(leads).toHaveLength(COUNT);
  });

  it('every departure has as many taken seats as before, real ones and those of the sandbox', async () => {
    expect(await takenSeats()).toEqual(taken);
    expect(taken.filter(({ taken: seats }) => Number(seats) > 0).length).toBeGreaterThan(100);
  });

  it('tours have no categories of their own, and sell the default ones', async () => {
    const { rows } = await database.db.raw(
      'select categories, first_category(categories) as first from tours',
    );
    expect(rows).toEqual([{ categories: null, first: 'adult' }]);
  });
});
