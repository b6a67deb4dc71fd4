import { somethingExpired } from '../catalog/departure-state';
import type { LockedResource, ResourceUse } from './trips';

/** A row of LOCKED_RESOURCES. */
export type LockedResourceRow = Omit<LockedResource, 'closings'> & {
  closings: LockedResource['closings'] | null;
};

/** A row of COUNTED_USES. */
export interface CountedUse extends ResourceUse {
  tourId: string;
  departureDate: string;
  /** True: the departure has holds or bookings to mark as expired. */
  somethingExpired: boolean;
}

/** SQL of an instant in milliseconds since 1970. */
const millisecondsOf = (instant: string) => `(extract(epoch from ${instant}) * 1000)::float8`;

/** Selects the resources `:resourceIds` with their closings. Runs after the locks of these resources. */
export const LOCKED_RESOURCES = `
  select r.id, r.code, r.places, r.units, r.turnaround * 60000 as turnaround_ms, (
    select json_agg(json_build_object('from', ${millisecondsOf('lower(c.during)')}, 'to', ${millisecondsOf('upper(c.during)')},
      'units', coalesce(c.units, r.units)))
    from resource_closings c where c.resource_id = r.id and upper(c.during) > clock.at - interval '1 year') as closings
  from resources r where r.id = any(:resourceIds::uuid[])`;

/**
 * Selects the uses of the resources `:resourceIds` at the times of the trips of the departures `:departureIds`, with the seats that are sold at
 * `clock.at`: each use once for each of `:kinds` (true: seats of the sandbox; false: real seats). Runs after the locks of the resources.
 */
export const COUNTED_USES = `
  select u.resource_id, u.departure_id, k.sandbox, u.trip, d.tour_id, d.departure_date,
    ${millisecondsOf('lower(u.during)')} as "from", ${millisecondsOf('upper(u.during)')} as "to",
    case when d.status = 'scheduled' then (select taken from count_seats(d.id, k.sandbox, clock.at)) else 0 end as seats,
    ${somethingExpired('d.id')} as something_expired
  from (
    select distinct near.resource_id, near.departure_id
    from departure_uses mine
      join resources r on r.id = mine.resource_id
      join departure_uses own on own.resource_id = mine.resource_id and own.trip = mine.trip
      join departure_uses near on near.resource_id = mine.resource_id and near.during
        && tstzrange(lower(own.during) - make_interval(mins => r.turnaround), upper(own.during) + make_interval(mins => r.turnaround))
    where mine.departure_id = any(:departureIds::uuid[]) and mine.resource_id = any(:resourceIds::uuid[])
  ) found
    join departure_uses u on u.resource_id = found.resource_id and u.departure_id = found.departure_id
    join departures d on d.id = u.departure_id
    cross join unnest(:kinds::boolean[]) as k (sandbox)`;

/**
 * SQL of the first instant at which a hold or booking expires that `seatsOfResources` of the departure `d` of the tour `t` counts. Null: none, or
 * the departure uses no resource.
 */
export const RESOURCES_COUNTED_UNTIL = `case when coalesce(d.uses, t.uses) is not null then (
  select least(
    min((select min(h.expires_at) from seat_holds h
         where h.departure_id = near.departure_id and h.sandbox = :sandbox and hold_lives(h.status, h.expires_at, clock.at))),
    min((select min(l.payment_due_at) from booking_leads l
         where l.departure_id = near.departure_id and l.sandbox = :sandbox and lead_is_unpaid(l.status, l.payment_due_at, clock.at))))
  from departure_uses mine
    join resources r on r.id = mine.resource_id
    join departure_uses own on own.resource_id = mine.resource_id and own.trip = mine.trip
    join departure_uses near on near.resource_id = mine.resource_id and near.during
      && tstzrange(lower(own.during) - make_interval(mins => r.turnaround), upper(own.during) + make_interval(mins => r.turnaround))
  where mine.departure_id = d.id) end`;

/** The same for all departures to come of the tour `t`: any hold or booking of a departure that uses one of their resources. */
export const TOUR_RESOURCES_COUNTED_UNTIL = `(
  select least(
    min((select min(h.expires_at) from seat_holds h
         where h.departure_id = u.departure_id and h.sandbox = :sandbox and hold_lives(h.status, h.expires_at, clock.at))),
    min((select min(l.payment_due_at) from booking_leads l
         where l.departure_id = u.departure_id and l.sandbox = :sandbox and lead_is_unpaid(l.status, l.payment_due_at, clock.at))))
  from (
    select distinct mine.resource_id from departures d join departure_uses mine on mine.departure_id = d.id
    where d.tour_id = t.id and upper(mine.during) > clock.at) used
    join departure_uses u on u.resource_id = used.resource_id and u.during && tstzrange(clock.at, null))`;
