import { CLOCK, type Db, runPrepared, type Trx } from '../../platform/database/database';
import { waitAtMostLockTimeout } from '../../platform/database/lock-timeout';
import type { PricedTour } from '../pricing/price-categories';
import type { DatedDeparture } from './choose-departure';
import {
  type Departure,
  type DeparturePosition,
  type DepartureStatus,
  ENDS_OF_SALE,
  type ListedDeparture,
  type LockedDeparture,
  type WantedSeats,
} from './departure';
import type { CutoffText } from '../catalog/cutoff';
import { START_TIME } from '../catalog/start-time';
import { openAt, somethingExpired, pastAt } from '../catalog/departure-state';
import { categoriesOf, type Category } from '../parties/category';
import type { Prices } from '../parties/party-rules';
import { DEPARTURE_ROW, END_OF_SALE_SQL, LISTED_ROW, LOCKED_ROW, seatsLeftSql } from './departure-row';

/** Returns the tour's departures on a date, in the order of their times. @param date YYYY-MM-DD */
export async function findDeparturesOfDate(db: Db, tourId: string, date: string): Promise<DatedDeparture[]> {
  const { rows } = await db.raw(
    `${CLOCK} select d.id, ${START_TIME} as start_time,
       ${openAt('clock.at')} as open
     from clock, departures d join tours t on t.id = d.tour_id
     where d.tour_id = :tourId and d.departure_date = :wantedDate::date
     order by start_time`,
    // The binding is not named date, because Knex would replace it in every ::date.
    { tourId, wantedDate: date },
  );
  return rows;
}

/**
 * Returns the id of the scheduled departure whose date is nearest, of two equally near ones the later; on its date the one at the wanted time
 * or, without it, the first. Undefined: the tour has no scheduled departure.
 */
export async function findNearestId(
  db: Db,
  tourId: string,
  { date, time }: { date: string; time?: string },
): Promise<string | undefined> {
  const { rows } = await db.raw(
    `select d.id from departures d join tours t on t.id = d.tour_id
     where d.tour_id = :tourId and d.status = 'scheduled'
     order by abs(d.departure_date - :wantedDate::date), d.departure_date desc, ${START_TIME} is distinct from :time, ${START_TIME}
     limit 1`,
    { tourId, wantedDate: date, time: time ?? null },
  );
  return rows[0]?.id;
}

/** Returns the tour's departures from yesterday (UTC) on, because in the tour's time zone it may still be yesterday. */
export async function findUpcomingDepartures(
  db: Db,
  tourId: string,
): Promise<{ id: string; departureDate: string; startTime: string | null }[]> {
  const { rows } = await db.raw(
    `select d.id, d.departure_date, ${START_TIME} as start_time from departures d join tours t on t.id = d.tour_id
     where d.tour_id = :tourId and d.departure_date >= (now() at time zone 'UTC')::date - 1`,
    { tourId },
  );
  return rows;
}

/**
 * Returns a departure with its seats counted at `at`, by default now. Runs as its own statement after the lock: a statement that also
 * takes the lock would count the seats as they were before its wait, and the departure would be oversold (observed).
 */
export async function findDepartureById(
  db: Db,
  id: string,
  sandbox: boolean,
  at?: string,
): Promise<Departure | undefined> {
  const { rows } = await db.raw(
    `with clock as materialized (select coalesce(:at::timestamptz, clock_timestamp()) as at)
     select ${DEPARTURE_ROW.select}
     from clock, departures d join tours t on t.id = d.tour_id where d.id = :id`,
    { id, sandbox, at: at ?? null },
  );
  return rows[0] && DEPARTURE_ROW.read(rows[0]);
}

/** A row of COUNTED_DEPARTURES. */
export interface CountedRow {
  id: string;
  tourId: string;
  departureDate: string;
  /** Ids of the resources that it uses. */
  resourceIds: string[];
  /** True: the departure has holds or leads to mark as expired. */
  somethingExpired: boolean;
}

/** Converts a row of COUNTED_DEPARTURES. */
export function toLockedDeparture(row: CountedRow): LockedDeparture {
  return LOCKED_ROW.read({ ...row });
}

/**
 * Selects the departures `:departureIds` with their seats counted at `clock.at`, for the locked `:countedResources`. Selects each departure once for each of `:kinds` (true:
 * counts seats of the sandbox; false: counts real seats). Runs after the locks of these departures.
 */
export const COUNTED_DEPARTURES = `
  select ${LOCKED_ROW.select}, ${somethingExpired('d.id')} as something_expired
  from departures d join tours t on t.id = d.tour_id cross join unnest(:kinds::boolean[]) as k (sandbox)
  where d.id = any(:departureIds::uuid[])`;

/** The status of a departure, as departureStatus() derives it. */
export const DEPARTURE_STATUS = `case
    ${ENDS_OF_SALE.map(({ fact, status }) => `when ${END_OF_SALE_SQL[fact]} then '${status}'`).join(' ')}
    when ${seatsLeftSql(':sandbox::boolean')} > 0 then 'available'
    else 'sold_out' end`;

