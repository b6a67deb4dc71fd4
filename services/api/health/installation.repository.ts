import type { Db } from '../../platform/database/database';
import { startTimeOf } from '../catalog/start-time';
import { visibleTours } from '../catalog/visibility';
import { TENANT_MAY_BE_USED } from '../tenants/tenant';
import { openAt } from '../catalog/departure-state';

interface OversoldDeparture {
  tour: string;
  departureDate: string;
  /** HH:MM; null: none. */
  departureTime: string | null;
  seatsTotal: number;
  seatsTaken: number;
}

/** Counts the departures that have live holds, unpaid bookings or confirmed bookings of real seats, and returns the oversold ones. */
export async function recountSeats(db: Db): Promise<{ recounted: number; oversold: OversoldDeparture[] }> {
  const { rows } = await db.raw(
    `with occupied as (
       select departure_id from seat_holds where not sandbox and hold_lives(status, expires_at, clock_timestamp())
       union
       select departure_id from booking_leads where not sandbox and lead_takes_seats(status) and departure_id is not null
     ), recounted as (
       select d.id, d.tour_id, d.departure_date, d.start_time, d.seats_total, (select taken from count_seats(d.id, false, clock_timestamp())) as taken
       from departures d join occupied o on o.departure_id = d.id
     )
     select count(*)::integer as recounted,
       coalesce(jsonb_agg(jsonb_build_object('tour', t.slug, 'departureDate', r.departure_date,
         'departureTime', coalesce(r.start_time, t.start_time), 'seatsTotal', r.seats_total, 'seatsTaken', r.taken)) filter (where r.taken > r.seats_total), '[]') as oversold
     from recounted r join tours t on t.id = r.tour_id`,
  );
  return rows[0];
}

/** A sold departure to come that a resource cannot carry. */
interface OversoldTrip {
  resource: string;
  tour: string;
  departureDate: string;
  /** HH:MM; null: none. */
  departureTime: string | null;
}

/**
 * Returns the real sold departures to come whose resources make more trips at once than they have units, or whose trips have more seats than
 * places. Closed units count as present, as in the trigger of 0168_resources.sql.
 */
export async function recountTrips(db: Db): Promise<OversoldTrip[]> {
  const { rows } = await db.raw(
    `with clock as materialized (select clock_timestamp() as at)
     select r.code as resource, t.slug as tour, d.departure_date, ${startTimeOf('t')} as departure_time
     from clock
       join departure_uses u on upper(u.during) > clock.at
       join departures d on d.id = u.departure_id and d.status = 'scheduled'
       join tours t on t.id = d.tour_id
       join resources r on r.id = u.resource_id
       cross join lateral count_seats(d.id, false, clock.at) as sold
       cross join lateral resource_loads(d.id, false, clock.at) as load
     where sold.taken > 0 and load.resource_id = u.resource_id and (load.others >= load.units or load.seats > load.places)
     order by r.code, lower(u.during), t.slug`,
  );
  return rows;
}

