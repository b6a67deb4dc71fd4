import type { Trx } from '../../platform/database';
import { assertLinkTemplate } from './link-template';
import type { Tenant, TenantStatus } from './tenant';
import { BookingPrefixTakenError, HoldLengthsError } from './tenant.errors';
import { findPrefixOwner, type TenantChanges, writeTenant } from './tenant.repository';

export type TenantSettings = Omit<TenantChanges, 'currency' | 'currencyDigits' | 'origins'> & {
  /** The code and its ISO 4217 digits (pricing/currency.ts). */
  currency?: { code: string; digits: number };
};

/**
 * Changes the given settings of a tenant that findTenantForChange locked.
 * @throws BookingPrefixTakenError, HoldLengthsError, LinkTemplateRefusedError
 */
export async function updateTenant(trx: Trx, tenant: Tenant, settings: TenantSettings): Promise<Tenant> {
  const { currency, ...rest } = settings;
  const holdDefault = settings.holdDefaultMinutes ?? tenant.holdDefaultMinutes;
  const holdMax = settings.holdMaxMinutes ?? tenant.holdMaxMinutes;
  if (holdDefault > holdMax) throw new HoldLengthsError(holdDefault, holdMax);
  assertLinkTemplate(settings.linkTemplate, settings.status ?? tenant.status);
  if (settings.bookingPrefix) {
    const owner = await findPrefixOwner(trx, settings.bookingPrefix);
    if (owner && owner !== tenant.id) throw new BookingPrefixTakenError(settings.bookingPrefix);
  }
  const money = currency ? { currency: currency.code, currencyDigits: currency.digits } : {};
  return writeTenant(trx, tenant.id, { ...rest, ...money });
}

/** Changes the status. The commit makes the API serve or refuse the tenant's keys and tokens. Every change is reversible. */
export async function changeTenantStatus(trx: Trx, tenant: Tenant, status: TenantStatus): Promise<Tenant> {
  return writeTenant(trx, tenant.id, { status });
}