export interface DepartureRange {
  /** True: counts seats of the sandbox. False: counts real seats. */
  sandbox: boolean;
  /** The first date. By default past departures are left out, except with the status `gone` or with `ids`. */
  from?: string;
  /** The last date. */
  to?: string;
  status?: DepartureStatus;
  /** Only these departures, of any date. */
  ids?: string[];
  after?: DeparturePosition;
  limit: number;
}

/** Returns departures of a tour by date and time, also cancelled ones. */
export async function findDepartures(
  db: Db,
  tourId: string,
  page: DepartureRange,
): Promise<ListedDeparture[]> {
  const { rows } = await runPrepared(
    db,
    `${CLOCK} select ${LISTED_ROW.select}
     from clock, departures d join tours t on t.id = d.tour_id
     where ${rangeConditions(page).join(' and ')}
     order by d.departure_date, ${START_TIME}, d.id limit :limit`,
    { ...page, ...positionBindings(page.after), tourId },
  );
  return rows.map(LISTED_ROW.read);
}

/** Returns the departures with these ids, by date and time, also cancelled and past ones. @param sandbox true: counts the seats of the sandbox */
export async function findDeparturesById(
  db: Db,
  ids: string[],
  { sandbox }: Pick<DepartureRange, 'sandbox'>,
): Promise<ListedDeparture[]> {
  const { rows } = await runPrepared(
    db,
    `${CLOCK} select ${LISTED_ROW.select}
     from clock, departures d join tours t on t.id = d.tour_id
     where d.id = any(:ids::uuid[])
     order by d.departure_date, ${START_TIME}, d.id`,
    { ids, sandbox },
  );
  return rows.map(LISTED_ROW.read);
}

/** Counts a tour's departures in a range of dates, also past and cancelled ones. Reads only an index. @param from, to YYYY-MM-DD */
export async function countDepartures(
  db: Db,
  tourId: string,
  { from, to }: { from: string; to: string },
): Promise<number> {
  const [{ count }] = (await db('departures')
    .where({ tour_id: tourId })
    .whereBetween('departure_date', [from, to])
    .count({ count: '*' })) as [{ count: string | number }];
  return Number(count);
}

function positionBindings({ date, time }: Partial<DeparturePosition> = {}) {
  return { afterDate: date, afterTime: time === undefined ? AFTER_ALL_TIMES : (time ?? '') };
}

function rangeConditions({ from, to, status, ids, after }: DepartureRange): string[] {
  const startsAnywhere = status === 'gone' || ids !== undefined;
  const conditions = [
    'd.tour_id = :tourId',
    from !== undefined && 'd.departure_date >= :from::date',
    from === undefined && !startsAnywhere && NOT_PAST,
    to !== undefined && 'd.departure_date <= :to::date',
    status !== undefined && `${DEPARTURE_STATUS} = :status`,
    ids !== undefined && 'd.id = any(:ids::uuid[])',
    after !== undefined && AFTER,
  ];
  return conditions.filter((condition) => condition !== false);
}

/** True for departures that are not past. */
export const NOT_PAST = `not ${pastAt('clock.at')}`;

/**
 * Continues a list after the position `:afterDate` and `:afterTime`. An empty `:afterTime`: the departure at this position has no start
 * time.
 */
const AFTER = `d.departure_date >= :afterDate::date
  and (d.departure_date, coalesce(${START_TIME}, '')) > (:afterDate::date, :afterTime)`;
const AFTER_ALL_TIMES = '24:00';

/** Returns up to three other departures of the tour that are open and have enough free seats, the nearest dates first. */
export async function findAlternatives(db: Db, wanted: WantedSeats): Promise<Departure[]> {
  const { rows } = await db.raw(
    `${CLOCK}, free as (
       select ${DEPARTURE_ROW.select}
       from clock, departures d join tours t on t.id = d.tour_id
       where d.tour_id = :tourId and (:departureId::uuid is null or d.id <> :departureId::uuid)
         and ${openAt('clock.at')})
     select * from free where least(seats_total - seats_taken, seats_of_resources) >= :quantity
     order by abs(departure_date - :departureDate::date), departure_date, start_time limit 3`,
    { ...wanted },
  );
  return rows.map(DEPARTURE_ROW.read);
}

/** Locks a tour until the transaction ends, so that imports and other commands add no departures. Returns what decides its prices. */
export async function lockPricedTour(
  trx: Trx,
  id: string,
): Promise<Pick<PricedTour, 'currency' | 'currencyDigits' | 'categories'>> {
  const tour = await trx('tours')
    .where({ id })
    .forNoKeyUpdate()
    .first<PricingRow>('currency', 'currency_digits', 'categories');
  return { ...tour, categories: categoriesOf(tour.categories) };
}

type PricingRow = Pick<PricedTour, 'currency' | 'currencyDigits'> & { categories: Category[] | null };

