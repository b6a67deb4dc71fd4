import { code as findCurrency } from 'currency-codes';

/** ISO 4217 codes that are no money to sell for: metals, units of account, test and "no currency". */
const NO_MONEY = 'XAG XAU XBA XBB XBC XBD XDR XPD XPT XSU XTS XUA XXX'.split(' ');

/** Decimals of a currency's minor unit by ISO 4217: 2 for EUR, 0 for JPY; undefined for what is not a currency. */
export function currencyDigits(code: string): number | undefined {
  return NO_MONEY.includes(code) ? undefined : findCurrency(code)?.digits;
}

const AMOUNT = /^(-?)(\d{1,13})(?:\.(\d+))?$/;

/**
 * Major units, as JSON numbers and decimal text have them, to minor units: 129.99 to 12999. By the digits of the text,
 * since 1.15 * 100 is 114.99999999999999.
 * @returns undefined for what is not a plain decimal, or has more decimals than the currency
 */
export function toMinor(amount: string | number, digits: number): number | undefined {
  const [, sign, whole, fraction = ''] = AMOUNT.exec(String(amount)) ?? [];
  if (whole === undefined || fraction.length > digits) return undefined;
  const minor = Number(whole + fraction.padEnd(digits, '0'));
  if (!Number.isSafeInteger(minor)) return undefined;
  return sign === '-' && minor !== 0 ? -minor : minor;
}

/** Minor units to the number that JSON shows. A division is rounded to the nearest number, which is what its text means. */
export function toMajor(minor: number, digits: number): number {
  return minor / 10 ** digits;
}
