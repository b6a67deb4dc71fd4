import { CLOCK, runPrepared, type Trx } from '../../platform/database';
import { toFields } from '../../platform/database/field-names';
import { IS_VISIBLE, visibilityJoins } from '../catalog/visibility';
import { API_KEY_STATE, type ApiKeyState, keyCheckOf } from '../credentials/verify-credential';
import { COUNTED_DEPARTURES, type CountedRow, toDeparture } from '../departures/departure.repository';
import { freeExpiredSeats } from '../departures/free-expired-seats';
import { bindKeys, STORED_ANSWERS, type StoredAnswer } from '../idempotency/idempotency.repository';
import type { PriceRule } from '../pricing/choose-price-rule';
import { PRICE_RULES_OF_TENANTS } from '../pricing/price-rule.repository';
import { lockedPrices, type PricedTour } from '../pricing/prices';
import type { Tenant } from '../tenants/tenant';
import { hasItsLocks, principalsOf, type SaleLocks } from './lock-sales';
import type { BookingSale, Sale } from './sale';
import {
  countedKey,
  type DepartureFacts,
  type HeldSeats,
  referenceKey,
  type SaleFacts,
  viewKey,
} from './sale-facts';
import type { TenantCount, TenantCounter } from './tenant-limits';

export interface ReadFacts {
  facts: SaleFacts;
  /** The stored answer of the sale's Idempotency-Key, if there is one. */
  answerOf(sale: Sale): StoredAnswer | undefined;
  /** Ids of departures that exist and that another transaction has locked. */
  lockedElsewhere: ReadonlySet<string>;
  /** The database's clock reading at which seats were counted, with microseconds. */
  at: string;
  transactionId: string;
  /** Numbers for the new leads, ascending, one for each booking. */
  leadIds: number[];
}

/**
 * Reads what the sales depend on in one statement, after their locks. Then marks expired holds and bookings of the departures, which count
 * no longer: more statements, only if there are any.
 */
export async function readSaleFacts(
  trx: Trx,
  sales: Sale[],
  locks: SaleLocks,
  counter: TenantCounter,
): Promise<ReadFacts> {
  const keyed = sales.filter((sale) => sale.claim !== null && locks.ownKey.has(sale));
  const locked = new Set(locks.departureIds);
  const placed = sales.filter(({ departureId }) => departureId !== null && locked.has(departureId));
  const bookings = sales.filter((sale) => sale.kind === 'booking');
  const placedBookings = placed.filter((sale) => sale.kind === 'booking');
  const undated = bookings.filter(({ departureDate }) => departureDate === null);
  const counts = counter.plan(sales);
  const row = await readRow(trx, [
    storedAnswers(keyed),
    apiKeys(sales),
    departures(locks.departureIds, sales),
    lockedElsewhere(locks.notLocked),
    views(placed.map(({ tenant, departureId }) => ({ tenant, departureId: departureId! }))),
    holdCounts(counts.wanted),
    unpaidCounts(counts.wanted),
    priceRules(sales),
    namedHolds(placedBookings),
    holdsByReference(placedBookings),
    references(undated),
    undatedTours(undated),
    // The other bookings are tried again, or refused.
    leadIds(bookings.filter((sale) => hasItsLocks(sale, locks)).length),
  ]);
  await markExpired(trx, row);
  const read = [...row.holdCounts, ...row.unpaidCounts];
  counter.remember(sales, read);
  const answers = new Map(row.answers.map((answer) => [keyed[answer.n], answer]));
  const counted = [...counts.known, ...read];
  return {
    at: row.at,
    transactionId: row.transactionId,
    leadIds: row.leadIds.map(({ id }) => id),
    answerOf: (sale) => answers.get(sale),
    lockedElsewhere: new Set(row.lockedElsewhere.map(({ id }) => id)),
    facts: {
      ...departureFacts(row),
      liveHolds: countsOf('hold', counted),
      unpaidLeads: countsOf('booking', counted),
      holds: distinctHolds([...row.namedHolds, ...row.holdsByReference]),
      references: new Map(
        row.references.map((one) => [referenceKey(one.tenantId, one.tourId, one.externalRef), one]),
      ),
      undatedTours: new Map(row.undatedTours.map((tour) => [viewKey(tour.tenantId, tour.id), tour])),
      assertKeyServes: keyCheckOf(row.apiKeys),
    },
  };
}

