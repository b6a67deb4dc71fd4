import { createHash } from 'node:crypto';
import type { PaymentMethod } from './payment-method';
import { toColumns } from '../../platform/database/database';

export const TENANT_STATUSES = ['trial', 'active', 'suspended', 'closed'] as const;
export type TenantStatus = (typeof TENANT_STATUSES)[number];
/** The API serves only tenants with one of these statuses. 0113_versions_and_changes.sql repeats the list. */
export const USABLE_STATUSES: readonly TenantStatus[] = ['trial', 'active'];

/** A travel website that sells from the central catalog under its own name and prices. */
export interface Tenant {
  id: string;
  slug: string;
  name: string;
  status: TenantStatus;
  /** True: the tenant's holds and bookings take no real seats (ADR 29). The value never changes. */
  sandbox: boolean;
  /** The first part of the tenant's booking references: ACME in ACME-1042. */
  bookingPrefix: string;
  /** The currency of its price rules in money, unless it has a selling currency (ruleCurrencyOf in pricing/selling-currency.ts). */
  currency: string;
  currencyDigits: number;
  /** The currency in which the tenant sells every tour. Null: it sells each tour in the tour's own currency. */
  sellIn: string | null;
  /** The number of decimals of `sellIn`. Null if `sellIn` is null. */
  sellInDigits: number | null;
  country: string;
  /** True: the tenant sees tours for which it has no visibility rule. */
  defaultVisible: boolean;
  /** A decimal number as text, such as "20.00", because money is never computed from a float. */
  depositPercent: string;
  paymentMethod: PaymentMethod;
  /** Null: an unpaid booking never expires. */
  paymentWindowMinutes: number | null;
  /** The time between the event `booking.payment_due` and the end of the payment window. Null: the event is never sent. */
  paymentReminderMinutes: number | null;
  /** Plain text that tells a customer how to pay. Each answer of a booking shows the present text. Null: none. */
  paymentNote: string | null;
  holdDefaultMinutes: number;
  holdMaxMinutes: number;
  maxHolds: number;
  /** Limit of simultaneous unpaid bookings, with or without a date. */
  maxUnpaid: number;
  /** Limit of the trips of resources without a booking that its live holds begin. */
  maxHoldTrips: number;
  /** Limit, in percent of a departure's seats, for the seats of the tenant's live holds and unpaid bookings together. */
  maxHoldShare: number;
  /** The largest discount of a person with the role desk, in percent. */
  deskDiscount: number;
  /** Requests of each API key in a minute. Null: the variable of the service (limitOf in http/quota.ts). */
  availabilityRpm: number | null;
  holdRpm: number | null;
  bookingRpm: number | null;
  catalogRpm: number | null;
  linkTemplate: string | null;
  brandColor: string | null;
  brandLogo: string | null;
  /** Pixels, 0 to 32. */
  brandRadius: number | null;
  /** Names of font families without quotes: `Inter, Georgia, serif`. */
  brandFont: string | null;
  origins: string[];
  createdAt: Date;
}

/** A tenant's own quotas. */
export type TenantQuotas = Pick<Tenant, 'availabilityRpm' | 'holdRpm' | 'bookingRpm' | 'catalogRpm'>;

export function mayBeUsed(tenant: Pick<Tenant, 'status'>): boolean {
  return USABLE_STATUSES.includes(tenant.status);
}

/** The scope that selects the rows of all tenants. Only the operator's terminal may use it. */
export const ANY_TENANT = Symbol('any tenant');

/** The id of the tenant whose rows a query reads, or ANY_TENANT. No query has a default, so the compiler reports a call without a scope. */
export type TenantScope = string | typeof ANY_TENANT;

/** Returns the binding for `:tenantId::uuid is null or tenant_id = :tenantId::uuid`; null selects all tenants. */
export function tenantIdOf(scope: TenantScope): string | null {
  return scope === ANY_TENANT ? null : scope;
}

const versions = new WeakMap<Tenant, string>();

/**
 * Returns a digest of all fields of the tenant. The cache keys of a tenant's answers begin with this digest. A request that was
 * authenticated before a change of the tenant still computes its answer with the old fields. Later requests have another digest, so they do
 * not get this answer.
 */
export function tenantVersion(tenant: Tenant): string {
  let version = versions.get(tenant);
  if (!version) {
    version = createHash('sha256').update(JSON.stringify(tenant)).digest('base64url');
    versions.set(tenant, version);
  }
  return version;
}

const FIELDS: Record<keyof Tenant, true> = {
  id: true,
  slug: true,
  name: true,
  status: true,
  sandbox: true,
  bookingPrefix: true,
  currency: true,
  currencyDigits: true,
  sellIn: true,
  sellInDigits: true,
  country: true,
  defaultVisible: true,
  depositPercent: true,
  paymentMethod: true,
  paymentWindowMinutes: true,
  paymentReminderMinutes: true,
  paymentNote: true,
  holdDefaultMinutes: true,
  holdMaxMinutes: true,
  maxHolds: true,
  maxUnpaid: true,
  maxHoldTrips: true,
  maxHoldShare: true,
  deskDiscount: true,
  availabilityRpm: true,
  holdRpm: true,
  bookingRpm: true,
  catalogRpm: true,
  linkTemplate: true,
  brandColor: true,
  brandLogo: true,
  brandRadius: true,
  brandFont: true,
  origins: true,
  createdAt: true,
};

/** The columns of a tenant, one for each field. */
export const TENANT_COLUMNS = Object.keys(toColumns(FIELDS));

/** The condition of mayBeUsed() in SQL, for a query that names the tenants `t`. */
export const TENANT_MAY_BE_USED = `t.status in (${USABLE_STATUSES.map((status) => `'${status}'`).join(', ')})`;
