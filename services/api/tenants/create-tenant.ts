import type { Trx } from '../../platform/database';
import { assertLinkTemplate } from './link-template';
import type { Tenant } from './tenant';
import { BookingPrefixTakenError, HoldLengthsError, TenantSlugTakenError } from './tenant.errors';
import { findTenantBySlug, insertTenant, type NewTenant } from './tenant.repository';

export interface TenantToCreate extends Partial<Omit<NewTenant, 'currency' | 'currencyDigits' | 'origins'>> {
  slug: string;
  name: string;
  /** The code and its ISO 4217 digits (pricing/currency.ts). */
  currency?: { code: string; digits: number };
}

const PREFIX_LENGTH = 10;
/** Number of derived prefixes to try before the caller must choose one. */
const ATTEMPTS = 99;

/**
 * Creates a tenant. Defaults: trial, EUR, DE, all tours visible, 20 % deposit. Derives a missing booking prefix from the
 * letters and digits of the slug, and adds a number if the prefix is taken.
 * @throws TenantSlugTakenError, BookingPrefixTakenError, HoldLengthsError, LinkTemplateRefusedError
 */
export async function createTenant(trx: Trx, given: TenantToCreate): Promise<Tenant> {
  const { currency = { code: 'EUR', digits: 2 }, country = 'DE', holdMaxMinutes = 60, ...rest } = given;
  const { holdDefaultMinutes = Math.min(15, holdMaxMinutes) } = given;
  if (holdDefaultMinutes > holdMaxMinutes) throw new HoldLengthsError(holdDefaultMinutes, holdMaxMinutes);
  assertLinkTemplate(given.linkTemplate, given.status ?? 'trial');
  const money = { currency: currency.code, currencyDigits: currency.digits };
  const holds = { holdDefaultMinutes, holdMaxMinutes };

  for (const bookingPrefix of given.bookingPrefix ? [given.bookingPrefix] : prefixesFor(given.slug)) {
    const tenant = await insertTenant(trx, { ...rest, country, ...money, ...holds, bookingPrefix });
    if (tenant) return tenant;
    if (await findTenantBySlug(trx, given.slug)) throw new TenantSlugTakenError(given.slug);
  }
  throw new BookingPrefixTakenError(given.bookingPrefix ?? [...prefixesFor(given.slug)][0]!);
}

/** Yields ACMETRAVEL, ACMETRAVE2, … for acme-travel. */
function* prefixesFor(slug: string): Generator<string> {
  const letters = slug.toUpperCase().replace(/[^A-Z0-9]/g, '');
  yield letters.slice(0, PREFIX_LENGTH);
  for (let n = 2; n <= ATTEMPTS; n++) yield letters.slice(0, PREFIX_LENGTH - String(n).length) + n;
}