/**
 * Reads what the change of a hold or booking depends on, after the locks of the departure that it leaves and of the one that it goes to.
 * @param tourId the tour after the change
 */
export async function readChangeFacts(
  trx: Trx,
  tenant: Tenant,
  tourId: string,
  departureIds: string[],
): Promise<DepartureFacts> {
  const change = [{ tenant, tour: { id: tourId } }];
  const row = await readRow(trx, [
    departures(departureIds, change),
    views(departureIds.map((departureId) => ({ tenant, departureId }))),
    priceRules(change),
  ]);
  await markExpired(trx, row);
  return departureFacts(row);
}

/** The row of the statement. A part that was left out has no rows. */
interface FactsRow {
  at: string;
  transactionId: string;
  answers: StoredAnswer[];
  apiKeys: ApiKeyState[];
  departures: CountedRow[];
  lockedElsewhere: { id: string }[];
  views: TenantView[];
  holdCounts: TenantCount[];
  unpaidCounts: TenantCount[];
  rules: (PriceRule & { tenantId: string })[];
  namedHolds: HeldSeats[];
  holdsByReference: HeldSeats[];
  references: Reference[];
  undatedTours: UndatedTour[];
  leadIds: { id: number }[];
}

type Lists = Omit<FactsRow, 'at' | 'transactionId'>;

/** Returns new lists, because a decision adds to them. */
function emptyLists(): Lists {
  return {
    answers: [],
    apiKeys: [],
    departures: [],
    lockedElsewhere: [],
    views: [],
    holdCounts: [],
    unpaidCounts: [],
    rules: [],
    namedHolds: [],
    holdsByReference: [],
    references: [],
    undatedTours: [],
    leadIds: [],
  };
}

/**
 * A list of the row. The statement leaves out a list that would be empty. Arrays bind the wanted rows: PostgreSQL plans for 100 entries of a
 * JSON text, and reads whole tables.
 */
interface Part {
  name: keyof Lists;
  isWanted: boolean;
  sql: string;
  values: Record<string, unknown>;
}

async function readRow(trx: Trx, all: Part[]): Promise<FactsRow> {
  const parts = all.filter(({ isWanted }) => isWanted);
  const lists = parts.map(({ name, sql }) => `, (select json_agg(row_of) from (${sql}) row_of) as "${name}"`);
  const { rows } = await runPrepared<FactsRow>(
    trx,
    `${CLOCK}
     select to_json(clock.at at time zone 'UTC') #>> '{}' || 'Z' as at, pg_current_xact_id()::text as transaction_id
       ${lists.join('')}
     from clock`,
    Object.fromEntries(parts.flatMap(({ values }) => Object.entries(values))),
  );
  const { at, transactionId } = rows[0]!;
  const row: FactsRow = { ...emptyLists(), at, transactionId };
  // The columns are JSON arrays of rows; null: no row.
  for (const { name } of parts) if (rows[0]![name]) row[name] = toFields(rows[0]![name]) as never;
  return row;
}

function storedAnswers(keyed: Sale[]): Part {
  return {
    name: 'answers',
    isWanted: keyed.length > 0,
    sql: `with stored as materialized (${STORED_ANSWERS}) select * from stored`,
    values: bindKeys(keyed.map(({ claim }) => claim!)),
  };
}

function apiKeys(sales: Sale[]): Part {
  const keyIds = unique(principalsOf(sales).map(({ keyId }) => keyId));
  return {
    name: 'apiKeys',
    isWanted: keyIds.length > 0,
    sql: API_KEY_STATE,
    values: { keyIds },
  };
}

function departures(departureIds: string[], sales: Pick<Sale, 'tenant'>[]): Part {
  return {
    name: 'departures',
    isWanted: departureIds.length > 0,
    sql: COUNTED_DEPARTURES,
    values: { departureIds, kinds: unique(sales.map(({ tenant }) => tenant.sandbox)) },
  };
}

function lockedElsewhere(notLocked: string[]): Part {
  return {
    name: 'lockedElsewhere',
    isWanted: notLocked.length > 0,
    sql: 'select d.id from departures d where d.id = any(:notLocked::uuid[])',
    values: { notLocked },
  };
}

/** A tenant's view of one departure. */
interface TenantView {
  tenantId: string;
  departureId: string;
  visible: boolean;
  /** Seats of its live holds and unpaid bookings; 0 where they are not limited. */
  unpaidSeats: number;
}

