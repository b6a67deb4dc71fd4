import type { Db } from '../../platform/database/database';
import { START_TIME } from '../catalog/start-time';
import type { ResourceKind } from './resource';

/** A resource of a departure that leaves it no seat, because of another trip or a closing. */
export interface Blocking {
  departureId: string;
  /** The code of the resource. */
  resource: string;
  /** The sold departure that takes the unit. Null: a closing. */
  tour: string | null;
  departureDate: string | null;
  departureTime: string | null;
  from: Date;
  to: Date;
  /** The first live hold or standing booking of the trip: one of both is not null, unless a closing blocks. */
  holdId: string | null;
  bookingRef: string | null;
  /** The reason of the closing. */
  closing: string | null;
}

/** A resource of a departure, for its guide. */
export interface UsedResource {
  code: string;
  kind: ResourceKind;
  name: string;
  phone: string | null;
  email: string | null;
}

/** Returns the uses of the departures: their own, or those of their tours, which are read one by one by their ids. */
export async function selectUses(db: Db, departureIds: string[]): Promise<{ id: string; uses: object[] }[]> {
  const { rows } = await db.raw<{ rows: { id: string; uses: object[] }[] }>(
    `select d.id, coalesce(d.uses, (select t.uses from tours t where t.id = d.tour_id), '[]') as uses from departures d
     where d.id = any(:departureIds::uuid[])`,
    { departureIds },
  );
  return rows;
}

/** Returns the trips and closings at the times of those resources that leave the departures no seat, in the order of their beginnings. */
export async function selectBlocking(db: Db, departureIds: string[]): Promise<Blocking[]> {
  const { rows } = await db.raw<{ rows: Blocking[] }>(
    `with clock as materialized (select clock_timestamp() as at),
     -- The resources that leave a departure no seat, with its time and the turnaround on both sides.
     blocked as materialized (
       select mine.departure_id, mine.trip, r.id as resource_id, r.code, load.absent >= load.units as by_others,
         tstzrange(lower(mine.during) - make_interval(mins => r.turnaround), upper(mine.during) + make_interval(mins => r.turnaround)) as during
       from clock, departure_uses mine join resources r on r.id = mine.resource_id
         cross join lateral resource_loads(mine.departure_id, false, clock.at) as load
       where mine.departure_id = any(:departureIds::uuid[]) and load.resource_id = mine.resource_id
         and (load.absent >= load.units or load.seats >= load.places)
     )
     select b.departure_id, b.code as resource, t.slug as tour, d.departure_date, ${START_TIME} as departure_time,
       lower(u.during) as "from", upper(u.during) as "to", sale.hold_id, sale.booking_ref, null as closing
     from clock, blocked b
       join departure_uses u on u.resource_id = b.resource_id and u.during && b.during and (u.trip <> b.trip) = b.by_others
       join departures d on d.id = u.departure_id and d.status = 'scheduled'
       join tours t on t.id = d.tour_id
       -- The first sale of the departure.
       cross join lateral (
         select first.hold_id, first.booking_ref from (
           select h.created_at, h.id as hold_id, null as booking_ref from seat_holds h
           where h.departure_id = d.id and not h.sandbox and hold_lives(h.status, h.expires_at, clock.at)
           union all
           select l.created_at, null, l.booking_ref from booking_leads l
           where l.departure_id = d.id and not l.sandbox and lead_stands(l.status, l.payment_due_at, clock.at)
         ) as first order by first.created_at limit 1) as sale
     union all
     select b.departure_id, b.code, null, null, null, lower(c.during), upper(c.during), null, null, c.reason
     from blocked b join resource_closings c on c.resource_id = b.resource_id and c.during && b.during
     where b.by_others
     order by "from", tour`,
    { departureIds },
  );
  return rows;
}

/** Returns the resources of a departure: guides first, then vehicles, places and equipment. */
export async function selectUsedResources(db: Db, departureId: string): Promise<UsedResource[]> {
  const { rows } = await db.raw<{ rows: UsedResource[] }>(
    `select r.code, r.kind, r.name, r.phone, r.email from departure_uses u join resources r on r.id = u.resource_id
     where u.departure_id = :departureId
     order by array_position(array['guide', 'vehicle', 'place', 'equipment'], r.kind), r.code`,
    { departureId },
  );
  return rows;
}

/** A departure that uses a resource on a date, with the text that the departures of its trip share. */
export interface DepartureOnTrip {
  id: string;
  trip: string;
  tourSlug: string;
  /** HH:MM. Null: none. */
  startTime: string | null;
  /** True: the departure has a live hold or a standing booking, without those of the sandbox, so that the trip exists. */
  isSold: boolean;
}

/** Returns the departures of a date that use a resource, by time and tour. */
export async function selectDeparturesOnTrips(
  db: Db,
  resourceId: string,
  date: string,
): Promise<DepartureOnTrip[]> {
  const { rows } = await db.raw<{ rows: DepartureOnTrip[] }>(
    `select d.id, u.trip, t.slug as tour_slug, ${START_TIME} as start_time, sold.taken > 0 as is_sold
     from departure_uses u join departures d on d.id = u.departure_id join tours t on t.id = d.tour_id
       cross join lateral count_seats(d.id, false, clock_timestamp()) as sold
     where u.resource_id = :resourceId and d.departure_date = :day::date and d.status = 'scheduled'
     order by lower(u.during), t.slug, d.id`,
    { resourceId, day: date },
  );
  return rows;
}
