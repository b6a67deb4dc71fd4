import { describeRow, type Row, stored } from '../../../platform/database/row-description';
import { SHOWN_BY_RULES, visibilityJoins } from '../../catalog/visibility';
import { API_KEY_STATE, type ApiKeyState } from '../../credentials/verify-credential';
import { COUNTED_DEPARTURES, type CountedRow } from '../../departures/departure.repository';
import { LEAD_COLUMNS, LEAD_TABLES } from '../../bookings/booking-lead.repository';
import { START_TIME } from '../../catalog/start-time';
import { TOUR_ASKS } from '../../catalog/tour-asks';
import { LIFE_MINUTES } from '../../holds/hold-length';
import { CONSUMABLE_FIELDS, HOLD_TABLES, holdColumns } from '../../holds/seat-hold.repository';
import { bindKeys, STORED_ANSWERS, type StoredAnswer } from '../../idempotency/idempotency.repository';
import type { Category } from '../../parties/category';
import type { CountedUse, LockedResourceRow } from '../../resources/counted-trips';
import type { TouchedDate } from '../../resources/touched-dates';
import type { PriceRule } from '../../pricing/choose-price-rule';
import type { ExchangeRate } from '../../pricing/convert-price';
import { EXCHANGE_RATES } from '../../pricing/exchange-rate.repository';
import { PRICE_RULES_OF_TENANTS } from '../../pricing/price-rule.repository';
import type { Tenant } from '../../tenants/tenant';
import { principalsOf } from '../lock';
import type { SeatChange } from '../seat-change';
import {
  type CountedKind,
  type HeldSeats,
  type StoredHold,
  type StoredLead,
  type UndatedTour,
  viewKey,
} from './facts';

/** A row with the column `categories` as it is stored. */
export type Stored<Row> = Omit<Row, 'categories'> & { categories: Category[] | null };

/** The rows of each list. */
export interface FactLists {
  answers: StoredAnswer[];
  apiKeys: ApiKeyState[];
  departures: CountedRow[];
  lockedElsewhere: { id: string }[];
  resources: LockedResourceRow[];
  uses: CountedUse[];
  touchedDates: TouchedDate[];
  views: TenantView[];
  holdCounts: TenantCount[];
  holdTrips: TenantCount[];
  unpaidCounts: TenantCount[];
  rules: (PriceRule & { tenantId: string })[];
  rates: ExchangeRate[];
  namedHolds: Row[];
  holdsByReference: Row[];
  takenUuids: { tenantId: string; uuid: string }[];
  references: Reference[];
  undatedTours: UndatedTourRow[];
  leadIds: { id: number }[];
  storedHolds: Pick<StoredHold, 'lifeSecondsLeft'>[];
  storedLeads: Pick<StoredLead, 'nextUpdatedAt'>[];
}

/** Returns empty lists: new ones for each call, because a decision adds to them. */
export function emptyLists(): FactLists {
  return {
    answers: [],
    apiKeys: [],
    departures: [],
    lockedElsewhere: [],
    resources: [],
    uses: [],
    touchedDates: [],
    views: [],
    holdCounts: [],
    holdTrips: [],
    unpaidCounts: [],
    rules: [],
    rates: [],
    namedHolds: [],
    holdsByReference: [],
    takenUuids: [],
    references: [],
    undatedTours: [],
    leadIds: [],
    storedHolds: [],
    storedLeads: [],
  };
}

/**
 * One list of facts: a part of the single statement that read-facts.ts runs. `clock.at` is the clock reading of this statement. The
 * values are bound as arrays. With a JSON text in their place, PostgreSQL would expect 100 rows and read whole tables.
 */
export interface FactList {
  isWanted: boolean;
  sql: string;
  values: Record<string, unknown>;
}

export function storedAnswers(keyed: SeatChange[]): FactList {
  return {
    isWanted: keyed.length > 0,
    sql: `with stored as materialized (${STORED_ANSWERS}) select * from stored`,
    values: bindKeys(keyed.map(({ claim }) => claim!)),
  };
}

export function apiKeys(changes: SeatChange[]): FactList {
  const keyIds = unique(principalsOf(changes).map(({ keyId }) => keyId));
  return {
    isWanted: keyIds.length > 0,
    sql: API_KEY_STATE,
    values: { keyIds },
  };
}

