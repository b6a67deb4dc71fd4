import type { Db } from '../../platform/database/database';
import { START_TIME } from '../catalog/start-time';
import type { BusyTrip } from './busy-trips';
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
    `select u.trip, t.slug as tour, d.departure_date, ${START_TIME} as departure_time, lower(u.during) as "from", upper(u.during) as "to",
       sold.taken as seats, refs.booking_refs, refs.bookings_total
     from (select clock_timestamp() as at) clock
       join departure_uses u on u.resource_id = :resourceId and u.during && tstzrange(:from, :to)
       join departures d on d.id = u.departure_id and d.status = 'scheduled'
       join tours t on t.id = d.tour_id
       cross join lateral count_seats(d.id, false, clock.at) as sold
       cross join lateral (
         select count(*)::integer as bookings_total, coalesce((array_agg(l.booking_ref order by l.id))[1:100], '{}') as booking_refs
         from booking_leads l
         where l.departure_id = d.id and not l.sandbox and lead_stands(l.status, l.payment_due_at, clock.at)) as refs
     where sold.taken > 0
     order by lower(u.during), t.slug, d.id`,
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
