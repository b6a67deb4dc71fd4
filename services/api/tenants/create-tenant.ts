import type { Trx } from '../../platform/database';
import type { Tenant } from './tenant';
import { BookingPrefixTakenError, HoldLengthsError, TenantSlugTakenError } from './tenant.errors';
import { findTenantBySlug, insertTenant, type NewTenant } from './tenant.repository';

export interface TenantToCreate extends Partial<Omit<NewTenant, 'currency' | 'currencyDigits' | 'origins'>> {
  slug: string;
  name: string;
  /** With its ISO 4217 digits, as money/currency.ts knows them. */
  currency?: { code: string; digits: number };
}

const PREFIX_LENGTH = 10;
/** Prefixes tried before the slug is told to bring its own. */
const ATTEMPTS = 99;

/**
 * A new tenant: trial, EUR, DE, everything visible and 20 % deposit unless told otherwise. Without a booking prefix it
 * gets its slug's letters and digits, with a number where that is taken.
 * @throws TenantSlugTakenError, BookingPrefixTakenError, HoldLengthsError
 */
export async function createTenant(trx: Trx, given: TenantToCreate): Promise<Tenant> {
  const { currency = { code: 'EUR', digits: 2 }, country = 'DE', holdMaxMinutes = 60, ...rest } = given;
  const { holdDefaultMinutes = Math.min(15, holdMaxMinutes) } = given;
  if (holdDefaultMinutes > holdMaxMinutes) throw new HoldLengthsError(holdDefaultMinutes, holdMaxMinutes);
  const money = { currency: currency.code, currencyDigits: currency.digits };
  const holds = { holdDefaultMinutes, holdMaxMinutes };

  for (const bookingPrefix of given.bookingPrefix ? [given.bookingPrefix] : prefixesFor(given.slug)) {
    const tenant = await insertTenant(trx, { ...rest, country, ...money, ...holds, bookingPrefix });
    if (tenant) return tenant;
    if (await findTenantBySlug(trx, given.slug)) throw new TenantSlugTakenError(given.slug);
  }
  throw new BookingPrefixTakenError(given.bookingPrefix ?? [...prefixesFor(given.slug)][0]!);
}

/** ACMETRAVEL, ACMETRAVE2, … for acme-travel. */
function* prefixesFor(slug: string): Generator<string> {
  const letters = slug.toUpperCase().replace(/[^A-Z0-9]/g, '');
  yield letters.slice(0, PREFIX_LENGTH);
  for (let n = 2; n <= ATTEMPTS; n++) yield letters.slice(0, PREFIX_LENGTH - String(n).length) + n;
}
