import type { Db } from '../../platform/database';

export interface OversoldDeparture {
  tour: string;
  departureDate: string;
  seatsTotal: number;
  seatsTaken: number;
}

/** Counts the departures with live holds or bookings, and returns the oversold ones. */
export async function recountSeats(db: Db): Promise<{ recounted: number; oversold: OversoldDeparture[] }> {
  const { rows } = await db.raw(
    `with occupied as (
       select departure_id from seat_holds where hold_lives(status, expires_at, clock_timestamp())
       union
       select departure_id from booking_leads where status in ('pending_payment', 'confirmed') and departure_id is not null
     ), recounted as (
       select d.id, d.tour_id, d.departure_date, d.seats_total, seats_taken(d.id, clock_timestamp()) as taken
       from departures d join occupied o on o.departure_id = d.id
     )
     select count(*)::integer as recounted,
       coalesce(jsonb_agg(jsonb_build_object('tour', t.slug, 'departureDate', r.departure_date,
         'seatsTotal', r.seats_total, 'seatsTaken', r.taken)) filter (where r.taken > r.seats_total), '[]') as oversold
     from recounted r join tours t on t.id = r.tour_id`,
  );
  return rows[0];
}

/** Ids of inconsistent holds. */
export interface OrphanedHolds {
  /** Number of holds that expired over ten minutes ago and are still stored as active. */
  lapsed: number;
  /** Converted holds without a booking. */
  unbooked: string[];
  /** Holds of a booking that are not converted. */
  unconverted: string[];
}

export async function findOrphanedHolds(db: Db): Promise<OrphanedHolds> {
  const { rows } = await db.raw(
    `select
       (select count(*) from seat_holds
        where hold_lapsed(status, expires_at, clock_timestamp() - interval '10 minutes'))::integer as lapsed,
       array(select h.id from seat_holds h where h.status = 'converted'
             and not exists (select from booking_leads l where l.hold_id = h.id) limit 100) as unbooked,
       array(select h.id from booking_leads l join seat_holds h on h.id = l.hold_id
             where h.status <> 'converted' limit 100) as unconverted`,
  );
  return rows[0];
}

export interface InstallationFacts {
  version: string;
  clockSkewMs: number;
  liveHolds: number;
  /** Number of registered API processes. */
  instances: number;
}

export async function collectFacts(db: Db): Promise<InstallationFacts> {
  const asked = Date.now();
  const { rows } = await db.raw(
    `select current_setting('server_version') as version, clock_timestamp() as clock,
       (select count(*) from seat_holds where hold_lives(status, expires_at, clock_timestamp())) as live_holds,
       (select count(*) from api_instances)::integer as instances`,
  );
  const row = rows[0];
  const answered = Date.now();
  return {
    version: row.version,
    clockSkewMs: Math.round((row.clock as Date).getTime() - (asked + answered) / 2),
    liveHolds: row.live_holds,
    instances: row.instances,
  };
}

/** Finds instances without a recent poll, by the database's clock. */
export async function findSilentInstances(
  db: Db,
  seconds: number,
): Promise<{ id: string; polledAt: Date }[]> {
  return db('api_instances')
    .whereRaw('polled_at < clock_timestamp() - make_interval(secs => ?)', [seconds])
    .orderBy('polled_at')
    .limit(100)
    .select<{ id: string; polledAt: Date }[]>('id', 'polled_at as polledAt');
}
