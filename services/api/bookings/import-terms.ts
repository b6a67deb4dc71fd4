import { createHmac } from 'node:crypto';
import { InvalidInputError } from '../../platform/errors';
import type { Party, Prices } from '../parties/party-rules';
import { toMinor } from '../pricing/currency';
import { type LockedPrice, totalOf } from '../pricing/price-categories';
import type { Adjustment } from './adjustment';

/** The terms that a row of an import adds to a sale at the desk (ADR 74). */
export interface ImportTerms {
  importId: string;
  /** The reference in the other system. */
  importRef: string;
  /** The keyed digest of the row. */
  digest: string;
  /** RFC 3339 with microseconds: the instant of the import. */
  importedAt: string;
  /** RFC 3339. Null: the instant of the import. */
  createdAt: string | null;
  /** A decimal text in major units. Null: the price of today. */
  total: string | null;
  /** ISO 4217. Null: not named. */
  currency: string | null;
  /** A decimal text in major units. Null: the share of the tenant. */
  deposit: string | null;
  /** True: the departure gets the seats that it lacks. */
  addsSeats: boolean;
  /** False: the booking locks no cancellation policy. */
  hasPolicy: boolean;
  /** True: the booking is stored without events. */
  isSilent: boolean;
}

/** The reason of the adjustment that an import makes of the rest of cents. */
export const ROUNDING_REASON = 'import';

/**
 * Returns the prices of an imported booking: those of today times its total over the total of today, rounded down to minor units, and the rest as
 * the adjustment.
 * @throws InvalidInputError
 * @rule the prices of an imported booking: test/unit/import-terms.test.ts
 */
export function pricesOfImport(
  price: LockedPrice,
  party: Party,
  { total, currency }: Pick<ImportTerms, 'total' | 'currency'>,
): { prices: Prices; adjustment: Adjustment | null } {
  if (currency !== null && currency !== price.currency)
    throw new InvalidInputError('body', 'currency', `must be ${price.currency}, in which the tenant sells`);
  const today = totalOf(party, price.prices);
  if (today <= 0)
    throw new InvalidInputError('body', 'total', 'must be of a party whose total of today is not 0');
  if (total === null) return { prices: price.prices, adjustment: null };
  const minor = amountOf('total', total, price);
  const scaled = Object.entries(price.prices).map(([code, unit]): [string, number] => [
    code,
    Number((BigInt(unit) * BigInt(minor)) / BigInt(today)),
  ]);
  const prices: Prices = Object.fromEntries(scaled);
  const rest = minor - totalOf(party, prices);
  return { prices, adjustment: rest === 0 ? null : { minor: rest, reason: ROUNDING_REASON } };
}

/** Returns the deposit that the row names. Null: none is named. @throws InvalidInputError */
export function depositOfImport(
  { deposit }: Pick<ImportTerms, 'deposit'>,
  totalMinor: number,
  price: LockedPrice,
): number | null {
  if (deposit === null) return null;
  const minor = amountOf('deposit', deposit, price);
  if (minor > totalMinor) throw new InvalidInputError('body', 'deposit', 'must be at most the total');
  return minor;
}

function amountOf(field: string, text: string, { currency, currencyDigits }: LockedPrice): number {
  const minor = toMinor(text, currencyDigits);
  if (minor !== undefined && minor >= 0) return minor;
  throw new InvalidInputError(
    'body',
    field,
    `must be an amount of ${currency}, 0 or more, with at most ${currencyDigits} decimals`,
  );
}

/** Returns the keyed digest that replaces the reference of an import after the erasure of its customer. @param key CURSOR_KEY */
export function erasedImportRef(importRef: string, key: string): string {
  return createHmac('sha256', key).update(`import_ref ${importRef}`).digest('hex');
}
