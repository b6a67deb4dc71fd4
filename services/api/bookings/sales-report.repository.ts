import { CLOCK, type Db } from '../../platform/database/database';
import type { Category } from '../pricing/price-categories';
import { PLATFORM_PRICE } from '../pricing/quote-tenant-price';
import { tenantIdOf, type TenantScope } from '../tenants/tenant';

/** The values by which a report groups its rows, besides the currency. */
export const REPORT_GROUPS = ['tenant', 'month', 'tour'] as const;
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
}

/** The sales of one group in one currency. Money is in minor units. */
export interface SalesRow {
  /** Slug. This field, `month` and `tour` exist only if the report has the group. */
  tenant?: string;
  /** YYYY-MM of the basis. */
  month?: string;
  /** Slug. */
  tour?: string;
  currency: string;
  currencyDigits: number;
  bookings: number;
  seats: number;
  /**
   * The sum at the platform's prices, as they were when the bookings were made. Null: for at least one booking, the platform's price is not
   * known.
   */
  platformMinor: bigint | null;
  /** At the tenant's prices, which the customers pay. */
  tenantMinor: bigint;
  depositMinor: bigint;
}

/** The date of a basis. Null for a booking without a departure. */
const BASIS_DATES: Record<DateBasis, string> = {
  created_at: `(l.created_at at time zone 'UTC')::date`,
  departure_date: 'l.departure_date',
};

/** Each condition uses an index. */
const BASIS_PERIODS: Record<DateBasis, string> = {
  created_at: `l.created_at >= (:from::date)::timestamp at time zone 'UTC'
       and l.created_at < (:to::date + 1)::timestamp at time zone 'UTC'`,
  departure_date: 'l.departure_date between :from::date and :to::date',
};

function groupValue(group: ReportGroup, basis: DateBasis): string {
  return { tenant: 'n.slug', month: `to_char(${BASIS_DATES[basis]}, 'YYYY-MM')`, tour: 't.slug' }[group];
}

/** The platform's price of a category in the price calculation of the lead `l`, in major units. */
const lockedPrice = (category: Category) => `(l.price_breakdown ->> '${PLATFORM_PRICE[category]}')::numeric`;

/**
 * Returns the SQL expression of the platform's price of a category. Leads from before ADR 38 may have no stored platform's price. For such
 * a lead, returns the tenant's price, which differs from the platform's price only under a percentage rule. For a lead with a percentage
 * rule, returns null.
 * @param tenantPrice the column with the tenant's price in minor units
 */
function platformPrice(category: Exclude<Category, 'adult'>, tenantPrice: string): string {
  return `coalesce(${lockedPrice(category)},
    case when l.price_breakdown -> 'rule' ->> 'kind' is distinct from 'percent' then ${tenantPrice} / 10 ^ l.currency_digits::numeric end)`;
}

/**
 * The platform's price of the lead `l` in minor units. The stored calculation has prices with decimals, which PostgreSQL multiplies
 * exactly.
 */
const PLATFORM_TOTAL = `round(10 ^ l.currency_digits::numeric * (
  l.adults * ${lockedPrice('adult')}
  + case when l.children > 0 then l.children * ${platformPrice('child', 'l.child_price_minor')} else 0 end
  + case when l.single_supplements > 0
      then l.single_supplements * ${platformPrice('single_supplement', 'l.single_supplement_minor')} else 0 end))`;

/**
 * Sums the bookings that were created, or that depart, in a period, in the order of the groups. Leaves out bookings of the sandbox, and
 * bookings that are cancelled or expired now by the database's clock.
 */
export async function reportSales(
  db: Db,
  { scope, basis, from, to, groups }: ReportedSales,
): Promise<SalesRow[]> {
  const grouped = [...groups.map((group) => groupValue(group, basis)), 'l.currency'].join(', ');
  const values = groups.map((group) => `${groupValue(group, basis)} as ${group}, `).join('');
  const { rows } = await db.raw<{ rows: SummedRow[] }>(
    `${CLOCK}
     select ${values}l.currency, l.currency_digits, count(*)::integer as bookings, sum(l.adults + l.children)::integer as seats,
       case when bool_and(platform.total is not null) then sum(platform.total)::text end as platform_minor,
       sum(l.total_minor)::text as tenant_minor, sum(l.deposit_minor)::text as deposit_minor
     from clock, booking_leads l join tenants n on n.id = l.tenant_id join tours t on t.id = l.tour_id
       cross join lateral (select ${PLATFORM_TOTAL} as total) as platform
     where ${BASIS_PERIODS[basis]}
       and not l.sandbox and l.status in ('pending_payment', 'confirmed') and lead_stands(l.status, l.payment_due_at, clock.at)
       and (:tenantId::uuid is null or l.tenant_id = :tenantId::uuid)
     group by ${grouped}, l.currency_digits order by ${grouped}`,
    { tenantId: tenantIdOf(scope), from, to },
  );
  return rows.map(toSalesRow);
}

/** A row with its sums as text: a sum may be too large for a number. */
type SummedRow = Omit<SalesRow, 'platformMinor' | 'tenantMinor' | 'depositMinor'> & {
  platformMinor: string | null;
  tenantMinor: string;
  depositMinor: string;
};

function toSalesRow(row: SummedRow): SalesRow {
  return {
    ...row,
    platformMinor: row.platformMinor === null ? null : BigInt(row.platformMinor),
    tenantMinor: BigInt(row.tenantMinor),
    depositMinor: BigInt(row.depositMinor),
  };
}
