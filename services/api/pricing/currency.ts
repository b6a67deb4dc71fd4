import { code as findCurrency } from 'currency-codes';
import { countDecimals } from '../../platform/text-forms';

/** ISO 4217 codes that are not money: metals, units of account, the code for tests, and "no currency". */
const NOT_MONEY = 'XAG XAU XBA XBB XBC XBD XDR XPD XPT XSU XTS XUA XXX'.split(' ');

/** Returns the number of decimals of a currency (ISO 4217): 2 for EUR, 0 for JPY. Undefined for an unknown code. */
export function currencyDigits(code: string): number | undefined {
  return NOT_MONEY.includes(code) ? undefined : findCurrency(code)?.digits;
}

/** The largest price and the largest amount of a price rule. The tables have the same limit (0103_catalog.sql, 0104_visibility_and_pricing.sql). */
export const MOST_MINOR_UNITS = 1_000_000_000_000;

/**
 * Converts major units, a JSON number or decimal text, to minor units: 129.99 to 12999. Counts the decimals of a text as they are written:
 * `1.490` is no amount of EUR, because many spreadsheets write 1490 so. Uses the digits of the text, because 1.15 * 100 is
 * 114.99999999999999.
 * @returns undefined for any other text, for more decimals than the currency has, and for an amount above MOST_MINOR_UNITS
 */
export function toMinor(amount: string | number, digits: number): number | undefined {
  const text = String(amount);
  const decimals = countDecimals(text);
  if (decimals === undefined || decimals > digits) return undefined;
  const minor = Number(text.replace('.', '') + '0'.repeat(digits - decimals));
  if (Math.abs(minor) > MOST_MINOR_UNITS) return undefined;
  return minor === 0 ? 0 : minor;
}

/** Converts minor units to the JSON number of major units: the division gives the number nearest to the exact value. */
export function toMajor(minor: number, digits: number): number {
  return minor / 10 ** digits;
}
