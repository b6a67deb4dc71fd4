import { type Tenant, USABLE_STATUSES } from './tenant';

/** Field of the tenant by the column that holds it. */
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

/** The condition that the tenant may be used, as mayBeUsed() has it, for a query that knows `tenants` as `t`. */
export const TENANT_MAY_BE_USED = `t.status in (${USABLE_STATUSES.map((status) => `'${status}'`).join(', ')})`;

/** The tenant's columns under names of their own (`tenant_slug`, …), so that a credential joins it in one query. */
export function tenantColumns(alias: string): string[] {
  return FIELDS.map((field) => `${alias}.${COLUMNS[field]} as tenant_${COLUMNS[field]}`);
}

/** Reads what tenantColumns selected. */
export function toTenant(row: Record<string, unknown>): Tenant {
  return Object.fromEntries(
    FIELDS.map((field) => [field, row[`tenant_${COLUMNS[field]}`]]),
  ) as unknown as Tenant;
}

/** The other way: what is given, as columns to write. */
export function toTenantColumns(tenant: Partial<Tenant>): Record<string, unknown> {
  const given = FIELDS.filter((field) => tenant[field] !== undefined);
  return Object.fromEntries(given.map((field) => [COLUMNS[field], tenant[field]]));
}
