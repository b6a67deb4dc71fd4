import type { Db } from '../../platform/database/database';
import { BUSY_TRIP, type BusyTrip, SALES_BY_TIME } from './busy-trips';
import type { TimeSpan } from './resource';

/** A sold departure of a resource, with the text that the departures of its trip share. */
export interface SoldTrip extends BusyTrip {
  trip: string;
}

/** Returns the real sales of the departures that use a resource in a time, each departure once, in the order of their times. */
export async function selectSoldTrips(
  db: Db,
  resourceId: string,
  { from, to }: TimeSpan,
): Promise<SoldTrip[]> {
  const { rows } = await db.raw<{ rows: SoldTrip[] }>(
    `select u.trip, ${BUSY_TRIP}
     from (select clock_timestamp() as at) clock
       join departure_uses u on u.resource_id = :resourceId and u.during && tstzrange(:from, :to)
       join departures d on d.id = u.departure_id and d.status = 'scheduled'
       ${SALES_BY_TIME}`,
    { resourceId, from, to },
  );
  return rows;
}

/** A day of a resource in its zone. */
export interface LocalDay extends TimeSpan {
  /** YYYY-MM-DD */
  date: string;
}

/**
 * Returns the days of a zone, from the first to the last, with their instants.
 * @param from YYYY-MM-DD
 * @param to YYYY-MM-DD. Undefined: `days` days
 */
export async function selectLocalDays(
  db: Db,
  timeZone: string,
  { from, to, days }: { from: string; to?: string; days: number },
): Promise<LocalDay[]> {
  const { rows } = await db.raw<{ rows: LocalDay[] }>(
    `select day.date::date as date, instant_of(day.date, :timeZone) as "from", instant_of(day.date + interval '1 day', :timeZone) as "to"
     from generate_series(:from::timestamp, coalesce(:to::date, :from::date + :days::integer - 1)::timestamp, interval '1 day') as day (date)
     order by day.date`,
    { timeZone, from, to: to ?? null, days },
  );
  return rows;
}
