import { CLOCK, type Db } from '../../platform/database/database';
import type { Party } from '../parties/party-rules';
import { tenantIdOf, type TenantScope } from '../tenants/tenant';
import type { BookingSource } from './booking-lead';
import { LEAD_STATUS } from './booking-lead.repository';
import type { BookingStatus } from './booking-status';
import { ROUNDING_REASON } from './import-terms';

/** The values by which a report groups its rows, besides the currency. */
export const REPORT_GROUPS = ['tenant', 'month', 'tour', 'source'] as const;
export type ReportGroup = (typeof REPORT_GROUPS)[number];

/** The date that decides whether a sale is reported, and in which month. */
export const DATE_BASES = ['created_at', 'departure_date'] as const;
export type DateBasis = (typeof DATE_BASES)[number];

/** The sales to report: those whose date of the basis is one of these days. */
interface ReportedSales {
  scope: TenantScope;
  basis: DateBasis;
  /** YYYY-MM-DD; in UTC if the basis is the creation. */
  from: string;
  /** Like `from`, included. */
  to: string;
  groups: readonly ReportGroup[];
  /** True: also the refunds of the bookings that were cancelled or became cheaper on these days, in UTC, whatever the basis is. */
  refunds: boolean;
  /** True: also the bookings that were imported from another system, and their refunds. */
  imported: boolean;
}

/** The sales of one group in one currency. Money is in minor units. */
export interface SalesRow {
  /** Slug. This field, `month`, `tour` and `source` exist only if the report has the group. */
  tenant?: string;
  /** YYYY-MM of the basis. */
  month?: string;
  /** Slug. */
  tour?: string;
  /** BookingSource. */
  source?: string;
  currency: string;
  currencyDigits: number;
  bookings: number;
  seats: number;
  /** The booked units by the code of their category. */
  party: Party;
  /**
   * The sum at the platform's prices, as they were when the bookings were made. Null: for at least one booking, the platform's price is not
   * known.
   */
  platformMinor: bigint | null;
  /** At the tenant's prices, which the customers pay. */
  tenantMinor: bigint;
  depositMinor: bigint;
  /** The number of cancellations and reductions of which more than 0 was refunded. This field and the next one exist only if the report has refunds. */
  refunds?: number;
  refundMinor?: bigint;
}

/** The date that decides whether a refund is reported, and in which month. The refund of a reduction has the date of its change. */
export const REFUND_DATE_BASIS = 'cancelled_at';

/** The date of a basis. Null for a booking without a departure. */
const BASIS_DATES = {
  created_at: `(l.created_at at time zone 'UTC')::date`,
  departure_date: 'l.departure_date',
  cancelled_at: `(l.cancelled_at at time zone 'UTC')::date`,
  changed_at: `(c.at at time zone 'UTC')::date`,
};
type AnyBasis = keyof typeof BASIS_DATES;

/** Each condition uses an index. */
const BASIS_PERIODS: Record<AnyBasis, string> = {
  created_at: periodOf('l.created_at'),
  departure_date: 'l.departure_date between :from::date and :to::date',
  cancelled_at: periodOf('l.cancelled_at'),
  changed_at: periodOf('c.at'),
};

function periodOf(time: string): string {
  return `${time} >= (:from::date)::timestamp at time zone 'UTC' and ${time} < (:to::date + 1)::timestamp at time zone 'UTC'`;
}

/** The names of the values by which the rows are grouped. */
function keysOf(groups: readonly ReportGroup[]): string {
  return [...groups, 'currency', 'currency_digits'].join(', ');
}

function selectKeys(groups: readonly ReportGroup[], basis: AnyBasis): string {
  const month = `to_char(${BASIS_DATES[basis]}, 'YYYY-MM')`;
  const values: Record<ReportGroup, string> = {
    tenant: 'n.slug',
    month,
    tour: 't.slug',
    source: 'l.source',
  };
  const selected = groups.map((group) => `${values[group]} as ${group}`);
  return [...selected, 'l.currency', 'l.currency_digits'].join(', ');
}

const OF_LEAD = 'join tenants n on n.id = l.tenant_id join tours t on t.id = l.tour_id';
const LEADS = `booking_leads l ${OF_LEAD}`;
const CHANGES = `booking_changes c join booking_leads l on l.id = c.lead_id ${OF_LEAD}`;
const IN_SCOPE = 'not l.sandbox and (:tenantId::uuid is null or l.tenant_id = :tenantId::uuid)';
const REPORTED = `${IN_SCOPE} and (:imported or l.source <> 'import')`;

/**
 * The platform's price of a category of the lead `l`. Leads from before ADR 38 may have no stored platform's price. For such a lead, it is
 * the tenant's price, which differs from the platform's price only under a percentage rule, and in the first category under any rule. Where
 * it may differ, it is null.
 */
const PLATFORM_PRICE = `coalesce(l.platform_prices_minor ->> booked.code,
    case when booked.code <> first_category(l.categories) and l.price_breakdown -> 'rule' ->> 'kind' is distinct from 'percent'
      then l.prices_minor ->> booked.code end)::bigint`;

/** The platform's price of the lead `l`. */
const PLATFORM_TOTAL = `select case when bool_and(price is not null) then sum(units * price) end as total
    from (select booked.units::integer as units, ${PLATFORM_PRICE} as price
          from jsonb_each_text(l.party) as booked (code, units)) as priced`;