/** Holds whose stored status contradicts the clock or their booking. */
interface OrphanedHolds {
  /** Number of holds that expired over ten minutes ago and are still stored as active. */
  lapsed: number;
  /** Converted holds without a booking. */
  unbooked: string[];
  /** Holds that have a booking, but are not stored as converted. */
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

/** Numbers of rows, also of closed tenants, archived tours and cancelled bookings. */
export interface InstallationContents {
  tenants: number;
  tours: number;
  bookings: number;
}

export async function countContents(db: Db): Promise<InstallationContents> {
  const { rows } = await db.raw<{ rows: [InstallationContents] }>(
    `select (select count(*) from tenants)::integer as tenants,
       (select count(*) from tours)::integer as tours,
       (select count(*) from booking_leads)::integer as bookings`,
  );
  return rows[0];
}

export interface InstallationFacts {
  clockSkewMs: number;
  liveHolds: number;
  /** Number of registered API processes. */
  instances: number;
}

export async function collectFacts(db: Db): Promise<InstallationFacts> {
  const asked = Date.now();
  const { rows } = await db.raw(
    `select clock_timestamp() as clock,
       (select count(*) from seat_holds where not sandbox and hold_lives(status, expires_at, clock_timestamp())) as live_holds,
       (select count(*) from api_instances)::integer as instances`,
  );
  const answered = Date.now();
  const { clock, ...facts } = rows[0] as InstallationFacts & { clock: Date };
  return { ...facts, clockSkewMs: Math.round(clock.getTime() - (asked + answered) / 2) };
}

/** Finds instances whose last poll was more than `seconds` ago, by the database's clock. */
export async function findSilentInstances(
  db: Db,
  seconds: number,
): Promise<{ id: string; polledAt: Date }[]> {
  return db('api_instances')
    .whereRaw('polled_at < clock_timestamp() - make_interval(secs => ?)', [seconds])
    .orderBy('polled_at')
    .limit(100)
    .select<{ id: string; polledAt: Date }[]>('id', 'polled_at');
}

/** The earliest present date of all time zones: that of UTC-12. */
const TODAY_ANYWHERE = `(now() at time zone 'Etc/GMT+12')::date`;

const TOKEN_IS_LIVE = 'w.revoked_at is null and (w.expires_at is null or w.expires_at > clock_timestamp())';

export async function findOriginGaps(db: Db): Promise<{
  /** Slugs of tenants that have a live widget token and no origin for it. */
  withoutOrigins: string[];
  /** Tenants past their trial that still list http://localhost. */
  withDevelopmentOrigins: { slug: string; origins: string[] }[];
}> {
  const withoutOrigins = await db('tenants as t')
    .whereRaw(
      `${TENANT_MAY_BE_USED} and t.origins = '{}' and exists (
         select from widget_tokens w where w.tenant_id = t.id and w.origins is null and ${TOKEN_IS_LIVE})`,
    )
    .orderBy('t.slug')
    .limit(100)
    .pluck<string[]>('t.slug');
  const { rows } = await db.raw(
    `select t.slug, array(select o from unnest(t.origins) o where o like 'http:%') as origins from tenants t
     where t.status <> 'trial' and array_to_string(t.origins, ' ') ~ 'http:' order by t.slug limit 100`,
  );
  return { withoutOrigins, withDevelopmentOrigins: rows };
}

/** Returns the slugs of at most 100 usable tenants that have a live widget token and no valid address for the links of its cards. */
export async function findTenantsWithoutLinks(db: Db): Promise<string[]> {
  return db('tenants as t')
    .whereRaw(
      `${TENANT_MAY_BE_USED} and (t.link_template is null or (t.link_template like 'http:%' and t.status <> 'trial'))
       and exists (select from widget_tokens w where w.tenant_id = t.id and ${TOKEN_IS_LIVE})`,
    )
    .orderBy('t.slug')
    .limit(100)
    .pluck<string[]>('t.slug');
}

/** Returns whether any tour is published. Also returns the slugs of usable tenants that see no published tour, at most 100 slugs. */
export async function findTenantsWithoutTours(db: Db): Promise<{ anyTour: boolean; blind: string[] }> {
  const { rows } = await db.raw(
    `with ${visibleTours(`select t.id, t.slug, t.default_visible, null::text[] as sells from tenants t where ${TENANT_MAY_BE_USED}`)}
     select exists (select from published) as any_tour, array(
       select slug from tenant join counted using (id) where visible = 0 order by slug limit 100) as blind`,
  );
  return rows[0];
}

interface BlockedDeparture {
  tenant: string;
  tour: string;
  departureDate: string;
  /** HH:MM; null: none. */
  departureTime: string | null;
}

/**
 * Finds at most 100 open departures on which the live holds and unpaid bookings of one tenant take all seats, without those of the desk and of
 * imports, which its limit does not count. Checks only tenants without a limit (`max_hold_share` 100). Finds none if there is only one real tenant that the API serves.
 */
export async function findBlockedDepartures(db: Db): Promise<BlockedDeparture[]> {
  const { rows } = await db.raw<{ rows: BlockedDeparture[] }>(
    `with unpaid as (
       select tenant_id, departure_id, seats from seat_holds
       where not sandbox and not by_desk and hold_lives(status, expires_at, clock_timestamp())
       union all
       select tenant_id, departure_id, seats from booking_leads
       where not sandbox and source_is_limited(source) and lead_is_unpaid(status, payment_due_at, clock_timestamp())
     ), taken as (
       select tenant_id, departure_id, sum(seats) as seats from unpaid group by tenant_id, departure_id
     )
     select t.slug as tenant, o.slug as tour, d.departure_date, ${startTimeOf('o')} as departure_time
     from taken
       join departures d on d.id = taken.departure_id and taken.seats >= d.seats_total
       join tours o on o.id = d.tour_id
       join tenants t on t.id = taken.tenant_id and t.max_hold_share = 100
     where ${TENANT_MAY_BE_USED}
       and ${openAt('clock_timestamp()', 'o')}
       and (select count(*) from tenants t where ${TENANT_MAY_BE_USED} and not t.sandbox) > 1
     order by d.departure_date, departure_time, o.slug, t.slug limit 100`,
  );
  return rows;
}

export async function findUnusedContinentRules(db: Db): Promise<{ slug: string; continent: string }[]> {
  return db('visibility_continent_rules as c')
    .join('tenants as t', 't.id', 'c.tenant_id')
    .whereRaw(`${TENANT_MAY_BE_USED} and not exists (select from tours o where o.continent = c.continent)`)
    .orderBy(['t.slug', 'c.continent'])
    .limit(100)
    .select<{ slug: string; continent: string }[]>('t.slug', 'c.continent');
}

export interface UnusedPriceRule {
  id: number;
  slug: string;
  because: 'currency' | 'past' | 'archived' | 'continent' | 'beaten';
}

/**
 * Finds price rules that can never decide a price, and counts the tenants without a rule. Repeats whyInapplicable and rankPriceRules
 * (pricing/choose-price-rule.ts) and ruleCurrencyOf (pricing/selling-currency.ts) in SQL.
 */
export async function findUnusedPriceRules(
  db: Db,
): Promise<{ dead: UnusedPriceRule[]; withoutRules: number }> {
  const { rows: dead } = await db.raw(
    `select * from (
       select r.id, t.slug, case
         when r.currency <> coalesce(t.sell_in, t.currency) or (t.sell_in is null and r.currency <> o.currency) then 'currency'
         when r.travel_to < ${TODAY_ANYWHERE} then 'past'
         when o.status = 'archived' then 'archived'
         when r.continent is not null and not exists (select from tours c where c.continent = r.continent) then 'continent'
         when exists (
           select from price_rules n
           where n.tenant_id = r.tenant_id and n.id > r.id and (n.currency is null or n.currency = r.currency)
             and n.tour_id is not distinct from r.tour_id and n.continent is not distinct from r.continent
             and (n.kind = 'percent' or r.kind <> 'percent' and n.category is not distinct from r.category)
             and n.travel_from is not distinct from r.travel_from and n.travel_to is not distinct from r.travel_to)
           then 'beaten'
         end as because
       from price_rules r join tenants t on t.id = r.tenant_id left join tours o on o.id = r.tour_id
       where ${TENANT_MAY_BE_USED}) as checked
     where because is not null order by slug, id limit 100`,
  );
  const { rows } = await db.raw(
    `select count(*)::integer as tenants from tenants t
     where ${TENANT_MAY_BE_USED} and not exists (select from price_rules r where r.tenant_id = t.id)`,
  );
  return { dead, withoutRules: rows[0].tenants };
}