/**
 * @param kinds of seats to count. True: those of the sandbox; false: real ones
 * @param countedResources the locked resources, whose seats `uses` counts
 */
export function departures(departureIds: string[], kinds: boolean[], countedResources: string[]): FactList {
  return {
    isWanted: departureIds.length > 0,
    sql: COUNTED_DEPARTURES,
    values: { departureIds, kinds, countedResources },
  };
}

export function lockedElsewhere(notLocked: string[]): FactList {
  return {
    isWanted: notLocked.length > 0,
    sql: 'select d.id from departures d where d.id = any(:notLocked::uuid[])',
    values: { notLocked },
  };
}

/** A tenant's view of one departure. */
export interface TenantView {
  tenantId: string;
  departureId: string;
  visible: boolean;
  /** Seats of the tenant's live holds and unpaid bookings on the departure. 0 if no tenant of the statement has a limited share. */
  unpaidSeats: number;
}

/** SQL of TenantView.unpaidSeats, without those of the desk and of imports. It uses FILTER instead of WHERE conditions, for the reason in 0108_seats.sql. */
const UNPAID_SEATS = `(
  coalesce((select sum(h.seats) filter (where h.tenant_id = w.tenant_id and not h.by_desk and hold_lives(h.status, h.expires_at, clock.at))
            from seat_holds h where h.departure_id = d.id and hold_takes_seats(h.status)), 0)
  + coalesce((select sum(l.seats) filter (where l.tenant_id = w.tenant_id and source_is_limited(l.source) and lead_is_unpaid(l.status, l.payment_due_at, clock.at))
              from booking_leads l where l.departure_id = d.id and lead_takes_seats(l.status)), 0)
)::integer`;

/**
 * Selects for each departure whether the tenant's visibility rules show its tour. If at least one of the tenants has a limited share, also
 * selects the unpaid seats of the tenants.
 */
export function views(wanted: { tenant: Tenant; departureId: string }[]): FactList {
  const distinct = [...new Map(wanted.map((one) => [viewKey(one.tenant.id, one.departureId), one])).values()];
  // Looks at the tenant of every request. Two requests may have the same tenant with different shares, if an operator changed the share
  // between them. A tenant whose share is 100 % is limited only by the free seats.
  const limited = wanted.some(({ tenant }) => tenant.maxHoldShare < 100);
  return {
    isWanted: distinct.length > 0,
    sql: `
      select w.tenant_id, d.id as departure_id, ${SHOWN_BY_RULES} as visible, ${limited ? UNPAID_SEATS : '0'} as unpaid_seats
      from unnest(:viewTenants::uuid[], :viewDepartures::uuid[]) as w (tenant_id, departure_id)
      join departures d on d.id = w.departure_id
      join tours t on t.id = d.tour_id
      ${visibilityJoins('w.tenant_id')}`,
    values: {
      viewTenants: distinct.map(({ tenant }) => tenant.id),
      viewDepartures: distinct.map(({ departureId }) => departureId),
    },
  };
}

/** A count of a tenant over all departures. */
export interface TenantCount {
  tenantId: string;
  count: number;
}

/** Counts the tenants' live holds, without those of the desk. */
export function holdCounts(changes: SeatChange[]): FactList {
  const holdTenants = tenantsCounting(changes, 'hold');
  return {
    isWanted: holdTenants.length > 0,
    sql: `
      select w.tenant_id, (
        select count(*) from seat_holds h
        where h.tenant_id = w.tenant_id and not h.by_desk and hold_lives(h.status, h.expires_at, clock.at)) as count
      from unnest(:holdTenants::uuid[]) as w (tenant_id)`,
    values: { holdTenants },
  };
}

/** Counts the tenants' standing unpaid bookings, with or without a date, without those of the desk and of imports. */
export function unpaidCounts(changes: SeatChange[]): FactList {
  const unpaidTenants = tenantsCounting(changes, 'booking');
  return {
    isWanted: unpaidTenants.length > 0,
    sql: `
      select w.tenant_id, (
        select count(*) from booking_leads l
        where l.tenant_id = w.tenant_id and source_is_limited(l.source) and lead_is_unpaid(l.status, l.payment_due_at, clock.at)) as count
      from unnest(:unpaidTenants::uuid[]) as w (tenant_id)`,
    values: { unpaidTenants },
  };
}

