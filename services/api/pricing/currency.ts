import { code as findCurrency } from 'currency-codes';

/** ISO 4217 codes that are not money: metals, units of account, the code for tests, and "no currency". */
const NOT_MONEY = 'XAG XAU XBA XBB XBC XBD XDR XPD XPT XSU XTS XUA XXX'.split(' ');

/** Returns the number of decimals of a currency (ISO 4217): 2 for EUR, 0 for JPY. Undefined for an unknown code. */
export function currencyDigits(code: string): number | undefined {
  return NOT_MONEY.includes(code) ? undefined : findCurrency(code)?.digits;
}

const AMOUNT = /^(-?)(\d{1,13})(?:\.(\d+))?$/;

/**
 * Converts major units, a JSON number or decimal text, to minor units: 129.99 to 12999. Uses the digits of the text, because
 * 1.15 * 100 is 114.99999999999999.
 * @returns undefined for any other text, and for more decimals than the currency has
 */
export function toMinor(amount: string | number, digits: number): number | undefined {
  const [, sign, whole, fraction = ''] = AMOUNT.exec(String(amount)) ?? [];
  if (whole === undefined || fraction.length > digits) return undefined;
  const minor = Number(whole + fraction.padEnd(digits, '0'));
  if (!Number.isSafeInteger(minor)) return undefined;
  return sign === '-' && minor !== 0 ? -minor : minor;
}

/** Converts minor units to the JSON number of major units: the division gives the number nearest to the exact value. */
export function toMajor(minor: number, digits: number): number {
  return minor / 10 ** digits;
}