/** The seats of a departure that a tenant's live holds and unpaid bookings keep (migration 0033: filters, so that only its indexes fit). */
const UNPAID_SEATS = `(
  coalesce((select sum(h.quantity) filter (where h.tenant_id = w.tenant_id and hold_lives(h.status, h.expires_at, clock.at))
            from seat_holds h where h.departure_id = d.id and h.status = 'active'), 0)
  + coalesce((select sum(l.adults + l.children) filter (where l.tenant_id = w.tenant_id
                and l.status = 'pending_payment' and lead_stands(l.status, l.payment_due_at, clock.at))
              from booking_leads l
              where l.departure_id = d.id and l.status in ('pending_payment', 'confirmed')), 0)
)::integer`;

/** Selects which departures the tenants see, and how many seats they keep of them if one of the tenants may not keep all. */
function views(wanted: { tenant: Tenant; departureId: string }[]): Part {
  const distinct = [...new Map(wanted.map((one) => [viewKey(one.tenant.id, one.departureId), one])).values()];
  // The tenant's share may have changed between two requests. One that may keep all seats is limited by the free seats alone.
  const limited = wanted.some(({ tenant }) => tenant.maxHoldShare < 100);
  return {
    name: 'views',
    isWanted: distinct.length > 0,
    sql: `
      select w.tenant_id, d.id as departure_id, ${IS_VISIBLE} as visible, ${limited ? UNPAID_SEATS : '0'} as unpaid_seats
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

/** Counts the tenants' live holds. */
function holdCounts(wanted: Omit<TenantCount, 'count'>[]): Part {
  const tenants = wanted.filter(({ kind }) => kind === 'hold').map(({ tenantId }) => tenantId);
  return {
    name: 'holdCounts',
    isWanted: tenants.length > 0,
    sql: `
      select w.tenant_id, 'hold' as kind, (
        select count(*) from seat_holds h
        where h.tenant_id = w.tenant_id and hold_lives(h.status, h.expires_at, clock.at)) as count
      from unnest(:holdTenants::uuid[]) as w (tenant_id)`,
    values: { holdTenants: tenants },
  };
}

/** Counts the tenants' standing unpaid bookings, with or without a date. */
function unpaidCounts(wanted: Omit<TenantCount, 'count'>[]): Part {
  const tenants = wanted.filter(({ kind }) => kind === 'booking').map(({ tenantId }) => tenantId);
  return {
    name: 'unpaidCounts',
    isWanted: tenants.length > 0,
    sql: `
      select w.tenant_id, 'booking' as kind, (
        select count(*) from booking_leads l
        where l.tenant_id = w.tenant_id and l.status = 'pending_payment'
          and lead_stands(l.status, l.payment_due_at, clock.at)) as count
      from unnest(:unpaidTenants::uuid[]) as w (tenant_id)`,
    values: { unpaidTenants: tenants },
  };
}

function priceRules(sales: { tenant: Tenant; tour: { id: string } }[]): Part {
  return {
    name: 'rules',
    isWanted: sales.length > 0,
    sql: PRICE_RULES_OF_TENANTS,
    values: {
      ruleTenants: unique(sales.map(({ tenant }) => tenant.id)),
      ruleTours: unique(sales.map(({ tour }) => tour.id)),
    },
  };
}

/** Selects the holds `h` that a booking may consume. */
const HELD_SEATS = `
  select h.id, h.tenant_id, h.departure_id, h.quantity, h.children, h.external_ref,
    case when hold_lapsed(h.status, h.expires_at, clock.at) then 'expired' else h.status end as status,
    ${lockedPrices('h')} as prices, h.currency, h.currency_digits, h.price_breakdown
  from seat_holds h`;

function namedHolds(bookings: BookingSale[]): Part {
  const holdIds = bookings.flatMap(({ holdId }) => holdId ?? []);
  return {
    name: 'namedHolds',
    isWanted: holdIds.length > 0,
    sql: `${HELD_SEATS} where h.id = any(:holdIds::uuid[])`,
    values: { holdIds },
  };
}

/** Selects the live holds of a tenant on a departure that have one of its references. */
function holdsByReference(bookings: BookingSale[]): Part {
  const named = bookings.filter(({ holdId, externalRef }) => holdId === null && externalRef);
  return {
    name: 'holdsByReference',
    isWanted: named.length > 0,
    sql: `${HELD_SEATS}
      where h.id in (
        select live.id
        from unnest(:refTenants::uuid[], :refDepartures::uuid[], :refs::text[]) as w (tenant_id, departure_id, external_ref)
        join seat_holds live on live.tenant_id = w.tenant_id and live.departure_id = w.departure_id
          and live.external_ref = w.external_ref and hold_lives(live.status, live.expires_at, clock.at))`,
    values: {
      refTenants: named.map(({ tenant }) => tenant.id),
      refDepartures: named.map(({ departureId }) => departureId),
      refs: named.map(({ externalRef }) => externalRef),
    },
  };
}

interface Reference {
  tenantId: string;
  tourId: string;
  externalRef: string;
  live: number;
}

/** Selects the references of bookings without a date that a hold of the tour has, live or ended. */
function references(undated: BookingSale[]): Part {
  const named = undated.filter(({ externalRef }) => externalRef);
  return {
    name: 'references',
    isWanted: named.length > 0,
    sql: `
      select w.tenant_id, w.tour_id, w.external_ref,
        (count(distinct h.id) filter (where hold_lives(h.status, h.expires_at, clock.at)))::integer as live
      from unnest(:namingTenants::uuid[], :namingTours::uuid[], :namedRefs::text[]) as w (tenant_id, tour_id, external_ref)
      join seat_holds h on h.tenant_id = w.tenant_id and h.external_ref = w.external_ref
      join departures d on d.id = h.departure_id and d.tour_id = w.tour_id
      group by w.tenant_id, w.tour_id, w.external_ref, clock.at`,
    values: {
      namingTenants: named.map(({ tenant }) => tenant.id),
      namingTours: named.map(({ tour }) => tour.id),
      namedRefs: named.map(({ externalRef }) => externalRef),
    },
  };
}

type UndatedTour = PricedTour & { tenantId: string; basePriceMinor: number };

/** Selects the tours of bookings without a date, as far as their tenants see them. */
function undatedTours(undated: BookingSale[]): Part {
  return {
    name: 'undatedTours',
    isWanted: undated.length > 0,
    sql: `
      select w.tenant_id, t.id, t.continent, t.currency, t.currency_digits, t.base_price_minor
      from unnest(:undatedTenants::uuid[], :undatedTours::uuid[]) as w (tenant_id, tour_id)
      join tours t on t.id = w.tour_id
      ${visibilityJoins('w.tenant_id')}
      where ${IS_VISIBLE}`,
    values: {
      undatedTenants: undated.map(({ tenant }) => tenant.id),
      undatedTours: undated.map(({ tour }) => tour.id),
    },
  };
}

function leadIds(leads: number): Part {
  return {
    name: 'leadIds',
    isWanted: leads > 0,
    sql: `select nextval(pg_get_serial_sequence('booking_leads', 'id')) as id from generate_series(1, :leads::integer)`,
    values: { leads },
  };
}

async function markExpired(trx: Trx, { departures: found, at }: FactsRow): Promise<void> {
  const expired = found.filter(({ somethingExpired }) => somethingExpired);
  if (expired.length > 0) await freeExpiredSeats(trx, unique(expired.map(({ id }) => id)), at);
}

function departureFacts({ departures: found, views: seen, rules, at }: FactsRow): DepartureFacts {
  const rulesOf = new Map<string, PriceRule[]>();
  for (const { tenantId, ...rule } of rules) rulesOf.set(tenantId, [...(rulesOf.get(tenantId) ?? []), rule]);
  const counted = found.map(({ somethingExpired: _, ...row }) => toDeparture({ ...row, asOf: new Date(at) }));
  return {
    departures: new Map(counted.map((one) => [countedKey(one.id, one.sandbox), one])),
    visible: new Set(seen.filter(({ visible }) => visible).map(keyOfView)),
    unpaidSeats: new Map(seen.map((view) => [keyOfView(view), view.unpaidSeats])),
    priceRules: rulesOf,
  };
}

function keyOfView({ tenantId, departureId }: TenantView): string {
  return viewKey(tenantId, departureId);
}

function countsOf(wanted: Sale['kind'], counts: TenantCount[]): Map<string, number> {
  return new Map(
    counts.filter(({ kind }) => kind === wanted).map(({ tenantId, count }) => [tenantId, count]),
  );
}

/** Removes doubles: one booking may name a hold by its id, another one by its reference. A decision changes the object. */
function distinctHolds(found: HeldSeats[]): HeldSeats[] {
  return [...new Map(found.map((held) => [held.id, held])).values()];
}

function unique<T>(values: T[]): T[] {
  return [...new Set(values)];
}
