import { divideHalfUp } from './currency';
import { mapPrices } from './price-categories';
import type { Prices } from '../parties/party-rules';

/** The last known rate of a currency. */
export interface ExchangeRate {
  /** ISO 4217, never EUR. */
  currency: string;
  /** Units of the currency for one euro: an exact decimal text such as "1.0812", because rates are never computed from floats. */
  unitsPerEur: string;
  /** The day for which the rate was published, YYYY-MM-DD. */
  rateDate: string;
}

/** A rate whose day is named elsewhere: by a command, or by a file of rates. */
export type UndatedRate = Omit<ExchangeRate, 'rateDate'>;

/** The known rates by currency. */
export type ExchangeRates = ReadonlyMap<string, ExchangeRate>;

export const NO_RATES: ExchangeRates = new Map();

export function ratesByCurrency(rates: ExchangeRate[]): ExchangeRates {
  return new Map(rates.map((rate) => [rate.currency, rate]));
}

export interface Currency {
  /** ISO 4217. */
  currency: string;
  currencyDigits: number;
}

/** How prices in one currency become prices in another one. The quotient of the two numbers is exact. */
export interface Conversion {
  from: string;
  /** Minor units of the other currency for `denominator` minor units of `from`. */
  numerator: bigint;
  denominator: bigint;
  /** Units of the other currency for one unit of `from`, rounded to 12 significant digits, to be shown. */
  rate: number;
  /** The earlier date of the rates that are used, YYYY-MM-DD. */
  rateDate: string;
}

/**
 * Finds the conversion between two different currencies. If neither is the euro, uses the cross rate: the quotient of both rates.
 * @returns undefined if a rate is missing
 */
export function findConversion(rates: ExchangeRates, from: Currency, to: Currency): Conversion | undefined {
  const sold = unitsPerEur(rates, from.currency);
  const wanted = unitsPerEur(rates, to.currency);
  if (!sold || !wanted) return undefined;
  const units = {
    numerator: wanted.numerator * sold.denominator,
    denominator: wanted.denominator * sold.numerator,
  };
  return {
    from: from.currency,
    numerator: units.numerator * 10n ** BigInt(to.currencyDigits),
    denominator: units.denominator * 10n ** BigInt(from.currencyDigits),
    rate: toSignificant(units.numerator, units.denominator),
    rateDate: [sold.date, wanted.date].filter((date) => date !== undefined).sort()[0]!,
  };
}

interface ExactRate {
  numerator: bigint;
  denominator: bigint;
  /** Undefined: the euro, whose rate is always 1. */
  date: string | undefined;
}

function unitsPerEur(rates: ExchangeRates, currency: string): ExactRate | undefined {
  if (currency === 'EUR') return { numerator: 1n, denominator: 1n, date: undefined };
  const rate = rates.get(currency);
  return rate && exactRate(rate);
}

function exactRate({ unitsPerEur: text, rateDate }: ExchangeRate): ExactRate {
  const [whole, fraction = ''] = text.split('.');
  return {
    numerator: BigInt(whole! + fraction),
    denominator: 10n ** BigInt(fraction.length),
    date: rateDate,
  };
}

/** Returns whether one rate is more than 1.5 times the other one. */
export function isLargeChange(before: ExchangeRate, after: ExchangeRate): boolean {
  const [known, changed] = [exactRate(before), exactRate(after)];
  const left = known.numerator * changed.denominator;
  const right = changed.numerator * known.denominator;
  return 2n * left > 3n * right || 2n * right > 3n * left;
}

/**
 * Converts the price of each category, and rounds it once, half up, to the digits of the other currency.
 * @rule a price in the selling currency: test/unit/convert-price.test.ts
 */
export function convertPrices(prices: Prices, { numerator, denominator }: Conversion): Prices {
  const convert = (minor: number) => Number(divideHalfUp(BigInt(minor) * numerator, denominator));
  return mapPrices(prices, convert);
}

const SIGNIFICANT_DIGITS = 12;

/** Rounds a quotient half up to SIGNIFICANT_DIGITS. */
function toSignificant(numerator: bigint, denominator: bigint): number {
  // With this number of decimals, the quotient has the wanted number of digits, or one more.
  const most = SIGNIFICANT_DIGITS - digitsOf(numerator) + digitsOf(denominator);
  const hasOneMore = digitsOf(roundAt(numerator, denominator, most)) > SIGNIFICANT_DIGITS;
  const decimals = hasOneMore ? most - 1 : most;
  return Number(`${roundAt(numerator, denominator, decimals)}e${-decimals}`);
}

/** Returns the quotient in units of 10^-decimals, rounded half up. `decimals` may be negative. */
function roundAt(numerator: bigint, denominator: bigint, decimals: number): bigint {
  const scale = 10n ** BigInt(Math.abs(decimals));
  return decimals >= 0
    ? divideHalfUp(numerator * scale, denominator)
    : divideHalfUp(numerator, denominator * scale);
}

function digitsOf(number: bigint): number {
  return number.toString().length;
}
