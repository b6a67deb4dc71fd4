import type { PriceRule } from './choose-price-rule';
import type { Prices } from './price-categories';

/**
 * Calculates the tenant's prices of a departure by category: applies one rule to the platform's prices. A percentage changes every
 * category. An amount or a price changes only the adult's price; the other categories then have the platform's price. A changed price is
 * rounded once, half up, and is never below 0. party.ts adds up the total of a party.
 * @param digits decimals of the tour's currency
 */
export function applyPriceRule(platform: Prices, rule: PriceRule | undefined, digits: number): Prices {
  if (!rule) return platform;
  const step = roundingStep(rule.roundTo, digits);
  if (rule.kind === 'percent') {
    const factor = MILLION + decimalToScaled(rule.percent!, 4);
    const price = (minor: number) => roundToStep(BigInt(minor) * factor, MILLION, step);
    return mapPrices(platform, price);
  }
  const adult = rule.kind === 'price' ? rule.amountMinor! : platform.adult + rule.amountMinor!;
  return { ...platform, adult: roundToStep(BigInt(adult), 1n, step) };
}

/** The scale of percentages, which have four decimals: 12.5 % is 125000 of a million. */
const MILLION = 1_000_000n;

/** Returns the deposit of an amount in minor units: the tenant's percentage, rounded half up; 0 for `reserve`. */
export function depositOf(amountMinor: number, depositPercent: string, paymentMethod: string): number {
  if (paymentMethod === 'reserve') return 0;
  return roundToStep(BigInt(amountMinor) * decimalToScaled(depositPercent, 4), MILLION, 1n);
}

function mapPrices(prices: Prices, change: (minor: number) => number): Prices {
  const entries = Object.entries(prices) as [keyof Prices, number][];
  return Object.fromEntries(
    entries.map(([category, minor]) => [category, change(minor)]),
  ) as unknown as Prices;
}

/** Rounds numerator / denominator to the nearest multiple of step, half up, at least 0. */
function roundToStep(numerator: bigint, denominator: bigint, step: bigint): number {
  if (numerator <= 0n) return 0;
  const unit = denominator * step;
  return Number(((2n * numerator + unit) / (2n * unit)) * step);
}

/** Returns the rule's step in minor units, at least 1. */
function roundingStep(roundTo: string | null, digits: number): bigint {
  if (roundTo === null) return 1n;
  const step = decimalToScaled(roundTo, digits);
  return step > 0n ? step : 1n;
}

/** Converts a decimal text to an integer, in units of 10^-places. Cuts off further decimals. */
function decimalToScaled(text: string, places: number): bigint {
  const [, sign, whole, fraction = ''] = /^(-?)(\d+)(?:\.(\d*))?$/.exec(text)!;
  const scaled = BigInt(whole! + fraction.slice(0, places).padEnd(places, '0'));
  return sign === '-' ? -scaled : scaled;
}
