import type { Db, Trx } from '../../services/platform/database/database';
import { CHANGE_PLANS } from '../../services/api/seats/queue/commit-changes';
import { lockChanges } from '../../services/api/seats/lock';
import { readFacts } from '../../services/api/seats/read/read-facts';
import { holdRequest, holdSaleOf } from '../support/sell';
import { useTestApi } from '../support/api';
import { givenDeparture, givenTenant, givenTour } from '../support/given';

const api = useTestApi();
const ROWS = 3000;
/** The indexes that begin with the departure. */
const OF_DEPARTURE = [
  'departures_pkey',
  'seat_holds_live_by_kind',
  'booking_leads_standing_by_kind',
  'booking_leads_departure',
];

interface PlanNode {
  'Node Type': string;
  'Index Name'?: string;
  'Index Cond'?: string;
  Plans?: PlanNode[];
}

/** Inserts live rows of one departure, and analyzes their tables. */
async function rushOnOneDeparture(db: Db): Promise<void> {
  const tenant = await givenTenant(db);
  const tour = await givenTour(db);
  const date = await givenDeparture(db, tour, { seats: 2 * ROWS });
  const { id } = await db('departures').where({ tour_id: tour.id }).first('id');
  const values = { tenantId: tenant.id, tourId: tour.id, id, date, rows: ROWS };
  await db.raw(
    `insert into seat_holds (tenant_id, departure_id, party, seats, hold_minutes, expires_at, prices_minor, currency, currency_digits,
       price_breakdown)
     select :tenantId, :id, '{"adult": 1}', 1, 60, now() + interval '1 hour', '{"adult": 100}', 'EUR', 2, '{}' from generate_series(1, :rows)`,
    values,
  );
  await db.raw(
    `insert into booking_leads (booking_ref, tenant_id, tour_id, departure_id, departure_date, party, seats, status, prices_minor, total_minor,
       currency, currency_digits, price_breakdown, customer_name, customer_phone, customer_email, payment_due_at, payment_method, deposit_minor)
     select 'RUSH-' || n, :tenantId, :tourId, :id, :date, '{"adult": 1}', 1, 'pending_payment', '{"adult": 100}', 100, 'EUR', 2, '{}', 'Ana', '+4930901820',
       'ana@example.com', now() + interval '1 day', 'bank', 0
     from generate_series(1, :rows) n`,
    values,
  );
  await db.raw('analyze seat_holds, booking_leads');
}

async function indexesOfCount(trx: Trx): Promise<(string | undefined)[]> {
  await trx.raw(CHANGE_PLANS);
  const name = `count_${Math.random().toString(36).slice(2)}`;
  await trx.raw(`prepare ${name}(uuid[], timestamptz) as
    select d.id from departures d cross join lateral count_seats(d.id, false, $2) as seats
    where d.id = any ($1) and seats.taken > d.seats_total limit 1`);
  const { rows } = await trx.raw<{ rows: [{ 'QUERY PLAN': [{ Plan: PlanNode }] }] }>(
    `explain (format json) execute ${name}('{}', now())`,
  );
  return indexesOf(rows[0]['QUERY PLAN'][0].Plan);
}

function indexesOf(node: PlanNode): (string | undefined)[] {
  const own = /Scan/.test(node['Node Type']) && node['Node Type'] !== 'Bitmap Heap Scan';
  return [...(own ? [node['Index Name']] : []), ...(node.Plans ?? []).flatMap(indexesOf)];
}

/** Returns the indexes of departures that a plan reads completely. */
function wholeIndexes(node: PlanNode): string[] {
  const name = node['Index Name'];
  const own = name?.startsWith('departures') && node['Index Cond'] === undefined ? [name] : [];
  return [...own, ...(node.Plans ?? []).flatMap(wholeIndexes)];
}

describe('the count of seats', () => {
  it('the count of seats uses indexes of departures in a new, a full and an emptied database', async () => {
    const fresh = await api.db.transaction(indexesOfCount);
    await rushOnOneDeparture(api.db);
    const full = await api.db.transaction(indexesOfCount);
    await api.db.raw('truncate seat_holds, booking_leads cascade');
    const emptied = await api.db.transaction(indexesOfCount);
    for (const indexes of [fresh, full, emptied]) {
      expect(indexes).toHaveLength(3);
      expect(OF_DEPARTURE).toEqual(expect.arrayContaining(indexes));
    }
  });
});

describe('the view of a tenant on the departures of a batch', () => {
  it('a batch reads only its own departures, by their primary key', async () => {
    const { db } = api;
    const tenant = await givenTenant(db);
    const tour = await givenTour(db);
    await db.raw(
      `insert into departures (tour_id, departure_date, seats_total, prices_minor)
       select :tourId, current_date + n, 10, '{"adult": 100}' from generate_series(1, 500) as n`,
      { tourId: tour.id },
    );
    await db.raw('analyze departures');
    const departure = await db('departures').where({ tour_id: tour.id }).first('departure_date');
    const plan = await db.transaction(async (trx) => {
      await trx.raw(CHANGE_PLANS);
      const sale = await holdSaleOf(trx, tenant, tour, holdRequest(departure.departureDate));
      const locks = await lockChanges(trx, [sale], () => true);
      const statements: string[] = [];
      trx.on('query', ({ sql }: { sql: string }) => statements.push(sql));
      const { facts } = await readFacts(trx, [sale], locks);
      expect(facts.visible.size).toBe(1);
      const { rows } = await trx.raw<{ rows: [{ 'QUERY PLAN': [{ Plan: PlanNode }] }] }>(
        `explain (generic_plan, format json) ${statements[0]!}`,
      );
      return rows[0]['QUERY PLAN'][0].Plan;
    });
    expect(indexesOf(plan)).toContain('departures_pkey');
    expect(wholeIndexes(plan)).toEqual([]);
  });
});
