import { code as findCurrency } from 'currency-codes';
import { countDecimals } from '../../platform/forms/text-forms';

/** The day of the list of ISO 4217 that this table has: that of `currency-codes` with CHANGES. */
export const CURRENCIES_AS_OF = '2026-01-01';

/** The changes of ISO 4217 since the list of `currency-codes` 2.2.0, which is of 2024-06-25. XAD (amendment 179) is a unit of account. */
const CHANGES = {
  /** Amendment 176: the Caribbean guilder replaces ANG from 2025-03-31 on. */
  added: { XCG: 2 } as Record<string, number>,
  /** Amendments 176 (ANG), 178 (CUC) and 180 (BGN: Bulgaria has the euro from 2026-01-01 on). */
  withdrawn: ['ANG', 'BGN', 'CUC'],
};

/** ISO 4217 codes that are not money: metals, units of account, the code for tests, and "no currency". */
const NOT_MONEY = 'XAG XAU XBA XBB XBC XBD XDR XPD XPT XSU XTS XUA XXX'.split(' ');

/** Returns true for a text of the form of an ISO 4217 code, also of an unknown one. */
export function isCurrencyCode(text: string): boolean {
  return /^[A-Z]{3}$/.test(text);
}

/** Returns the number of decimals of a currency (ISO 4217): 2 for EUR, 0 for JPY. Undefined for an unknown and a withdrawn code. */
export function currencyDigits(code: string): number | undefined {
  return CHANGES.withdrawn.includes(code) ? undefined : storedCurrencyDigits(code);
}

/** Returns the number of decimals like currencyDigits, also for a withdrawn currency, which stored amounts may have. */
export function storedCurrencyDigits(code: string): number | undefined {
  if (NOT_MONEY.includes(code)) return undefined;
  return Object.hasOwn(CHANGES.added, code) ? CHANGES.added[code] : findCurrency(code)?.digits;
}

/**
 * The largest price and the largest amount of a price rule. The tables have the same limit (0103_catalog.sql,
 * 0104_visibility_and_pricing.sql).
 */
export const MINOR_UNITS_MAX = 1_000_000_000_000;

/**
 * Converts major units, a JSON number or decimal text, to minor units: 129.99 to 12999. Counts the decimals of a text as they are written:
 * `1.490` is no amount of EUR, because many spreadsheets write 1490 so. Uses the digits of the text, because 1.15 * 100 is
 * 114.99999999999999.
 * @returns undefined for any other text, for more decimals than the currency has, and for an amount above MINOR_UNITS_MAX
 * @rule the decimals of an amount, in a file or a flag: test/catalog/written-numbers.test.ts
 */
export function toMinor(amount: string | number, digits: number): number | undefined {
  const text = String(amount);
  const decimals = countDecimals(text);
  if (decimals === undefined || decimals > digits) return undefined;
  const minor = Number(text.replace('.', '') + '0'.repeat(digits - decimals));
  if (Math.abs(minor) > MINOR_UNITS_MAX) return undefined;
  return minor === 0 ? 0 : minor;
}

/**
 * Returns the quotient rounded to a whole number, half up. Both numbers are positive. Every amount that is computed is rounded here.
 * @rule rounding, half up: test/unit/apply-price-rule.test.ts
 */
export function divideHalfUp(numerator: bigint, denominator: bigint): bigint {
  return (2n * numerator + denominator) / (2n * denominator);
}

/** Converts minor units to the JSON number of major units: the division gives the number nearest to the exact value. */
export function toMajor(minor: number, digits: number): number {
  return minor / 10 ** digits;
}

/**
 * The allowed difference of equal amounts, in minor units. It is larger than the rounding error of floats, so that 3 * 19.99 equals 59.97,
 * and smaller than the difference of any two amounts. Above 10^12 minor units, the rounding error may be larger.
 */
const FLOAT_ERROR_MINOR = 0.001;

/** Returns whether a number in major units is an amount of a currency with these digits: it has no more decimals. */
export function isAmount(named: number, digits: number): boolean {
  return isSameAmount(named, Math.round(named * 10 ** digits), digits);
}

/** Returns whether an amount that a caller names, in major units, equals an amount in minor units. */
export function isSameAmount(named: number, minor: number, digits: number): boolean {
  // An amount as an answer shows it is equal, however large it is.
  return named === toMajor(minor, digits) || Math.abs(named * 10 ** digits - minor) <= FLOAT_ERROR_MINOR;
}