/** The start of a departure that may be added to a tour. */
export interface LocalStart {
  /** YYYY-MM-DD */
  date: string;
  /** HH:MM. Null: the start time of the tour. */
  ownTime: string | null;
  /** HH:MM: the start time of the departure, or that of its tour. Null: none. */
  startTime: string | null;
  timeZone: string;
  /** True: the departure has started or, if it has no start time, its date has ended. */
  past: boolean;
  /** True: a change to daylight saving time skips the start time on this date. */
  skipped: boolean;
}

/** Returns the start of each departure in the tour's time zone, by date and time. */
export async function findLocalStarts(
  db: Db,
  tourId: string,
  departures: { date: string; startTime: string | null }[],
): Promise<LocalStart[]> {
  const { rows } = await db.raw(
    `${CLOCK} select w.departure_date as date, w.start_time as own_time, start.at as start_time, t.time_zone,
       departure_is_past(w.departure_date, start.at, t.time_zone, clock.at) as past,
       coalesce(start.local <> start.local at time zone t.time_zone at time zone t.time_zone, false) as skipped
     from clock, tours t, unnest(:dates::date[], :times::text[]) as w (departure_date, start_time)
       cross join lateral (
         select coalesce(w.start_time, t.start_time) as at,
           w.departure_date + coalesce(w.start_time, t.start_time)::time as local) start
     where t.id = :tourId order by w.departure_date, start.at`,
    {
      tourId,
      dates: departures.map(({ date }) => date),
      times: departures.map(({ startTime }) => startTime),
    },
  );
  return rows;
}

/** An existing departure of a tour. No departure with the same date and start time can be added. */
export interface ExistingDeparture {
  id: string;
  date: string;
  /** HH:MM: the start time of the departure, or that of its tour. Null: none. */
  startTime: string | null;
}

/** Returns the tour's departures on these dates. @param dates YYYY-MM-DD */
export async function findDeparturesOfDates(
  db: Db,
  tourId: string,
  dates: string[],
): Promise<ExistingDeparture[]> {
  const { rows } = await db.raw(
    `select d.id, d.departure_date as date, ${START_TIME} as start_time
     from departures d join tours t on t.id = d.tour_id
     where d.tour_id = :tourId and d.departure_date = any(:dates::date[])`,
    { tourId, dates },
  );
  return rows;
}

/** Inserts departures of a tour whose lock the caller holds, and raises the tour's revision. @returns their ids */
export async function insertDepartures(
  trx: Trx,
  tourId: string,
  departures: { date: string; ownTime: string | null }[],
  common: {
    returnDate: string | null;
    seatsTotal: number;
    closesAt: Date | null;
    closesBefore: CutoffText | null;
    prices: Prices;
  },
): Promise<string[]> {
  const rows = await trx('departures')
    .insert(
      departures.map(({ date, ownTime }) => ({
        tour_id: tourId,
        departure_date: date,
        start_time: ownTime,
        return_date: common.returnDate,
        seats_total: common.seatsTotal,
        closes_at: common.closesAt,
        closes_before: common.closesBefore,
        prices_minor: JSON.stringify(common.prices),
      })),
    )
    .returning<{ id: string }[]>('id');
  await reviseTour(trx, tourId);
  return rows.map(({ id }) => id);
}

/**
 * Updates a departure, then raises its tour's revision. The caller holds the departure's lock. A booking also locks the departure before
 * the tour.
 */
export async function changeDeparture(
  trx: Trx,
  departure: { id: string; tour: { id: string } },
  change: {
    status?: 'scheduled' | 'cancelled';
    startTime?: string;
    seatsTotal?: number;
    prices?: Prices;
    /** Null: those of the tour. */
    uses?: object[] | null;
  },
): Promise<void> {
  const columns = {
    ...(change.status === undefined ? {} : { status: change.status }),
    ...(change.startTime === undefined ? {} : { start_time: change.startTime }),
    ...(change.seatsTotal === undefined ? {} : { seats_total: change.seatsTotal }),
    ...(change.prices === undefined ? {} : { prices_minor: JSON.stringify(change.prices) }),
    ...(change.uses === undefined ? {} : { uses: change.uses && JSON.stringify(change.uses) }),
  };
  await trx('departures').where({ id: departure.id }).update(columns);
  await reviseTour(trx, departure.tour.id);
}

/** Raises the tour's revision. Cached entries of an earlier revision are not used any more. */
async function reviseTour(trx: Trx, id: string): Promise<void> {
  await trx('tours')
    .where({ id })
    .update({ revision: trx.raw('revision + 1'), updated_at: trx.raw('clock_timestamp()') });
}

/**
 * Locks one departure, and returns whether it still exists.
 * @param waitMs the longest wait; by default lock_timeout
 */
export async function lockDepartureById(trx: Trx, id: string, waitMs?: number): Promise<boolean> {
  const lock = () => trx('departures').select('id').where({ id }).forUpdate();
  return (await waitAtMostLockTimeout(trx, lock, waitMs)).length > 0;
}

/** Locks the departures that no other transaction has locked, without a wait, and returns their ids. */
export async function lockFreeDeparturesById(trx: Trx, ids: string[]): Promise<string[]> {
  return trx('departures').whereIn('id', ids).orderBy('id').forUpdate().skipLocked().pluck<string[]>('id');
}
