import { CLOCK, type Db } from '../../platform/database';
import type { Departure } from './departure';
import { departureColumns, toDeparture } from './departure.repository';

/**
 * Returns the departure of a date, the tour's revision, and the end of the count's validity: the first instant at which a
 * counted hold or lead expires, the departure closes, or its date ends.
 */
export async function findDepartureWithHorizon(
  db: Db,
  tourId: string,
  date: string,
  sandbox: boolean,
): Promise<{ departure: Departure | undefined; revision: number; asOf: Date; countedUntil: Date | null }> {
  const { rows } = await db.raw(
    `${CLOCK} select ${departureColumns(':sandbox::boolean')}, t.revision, least(
         (select min(h.expires_at) from seat_holds h
          where h.departure_id = d.id and h.sandbox = :sandbox and hold_lives(h.status, h.expires_at, clock.at)),
         (select min(l.payment_due_at) from booking_leads l
          where l.departure_id = d.id and l.sandbox = :sandbox and l.status = 'pending_payment' and l.payment_due_at > clock.at),
         case when d.closes_at > clock.at then d.closes_at end,
         case when d.departure_date >= tour_today(t.time_zone, clock.at)
           then departure_closes_at(d.departure_date, null, t.time_zone) end
       ) as counted_until
     from clock left join tours t on t.id = :tourId
       left join departures d on d.tour_id = t.id and d.departure_date = :wantedDate::date`,
    // The binding is not named date, because Knex would replace it in every ::date.
    { tourId, sandbox, wantedDate: date },
  );
  const { revision, countedUntil, ...row } = rows[0];
  const departure = row.id === null ? undefined : toDeparture(row);
  return { departure, revision: revision ?? 0, asOf: row.asOf, countedUntil };
}

/** Returns the horizon of findDepartureWithHorizon for all departures of a tour together. */
export async function findTourHorizon(
  db: Db,
  tourId: string,
  sandbox: boolean,
): Promise<{ departure?: undefined; revision: number; asOf: Date; countedUntil: Date | null }> {
  const { rows } = await db.raw(
    `${CLOCK} select coalesce(t.revision, 0) as revision, clock.at as as_of, least(
         (select min(h.expires_at) from departures d join seat_holds h on h.departure_id = d.id
          where d.tour_id = t.id and h.sandbox = :sandbox and hold_lives(h.status, h.expires_at, clock.at)),
         (select min(l.payment_due_at) from departures d join booking_leads l on l.departure_id = d.id
          where d.tour_id = t.id and l.sandbox = :sandbox and l.status = 'pending_payment' and l.payment_due_at > clock.at),
         (select min(d.closes_at) from departures d where d.tour_id = t.id and d.closes_at > clock.at),
         (select departure_closes_at(d.departure_date, null, t.time_zone) from departures d
          where d.tour_id = t.id and d.departure_date >= tour_today(t.time_zone, clock.at)
          order by d.departure_date limit 1)
       ) as counted_until
     from clock left join tours t on t.id = :tourId`,
    { tourId, sandbox },
  );
  return rows[0];
}