/** Returns the tenants of the changes that count rows of a kind. */
function tenantsCounting(changes: SeatChange[], kind: CountedKind): string[] {
  return unique(changes.flatMap(({ tenant, reads }) => (reads.counted === kind ? [tenant.id] : [])));
}

/** Selects the rules of the tenants whose changes may quote the prices of a tour. */
export function priceRules(changes: SeatChange[]): FactList {
  const quoting = changes.filter(quotesPrices);
  return {
    isWanted: quoting.length > 0,
    sql: PRICE_RULES_OF_TENANTS,
    values: {
      ruleTenants: unique(quoting.map(({ tenant }) => tenant.id)),
      ruleTours: unique(quoting.map(({ reads }) => reads.tourId)),
    },
  };
}

/** Selects all rates if one of the tenants whose changes may quote prices has a selling currency. */
export function exchangeRates(changes: SeatChange[]): FactList {
  return {
    isWanted: changes.some((change) => quotesPrices(change) && change.tenant.sellIn !== null),
    sql: EXCHANGE_RATES,
    values: {},
  };
}

const HELD_SEATS = describeRow<Omit<HeldSeats, 'endedBy'>>({
  ...CONSUMABLE_FIELDS,
  tenantId: stored('h.tenant_id'),
});

/** Converts a row of a hold that a booking may consume. */
export const toHeldSeats = HELD_SEATS.read;

/** Selects the holds `h` that a booking may consume. */
const SELECT_HELD_SEATS = `
  select ${HELD_SEATS.select}
  from seat_holds h join departures d on d.id = h.departure_id join tours t on t.id = d.tour_id`;

export function namedHolds(changes: SeatChange[]): FactList {
  const holdIds = changes.flatMap(({ reads: { consumed } }) =>
    consumed && 'id' in consumed ? [consumed.id] : [],
  );
  return {
    isWanted: holdIds.length > 0,
    sql: `${SELECT_HELD_SEATS} where h.id = any(:holdIds::uuid[])`,
    values: { holdIds },
  };
}

/**
 * Selects the live holds that bookings without a hold_id name by reference. Such a hold has the tenant, the departure and the reference of
 * the booking.
 */
export function holdsByReference(changes: SeatChange[]): FactList {
  const named = changes.flatMap(({ tenant, locks: { departureIds }, reads: { consumed } }) =>
    consumed && 'externalRef' in consumed
      ? [{ tenantId: tenant.id, departureId: departureIds[0], externalRef: consumed.externalRef }]
      : [],
  );
  return {
    isWanted: named.length > 0,
    sql: `${SELECT_HELD_SEATS}
      where h.id in (
        select live.id
        from unnest(:refTenants::uuid[], :refDepartures::uuid[], :refs::text[]) as w (tenant_id, departure_id, external_ref)
        join seat_holds live on live.tenant_id = w.tenant_id and live.departure_id = w.departure_id
          and live.external_ref = w.external_ref and hold_lives(live.status, live.expires_at, clock.at))`,
    values: {
      refTenants: named.map(({ tenantId }) => tenantId),
      refDepartures: named.map(({ departureId }) => departureId),
      refs: named.map(({ externalRef }) => externalRef),
    },
  };
}

/** Selects those UUIDs of new OCTO bookings that another one of the tenant already has. */
export function takenUuids(changes: SeatChange[]): FactList {
  const placed = changes.flatMap(({ tenant, locks: { octoUuid: uuid } }) =>
    uuid === undefined ? [] : [{ tenantId: tenant.id, uuid }],
  );
  return {
    isWanted: placed.length > 0,
    sql: `
      select o.tenant_id, o.uuid
      from unnest(:octoTenants::uuid[], :octoUuids::uuid[]) as w (tenant_id, uuid)
      join octo_bookings o using (tenant_id, uuid)`,
    values: {
      octoTenants: placed.map(({ tenantId }) => tenantId),
      octoUuids: placed.map(({ uuid }) => uuid),
    },
  };
}

interface Reference {
  tenantId: string;
  tourId: string;
  externalRef: string;
  /** The time that the booking names; null: none. */
  departureTime: string | null;
  live: number;
}

