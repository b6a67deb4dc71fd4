import type { Trx } from '../../platform/database';
import type { Tenant } from './tenant';
import { BookingPrefixTakenError, HoldLengthsError } from './tenant.errors';
import { findPrefixOwner, updateTenant as writeTenant, type TenantChanges } from './tenant.repository';

export type TenantSettings = Omit<TenantChanges, 'currency' | 'currencyDigits' | 'origins'> & {
  /** With its ISO 4217 digits, as money/currency.ts knows them. */
  currency?: { code: string; digits: number };
};

/**
 * Changes what is given of a tenant that findTenantForChange locked.
 * @throws BookingPrefixTakenError, HoldLengthsError
 */
export async function updateTenant(trx: Trx, tenant: Tenant, settings: TenantSettings): Promise<Tenant> {
  const { currency, ...rest } = settings;
  const holdDefault = settings.holdDefaultMinutes ?? tenant.holdDefaultMinutes;
  const holdMax = settings.holdMaxMinutes ?? tenant.holdMaxMinutes;
  if (holdDefault > holdMax) throw new HoldLengthsError(holdDefault, holdMax);
  if (settings.bookingPrefix) {
    const owner = await findPrefixOwner(trx, settings.bookingPrefix);
    if (owner && owner !== tenant.id) throw new BookingPrefixTakenError(settings.bookingPrefix);
  }
  const money = currency ? { currency: currency.code, currencyDigits: currency.digits } : {};
  return writeTenant(trx, tenant.id, { ...rest, ...money });
}
