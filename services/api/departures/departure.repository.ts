import { CLOCK, type Db, type Trx } from '../../platform/database';
import type { Prices } from '../pricing/prices';
import type { Departure } from './departure';

/** Every fact of a departure `d` of tour `t` at one reading of the clock, `clock.at`. */
const DEPARTURE_COLUMNS = `
  d.id, d.tour_id, d.departure_date, d.return_date, d.seats_total, d.prices_minor,
  seats_taken(d.id, clock.at) as seats_taken,
  d.status = 'cancelled' as cancelled,
  d.departure_date < tour_today(t.time_zone, clock.at) as past,
  coalesce(d.closes_at <= clock.at, false) as closed,
  clock.at as as_of`;

/** Locks the row of one departure until the transaction ends, and nothing else. */
export async function lockDepartureRow(trx: Trx, tourId: string, date: string): Promise<string | undefined> {
  const row = await trx('departures')
    .select('id')
    .where({ tour_id: tourId, departure_date: date })
    .forUpdate()
    .first<{ id: string } | undefined>();
  return row?.id;
}

export async function lockDepartureById(trx: Trx, id: string): Promise<void> {
  await trx('departures').select('id').where({ id }).forUpdate();
}

/**
 * The only clock that decides: the database's, read after the lock. now() is the transaction's start and lagged the lock by
 * over a second (seen). Text, because a Date would drop the microseconds.
 */
export async function readClock(
  trx: Trx,
  departureId: string | null,
): Promise<{ at: string; somethingExpired: boolean }> {
  const { rows } = await trx.raw(
    `${CLOCK} select clock.at::text as at,
       exists (select from seat_holds h
               where h.departure_id = :departureId::uuid and hold_lapsed(h.status, h.expires_at, clock.at))
       or exists (select from booking_leads l
               where l.departure_id = :departureId::uuid and lead_lapsed(l.status, l.payment_due_at, clock.at))
         as something_expired
     from clock`,
    { departureId },
  );
  return { at: rows[0].at, somethingExpired: rows[0].something_expired };
}

/**
 * A departure with its seats counted at `at`, by default now. Must be its own statement, after the lock: counted in the
 * lock's statement, a waiter would see the seats from before it waited, and oversell (seen).
 */
export async function findDepartureById(db: Db, id: string, at?: string): Promise<Departure | undefined> {
  const { rows } = await db.raw(
    `with clock as materialized (select coalesce(:at::timestamptz, clock_timestamp()) as at)
     select ${DEPARTURE_COLUMNS}
     from clock, departures d join tours t on t.id = d.tour_id where d.id = :id`,
    { id, at: at ?? null },
  );
  return rows[0] && toDeparture(rows[0]);
}

export interface DeparturePage {
  /** Inclusive; without `from`: from today on in the tour's time zone. */
  from?: string;
  to?: string;
  afterDate?: string;
  limit: number;
}

export async function findDepartures(db: Db, tourId: string, page: DeparturePage): Promise<Departure[]> {
  const { rows } = await db.raw(
    `${CLOCK} select ${DEPARTURE_COLUMNS}
     from clock, departures d join tours t on t.id = d.tour_id
     where d.tour_id = :tourId
       and d.departure_date >= coalesce(:from::date, tour_today(t.time_zone, clock.at))
       and (:to::date is null or d.departure_date <= :to::date)
       and (:afterDate::date is null or d.departure_date > :afterDate::date)
     order by d.departure_date limit :limit`,
    {
      tourId,
      from: page.from ?? null,
      to: page.to ?? null,
      afterDate: page.afterDate ?? null,
      limit: page.limit,
    },
  );
  return rows.map(toDeparture);
}

/** The nearest dates, before or after, on which so many seats are free. */
export async function findAlternatives(
  db: Db,
  wanted: { tourId: string; departureDate: string; quantity: number },
): Promise<Departure[]> {
  const { rows } = await db.raw(
    `${CLOCK}, free as (
       select ${DEPARTURE_COLUMNS}
       from clock, departures d join tours t on t.id = d.tour_id
       where d.tour_id = :tourId and d.departure_date <> :departureDate::date
         and departure_is_open(d.status, d.departure_date, d.closes_at, t.time_zone, clock.at))
     select * from free where seats_total - seats_taken >= :quantity
     order by abs(departure_date - :departureDate::date), departure_date limit 3`,
    wanted,
  );
  return rows.map(toDeparture);
}

/**
 * The departure of a date, and until when what was counted holds: the first instant at which a counted hold or lead
 * expires, the departure closes, or its date is over.
 */
export async function findDepartureWithHorizon(
  db: Db,
  tourId: string,
  date: string,
): Promise<{ departure: Departure | undefined; asOf: Date; countedUntil: Date | null }> {
  const { rows } = await db.raw(
    `${CLOCK} select ${DEPARTURE_COLUMNS}, least(
         (select min(h.expires_at) from seat_holds h
          where h.departure_id = d.id and hold_lives(h.status, h.expires_at, clock.at)),
         (select min(l.payment_due_at) from booking_leads l
          where l.departure_id = d.id and l.status = 'pending_payment' and l.payment_due_at > clock.at),
         case when d.closes_at > clock.at then d.closes_at end,
         case when d.departure_date >= tour_today(t.time_zone, clock.at)
           then (d.departure_date + 1)::timestamp at time zone t.time_zone end
       ) as counted_until
     from clock left join (departures d join tours t on t.id = d.tour_id)
       on d.tour_id = :tourId and d.departure_date = :wantedDate::date`,
    // Not :date, which Knex would also find in every ::date.
    { tourId, wantedDate: date },
  );
  const [row] = rows;
  return {
    departure: row.id === null ? undefined : toDeparture(row),
    asOf: row.as_of,
    countedUntil: row.counted_until,
  };
}

interface DepartureRow {
  id: string;
  tour_id: string;
  departure_date: string;
  return_date: string | null;
  seats_total: number;
  seats_taken: number;
  cancelled: boolean;
  past: boolean;
  closed: boolean;
  prices_minor: Prices;
  as_of: Date;
}

function toDeparture(row: DepartureRow): Departure {
  return {
    id: row.id,
    tourId: row.tour_id,
    departureDate: row.departure_date,
    returnDate: row.return_date,
    seatsTotal: row.seats_total,
    seatsTaken: row.seats_taken,
    cancelled: row.cancelled,
    past: row.past,
    closed: row.closed,
    prices: row.prices_minor,
    asOf: row.as_of,
  };
}