/**
 * Selects the references of bookings without a date that a live or ended hold of the tour also has. If the booking names a time, looks only
 * at holds on departures at this time.
 */
export function references(changes: SeatChange[]): FactList {
  const named = changes.flatMap(({ tenant, reads: { tourId, reference } }) =>
    reference ? [{ tenantId: tenant.id, tourId, ...reference }] : [],
  );
  return {
    isWanted: named.length > 0,
    sql: `
      select w.tenant_id, w.tour_id, w.external_ref, w.departure_time,
        (count(distinct h.id) filter (where hold_lives(h.status, h.expires_at, clock.at)))::integer as live
      from unnest(:namingTenants::uuid[], :namingTours::uuid[], :namedRefs::text[], :namedTimes::text[])
        as w (tenant_id, tour_id, external_ref, departure_time)
      join seat_holds h on h.tenant_id = w.tenant_id and h.external_ref = w.external_ref
      join departures d on d.id = h.departure_id and d.tour_id = w.tour_id
      join tours t on t.id = d.tour_id
      where w.departure_time is null or w.departure_time = ${START_TIME}
      group by w.tenant_id, w.tour_id, w.external_ref, w.departure_time, clock.at`,
    values: {
      namingTenants: named.map(({ tenantId }) => tenantId),
      namingTours: named.map(({ tourId }) => tourId),
      namedRefs: named.map(({ externalRef }) => externalRef),
      namedTimes: named.map(({ departureTime }) => departureTime),
    },
  };
}

type UndatedTourRow = Stored<UndatedTour> & { tenantId: string };

/**
 * Selects the tours of changes that lock no departure: of bookings without a date. Leaves out a tour that the visibility rules of the tenant do
 * not show.
 */
export function undatedTours(changes: SeatChange[]): FactList {
  const undated = changes.flatMap(({ tenant, locks: { departureIds }, reads: { tourId } }) =>
    tourId !== undefined && departureIds.length === 0 ? [{ tenantId: tenant.id, tourId }] : [],
  );
  return {
    isWanted: undated.length > 0,
    sql: `
      select w.tenant_id, t.id, t.continent, t.currency, t.currency_digits, t.categories, t.base_price_minor, t.cancellation,
        ${TOUR_ASKS} as asks
      from unnest(:undatedTenants::uuid[], :undatedTours::uuid[]) as w (tenant_id, tour_id)
      join tours t on t.id = w.tour_id
      ${visibilityJoins('w.tenant_id')}
      where ${SHOWN_BY_RULES}`,
    values: {
      undatedTenants: undated.map(({ tenantId }) => tenantId),
      undatedTours: undated.map(({ tourId }) => tourId),
    },
  };
}

export function leadIds(leads: number): FactList {
  return {
    isWanted: leads > 0,
    sql: `select nextval(pg_get_serial_sequence('booking_leads', 'id')) as id from generate_series(1, :leads::integer)`,
    values: { leads },
  };
}

/** Selects the stored holds that changes read, as findHold does. The free seats come from the facts of the departure. */
export function storedHolds(changes: SeatChange[]): FactList {
  const ids = changes.flatMap(({ reads }) => reads.holdId ?? []);
  return {
    isWanted: ids.length > 0,
    sql: `select ${holdColumns('0')}, extract(epoch from h.created_at + make_interval(mins => ${LIFE_MINUTES}) - clock.at) as life_seconds_left
      from ${HOLD_TABLES} where h.id = any(:changedHolds::uuid[])`,
    values: { changedHolds: ids },
  };
}

/** Selects the bookings that changes lock, as findLead does. */
export function storedLeads(changes: SeatChange[]): FactList {
  const ids = changes.flatMap(({ locks }) => locks.leadId ?? []);
  return {
    isWanted: ids.length > 0,
    sql: `select ${LEAD_COLUMNS}, to_json(next_update_of(l, clock.at) at time zone 'UTC') #>> '{}' || 'Z' as next_updated_at
      from ${LEAD_TABLES} where l.id = any(:changedLeads::bigint[])`,
    values: { changedLeads: ids },
  };
}

function quotesPrices({ reads }: SeatChange): boolean {
  return reads.tourId !== undefined;
}

function unique<T>(values: T[]): T[] {
  return [...new Set(values)];
}