/** Selects the reported bookings. Leaves out those that are cancelled or expired now by the database's clock. */
function soldQuery(groups: readonly ReportGroup[], basis: DateBasis): string {
  return `select ${selectKeys(groups, basis)}, l.party, l.seats, l.total_minor, l.deposit_minor, platform.total as platform_minor
    from clock, ${LEADS} cross join lateral (${PLATFORM_TOTAL}) as platform
    where ${BASIS_PERIODS[basis]} and ${REPORTED} and lead_stands(l.status, l.payment_due_at, clock.at)`;
}

function salesQuery(keys: string): string {
  return `select ${keys}, count(*)::integer as bookings, sum(seats)::integer as seats,
      case when bool_and(platform_minor is not null) then sum(platform_minor) end as platform_minor,
      sum(total_minor) as tenant_minor, sum(deposit_minor) as deposit_minor
    from sold group by ${keys}`;
}

/** Sums the units of each category. */
function partiesQuery(keys: string): string {
  return `select ${keys}, jsonb_object_agg(code, units) as party
    from (select ${keys}, booked.code, sum(booked.units::integer)::integer as units
          from sold, jsonb_each_text(sold.party) as booked (code, units) group by ${keys}, booked.code) as counted
    group by ${keys}`;
}

/** Sums the refunds of the cancellations, and those of the changes that lowered the total of a confirmed booking. */
function refundsQuery(groups: readonly ReportGroup[], keys: string): string {
  return `select ${keys}, count(*)::integer as refunds, sum(refund_minor) as refund_minor
    from (select ${selectKeys(groups, REFUND_DATE_BASIS)}, l.refund_minor
          from ${LEADS} where ${BASIS_PERIODS[REFUND_DATE_BASIS]} and l.refund_minor > 0 and ${REPORTED}
          union all
          select ${selectKeys(groups, 'changed_at')}, c.refund_minor
          from ${CHANGES} where ${BASIS_PERIODS.changed_at} and c.refund_minor > 0 and ${REPORTED}) as refunded
    group by ${keys}`;
}

/**
 * Sums the bookings that were created, or that depart, in a period, in the order of the groups. Leaves out bookings of the sandbox. A group
 * that has refunds alone has a row without bookings.
 */
export async function reportSales(
  db: Db,
  { scope, basis, from, to, groups, refunds, imported }: ReportedSales,
): Promise<SalesRow[]> {
  const keys = keysOf(groups);
  const { rows } = await db.raw<{ rows: SummedRow[] }>(
    `${CLOCK}, sold as (${soldQuery(groups, basis)}), sales as (${salesQuery(keys)}), parties as (${partiesQuery(keys)})
       ${refunds ? `, refunds as (${refundsQuery(groups, keys)})` : ''}
     select ${keys}, coalesce(bookings, 0) as bookings, coalesce(seats, 0) as seats, coalesce(party, '{}') as party,
       case when bookings is null then 0 else platform_minor end::text as platform_minor,
       coalesce(tenant_minor, 0)::text as tenant_minor, coalesce(deposit_minor, 0)::text as deposit_minor
       ${refunds ? ', coalesce(refunds, 0) as refunds, coalesce(refund_minor, 0)::text as refund_minor' : ''}
     from sales join parties using (${keys}) ${refunds ? `full join refunds using (${keys})` : ''}
     order by ${keys}`,
    { tenantId: tenantIdOf(scope), from, to, imported },
  );
  return rows.map(toSalesRow);
}

/** A row with its sums as text: a sum may be too large for a number. */
type SummedRow = Omit<SalesRow, 'platformMinor' | 'tenantMinor' | 'depositMinor' | 'refundMinor'> & {
  platformMinor: string | null;
  tenantMinor: string;
  depositMinor: string;
  refundMinor?: string;
};

function toSalesRow({ refundMinor, ...row }: SummedRow): SalesRow {
  return {
    ...row,
    ...(refundMinor !== undefined && { refundMinor: BigInt(refundMinor) }),
    platformMinor: row.platformMinor === null ? null : BigInt(row.platformMinor),
    tenantMinor: BigInt(row.tenantMinor),
    depositMinor: BigInt(row.depositMinor),
  };
}

/** A booking with an adjustment. Money is in minor units. */
export interface AdjustedSale {
  bookingRef: string;
  /** Slug. */
  tenant: string;
  /** Slug. */
  tour: string;
  /** YYYY-MM-DD. Null: a booking without a date. */
  departureDate: string | null;
  status: BookingStatus;
  source: BookingSource;
  currency: string;
  currencyDigits: number;
  adjustmentMinor: number;
  /** Null: the customer was erased. */
  reason: string | null;
  totalMinor: number;
  createdAt: Date;
}

/**
 * Returns the bookings with an adjustment that were created in a period, the oldest first, in any status, without those of sandbox tenants.
 * Leaves out the rest of cents that an import made (`pricesOfImport`), which no person gave.
 * @param period the days in UTC, both included
 */
export async function findAdjustedSales(
  db: Db,
  { scope, from, to }: Pick<ReportedSales, 'scope' | 'from' | 'to'>,
): Promise<AdjustedSale[]> {
  const { rows } = await db.raw<{ rows: AdjustedSale[] }>(
    `${CLOCK} select l.booking_ref, n.slug as tenant, t.slug as tour, l.departure_date, ${LEAD_STATUS} as status, l.source, l.currency,
       l.currency_digits, l.adjustment_minor, l.adjustment_reason as reason, l.total_minor, l.created_at
     from clock, ${LEADS}
     where l.adjustment_minor is not null and ${BASIS_PERIODS.created_at} and ${IN_SCOPE}
       and (l.source <> 'import' or l.adjustment_reason is distinct from :rounding)
     order by l.created_at, l.id`,
    { tenantId: tenantIdOf(scope), from, to, rounding: ROUNDING_REASON },
  );
  return rows;
}
