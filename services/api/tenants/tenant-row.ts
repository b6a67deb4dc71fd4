import { type Tenant, USABLE_STATUSES } from './tenant';

/** Maps each field of a tenant to its column. */
const COLUMNS = {
  id: 'id',
  slug: 'slug',
  name: 'name',
  status: 'status',
  bookingPrefix: 'booking_prefix',
  currency: 'currency',
  currencyDigits: 'currency_digits',
  country: 'country',
  defaultVisible: 'default_visible',
  depositPercent: 'deposit_percent',
  paymentMethod: 'payment_method',
  paymentWindowMinutes: 'payment_window_minutes',
  holdDefaultMinutes: 'hold_default_minutes',
  holdMaxMinutes: 'hold_max_minutes',
  maxHolds: 'max_holds',
  maxUnpaid: 'max_unpaid',
  maxHoldShare: 'max_hold_share',
  linkTemplate: 'link_template',
  brandColor: 'brand_color',
  brandLogo: 'brand_logo',
  brandRadius: 'brand_radius',
  brandFont: 'brand_font',
  origins: 'origins',
  createdAt: 'created_at',
} as const satisfies Record<keyof Tenant, string>;

const FIELDS = Object.keys(COLUMNS) as (keyof Tenant)[];

/** The condition of mayBeUsed() in SQL, for a query with `tenants` as `t`. */
export const TENANT_MAY_BE_USED = `t.status in (${USABLE_STATUSES.map((status) => `'${status}'`).join(', ')})`;

/** Selects the tenant's columns with a prefix (`tenant_slug`, …), so that one query reads a credential with its tenant. */
export function tenantColumns(alias: string): string[] {
  return FIELDS.map((field) => `${alias}.${COLUMNS[field]} as tenant_${COLUMNS[field]}`);
}

/** Converts a row that tenantColumns selected. */
export function toTenant(row: Record<string, unknown>): Tenant {
  return Object.fromEntries(
    FIELDS.map((field) => [field, row[`tenant_${COLUMNS[field]}`]]),
  ) as unknown as Tenant;
}

/** Converts the given fields to columns to write. */
export function toTenantColumns(tenant: Partial<Tenant>): Record<string, unknown> {
  const given = FIELDS.filter((field) => tenant[field] !== undefined);
  return Object.fromEntries(given.map((field) => [COLUMNS[field], tenant[field]]));
}
