import type { Db } from '../../platform/database/database';
import type { Party } from '../parties/party-rules';
import type { Operation } from '../idempotency/operation';
import type { BookingStatus } from './booking-status';
import { tenantIdOf, type TenantScope } from '../tenants/tenant';

/** The sales to count. Sandbox sales and real ones are never counted together. */
interface CountedSales {
  scope: TenantScope;
  /** True: counts sales of sandbox tenants. False: counts real sales. */
  sandbox: boolean;
  /** YYYY-MM-DD, UTC. */
  from: string;
}

function bindCounted({ scope, sandbox, from }: CountedSales) {
  return { tenantId: tenantIdOf(scope), sandbox, from };
}

/** The bookings that were created on one day. */
interface DayOfBookings {
  /** YYYY-MM-DD, UTC. */
  day: string;
  bookings: number;
  /** The booked units by the code of their category. */
  party: Party;
  /** The travellers. */
  people: number;
  /** Bookings of this day that are confirmed now. `cancelled` and `expired` are counted in the same way. All others are pending payment. */
  confirmed: number;
  cancelled: number;
  expired: number;
}

/** The conditions of the statuses that are counted. The others are the unpaid bookings that stand. */
const IN_STATUS: Record<Exclude<BookingStatus, 'pending_payment'>, string> = {
  confirmed: "status = 'confirmed'",
  cancelled: "status = 'cancelled'",
  expired: "(status = 'expired' or lead_lapsed(status, payment_due_at, statement_timestamp()))",
};

const COUNTS_BY_STATUS = Object.entries(IN_STATUS).map(
  ([status, condition]) => `count(*) filter (where ${condition})::integer as ${status}`,
);

async function countBookings(db: Db, counted: CountedSales): Promise<DayOfBookings[]> {
  const { rows } = await db.raw(
    `with leads as (
       select (created_at at time zone 'UTC')::date as day, party, seats, categories, status, payment_due_at
       from booking_leads
       where created_at >= (:from::date)::timestamp at time zone 'UTC'
         and sandbox = :sandbox and (:tenantId::uuid is null or tenant_id = :tenantId::uuid)
     ), parties as (
       select day, jsonb_object_agg(code, units) as party
       from (select day, code, sum(units::integer)::integer as units
             from leads, jsonb_each_text(party) as booked (code, units) group by day, code) as counted
       group by day
     )
     select day, parties.party, sum(${PEOPLE})::integer as people, count(*)::integer as bookings,
       ${COUNTS_BY_STATUS.join()}
     from leads join parties using (day)
     group by day, parties.party order by day`,
    bindCounted(counted),
  );
  return rows;
}

/** The travellers of a lead. In the default list of categories, each one has a seat. */
const PEOPLE = `case when leads.categories is null then leads.seats else (
  select sum((leads.party ->> (category ->> 'code'))::integer * (category ->> 'people')::integer)
  from jsonb_array_elements(leads.categories) as category) end`;

/** The holds that were placed on one day. */
interface DayOfHolds {
  /** YYYY-MM-DD, UTC. */
  day: string;
  holds: number;
  /** Holds of this day that became a booking, on this day or later. */
  converted: number;
}

async function countHolds(db: Db, counted: CountedSales): Promise<DayOfHolds[]> {
  const { rows } = await db.raw(
    `select (created_at at time zone 'UTC')::date as day, count(*)::integer as holds,
       count(*) filter (where status = 'converted')::integer as converted
     from seat_holds
     where created_at >= (:from::date)::timestamp at time zone 'UTC'
       and sandbox = :sandbox and (:tenantId::uuid is null or tenant_id = :tenantId::uuid)
     group by day order by day`,
    bindCounted(counted),
  );
  return rows;
}

/** Refused requests by day (UTC) and code. */
interface DayOfRefusals {
  day: string;
  code: string;
  count: number;
}

/** Operations that sell seats. */
const SALES: readonly Operation[] = ['hold.place', 'booking.create'];

/** Counts refused holds and bookings by day and code. */
async function countRefusals(db: Db, counted: CountedSales): Promise<DayOfRefusals[]> {
  const { rows } = await db.raw(
    `select day, code, sum(count)::integer as count
     from sale_refusal_counts r join tenants t on t.id = r.tenant_id and t.sandbox = :sandbox
     where day >= :from::date and (:tenantId::uuid is null or tenant_id = :tenantId::uuid)
       and operation = any(:sales)
     group by day, code order by day, code`,
    { ...bindCounted(counted), sales: SALES },
  );
  return rows;
}

/** Lists every day (UTC) from the day of `from` to today, by the database's clock. */
async function listDays(db: Db, from: Date): Promise<string[]> {
  const { rows } = await db.raw(
    `select d::date as day from generate_series(
       (?::timestamptz at time zone 'UTC')::date, (clock_timestamp() at time zone 'UTC')::date, interval '1 day') d`,
    [from],
  );
  return rows.map(({ day }: { day: string }) => day);
}

/** The sales and refusals of one day (UTC). */
export interface DayOfSales extends DayOfBookings {
  holds: number;
  /** Holds of this day that became a booking, on this day or later. */
  converted: number;
  /** Holds and bookings refused because too few seats were free. */
  soldOut: number;
  /** Holds and bookings refused for another reason, by code. */
  refused: Record<string, number>;
}

const NO_BOOKINGS = { bookings: 0, party: {}, people: 0, confirmed: 0, cancelled: 0, expired: 0 };

/** Returns every day from the day of `since` to today, the oldest first. Refusals of the last seconds may not be counted yet. */
export async function summarizeSales(
  db: Db,
  tenants: Omit<CountedSales, 'from'>,
  since: Date,
): Promise<DayOfSales[]> {
  const days = await listDays(db, since);
  const [from] = days;
  if (from === undefined) return [];
  const counted = { ...tenants, from };
  const [holds, bookings, refusals] = [
    byDay(await countHolds(db, counted)),
    byDay(await countBookings(db, counted)),
    await countRefusals(db, counted),
  ];
  return days.map((day) => {
    const ofDay = refusals.filter((refusal) => refusal.day === day);
    const { insufficient_seats: soldOut = 0, ...refused } = Object.fromEntries(
      ofDay.map(({ code, count }) => [code, count]),
    );
    const { holds: placed, converted } = holds.get(day) ?? { holds: 0, converted: 0 };
    return { day, ...NO_BOOKINGS, ...bookings.get(day), holds: placed, converted, soldOut, refused };
  });
}

function byDay<T extends { day: string }>(rows: T[]): Map<string, T> {
  return new Map(rows.map((row) => [row.day, row]));
}
