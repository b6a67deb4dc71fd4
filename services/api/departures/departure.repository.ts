import { CLOCK, type Db, runPrepared, type Trx } from '../../platform/database';
import type { PricedTour } from '../pricing/prices';
import type { Departure, DepartureStatus, ListedDeparture, WantedSeats } from './departure';

/**
 * All columns of a departure `d` of tour `t` at one clock reading, `clock.at`. count_seats (migration 0021) counts the seats that all
 * tenants of one kind have taken.
 * @param sandbox SQL: the kind
 */
export const departureColumns = (sandbox: string) => `
  d.id, d.tour_id, t.continent, t.currency, t.currency_digits, d.departure_date, d.return_date, d.seats_total, d.prices_minor as prices,
  (select taken from count_seats(d.id, ${sandbox}, clock.at)) as seats_taken, ${sandbox} as sandbox,
  d.status = 'cancelled' as cancelled,
  d.departure_date < tour_today(t.time_zone, clock.at) as past,
  coalesce(d.closes_at <= clock.at, false) as closed,
  clock.at as as_of`;

/**
 * Reads the database's clock after the lock: the only clock that decides. now() is the transaction's start and lagged the lock
 * by over a second (seen). Returns text, because a Date would drop the microseconds.
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
  return rows[0];
}

/**
 * Returns a departure with its seats counted at `at`, by default now. Runs as its own statement after the lock: in the lock's
 * statement, a waiter would count the seats from before its wait, and oversell (seen).
 */
export async function findDepartureById(
  db: Db,
  id: string,
  sandbox: boolean,
  at?: string,
): Promise<Departure | undefined> {
  const { rows } = await db.raw(
    `with clock as materialized (select coalesce(:at::timestamptz, clock_timestamp()) as at)
     select ${departureColumns(':sandbox::boolean')}
     from clock, departures d join tours t on t.id = d.tour_id where d.id = :id`,
    { id, sandbox, at: at ?? null },
  );
  return rows[0] && toDeparture(rows[0]);
}

/** A locked departure with its seats counted at the clock reading of the statement. */
export interface CountedDeparture {
  departure: Departure;
  /** It has holds or leads to mark as expired. */
  somethingExpired: boolean;
}

/**
 * Returns the departures, once for each kind, with the clock reading at which their seats are counted, and the transaction's id. Runs
 * as its own statement after the locks, as findDepartureById.
 */
export async function countDepartures(
  trx: Trx,
  ids: string[],
  kinds: boolean[],
): Promise<{ at: string; transactionId: string; counted: CountedDeparture[] }> {
  // The clock is returned without departures too.
  const { rows } = await runPrepared(
    trx,
    `${CLOCK} select ${departureColumns('k.sandbox')}, to_json(clock.at at time zone 'UTC') #>> '{}' || 'Z' as "atText", pg_current_xact_id()::text as "transactionId",
       exists (select from seat_holds h
               where h.departure_id = d.id and hold_lapsed(h.status, h.expires_at, clock.at))
       or exists (select from booking_leads l
               where l.departure_id = d.id and lead_lapsed(l.status, l.payment_due_at, clock.at))
         as "somethingExpired"
     from clock left join (departures d join tours t on t.id = d.tour_id cross join unnest(:kinds::boolean[]) as k (sandbox))
       on d.id = any(:ids::uuid[])`,
    { ids, kinds },
  );
  const found = rows.filter(({ id }: { id: string | null }) => id !== null);
  return {
    at: rows[0].atText,
    transactionId: rows[0].transactionId,
    counted: found.map(
      (row: DepartureRow & { somethingExpired: boolean; atText: string; transactionId: string }) => {
        const { somethingExpired, atText: _at, transactionId: _id, ...departure } = row;
        return { departure: toDeparture(departure), somethingExpired };
      },
    ),
  };
}

/** The status of a departure, as departureStatus() derives it. */
const DEPARTURE_STATUS = `case
    when d.status = 'cancelled' then 'cancelled'
    when d.departure_date < tour_today(t.time_zone, clock.at) then 'gone'
    when d.closes_at <= clock.at then 'closed'
    when (select taken from count_seats(d.id, :sandbox, clock.at)) < d.seats_total then 'available'
    else 'sold_out' end`;

export interface DepartureRange {
  /** The kind of the counted seats. */
  sandbox: boolean;
  /** Inclusive. By default today in the tour's time zone; with the status `gone`, the first departure. */
  from?: string;
  to?: string;
  status?: DepartureStatus;
  /** Only these departures, of any date. */
  ids?: string[];
  afterDate?: string;
  limit: number;
}

/** Returns a tour's departures by date, also cancelled and past ones. @param tourId null: the named departures of any tour */
export async function findDepartures(
  db: Db,
  tourId: string | null,
  page: DepartureRange,
): Promise<ListedDeparture[]> {
  const start = page.status === 'gone' || page.ids ? `'-infinity'` : 'tour_today(t.time_zone, clock.at)';
  const { rows } = await db.raw(
    `${CLOCK} select ${departureColumns(':sandbox::boolean')},
       departure_closes_at(d.departure_date, d.closes_at, t.time_zone) as sales_end_at
     from clock, departures d join tours t on t.id = d.tour_id
     where ${tourId === null ? 'true' : 'd.tour_id = :tourId'}
       and d.departure_date >= coalesce(:from::date, ${start})
       and (:to::date is null or d.departure_date <= :to::date)
       and (:afterDate::date is null or d.departure_date > :afterDate::date)
       ${page.status === undefined ? '' : `and ${DEPARTURE_STATUS} = :status`}
       ${page.ids === undefined ? '' : 'and d.id = any(:ids::uuid[])'}
     order by d.departure_date limit :limit`,
    {
      tourId,
      sandbox: page.sandbox,
      from: page.from ?? null,
      to: page.to ?? null,
      afterDate: page.afterDate ?? null,
      status: page.status ?? null,
      ids: page.ids ?? null,
      limit: page.limit,
    },
  );
  return rows.map(({ salesEndAt, ...row }: DepartureRow & { salesEndAt: Date }) => ({
    ...toDeparture(row),
    salesEndAt,
  }));
}

/** Returns the three nearest other dates with enough free seats. */
export async function findAlternatives(db: Db, wanted: WantedSeats): Promise<Departure[]> {
  const { rows } = await db.raw(
    `${CLOCK}, free as (
       select ${departureColumns(':sandbox::boolean')}
       from clock, departures d join tours t on t.id = d.tour_id
       where d.tour_id = :tourId and d.departure_date <> :departureDate::date
         and departure_is_open(d.status, d.departure_date, d.closes_at, t.time_zone, clock.at))
     select * from free where seats_total - seats_taken >= :quantity
     order by abs(departure_date - :departureDate::date), departure_date limit 3`,
    { ...wanted },
  );
  return rows.map(toDeparture);
}

type DepartureRow = Omit<Departure, 'tour'> & Omit<PricedTour, 'id'> & { tourId: string };

export function toDeparture(row: DepartureRow): Departure {
  const { tourId, continent, currency, currencyDigits, ...departure } = row;
  return Object.assign(departure, { tour: { id: tourId, continent, currency, currencyDigits } });
}
