import type { Db } from '../../platform/database';

export interface OversoldDeparture {
  tour: string;
  departureDate: string;
  seatsTotal: number;
  seatsTaken: number;
}

/** Departures with anything live on them, and those of them that have more seats taken than they have. */
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

export interface InstallationFacts {
  version: string;
  clockSkewMs: number;
  liveHolds: number;
  /** Ids. */
  expiringKeys: string[];
  /** Slugs of usable tenants that have a live widget token and no origin for it. */
  tenantsWithoutOrigins: string[];
  /** Slugs of tenants past their trial that still list http://localhost. */
  tenantsWithDevelopmentOrigins: string[];
}

export async function collectFacts(db: Db, expiringWithinDays: number): Promise<InstallationFacts> {
  const asked = Date.now();
  const { rows } = await db.raw(
    `select current_setting('server_version') as version, clock_timestamp() as clock,
       (select count(*) from seat_holds where hold_lives(status, expires_at, clock_timestamp())) as live_holds,
       array(select k.id from api_keys k join tenants t on t.id = k.tenant_id
             where t.status in ('trial', 'active') and k.revoked_at is null and k.replaced_by is null
               and k.expires_at between clock_timestamp() and clock_timestamp() + make_interval(days => :days)
             order by k.expires_at limit 100) as expiring_keys,
       array(select t.slug from tenants t where t.status in ('trial', 'active') and t.origins = '{}'
             and exists (select from widget_tokens w where w.tenant_id = t.id and w.origins is null
               and w.revoked_at is null and (w.expires_at is null or w.expires_at > clock_timestamp()))
             order by t.slug limit 100) as without_origins,
       array(select t.slug from tenants t where t.status <> 'trial' and array_to_string(t.origins, ' ') ~ 'http:'
             order by t.slug limit 100) as with_development_origins`,
    { days: expiringWithinDays },
  );
  const row = rows[0];
  const answered = Date.now();
  return {
    version: row.version,
    clockSkewMs: Math.round((row.clock as Date).getTime() - (asked + answered) / 2),
    liveHolds: row.live_holds,
    expiringKeys: row.expiring_keys,
    tenantsWithoutOrigins: row.without_origins,
    tenantsWithDevelopmentOrigins: row.with_development_origins,
  };
}
