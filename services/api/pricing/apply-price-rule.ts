import type { PriceRule } from './choose-price-rule';
import { divideHalfUp } from './currency';

/**
 * Calculates the tenant's price of one category from the platform's. It is rounded once, half up, and is never below 0. Without a rule, it is
 * the platform's price.
 * @param minor the platform's price, in minor units of the currency of the sale
 * @param rule the rule that decides the category (decidingRule)
 * @param digits decimals of the currency of the sale
 * @rule the price of a category: test/unit/apply-price-rule.test.ts
 */
export function applyPriceRule(minor: number, rule: PriceRule | undefined, digits: number): number {
  if (!rule) return minor;
  const step = roundingStep(rule.roundTo, digits);
  if (rule.kind === 'percent') {
    const factor = MILLION + decimalToScaled(rule.percent!, 4);
    return roundToStep(BigInt(minor) * factor, MILLION, step);
  }
  const changed = rule.kind === 'price' ? rule.amountMinor! : minor + rule.amountMinor!;
  return roundToStep(BigInt(changed), 1n, step);
}

/** The scale of percentages, which have four decimals: 12.5 % is 125000 of a million. */
const MILLION = 1_000_000n;

/**
 * Returns the deposit of an amount in minor units: the tenant's percentage, rounded half up; 0 for `reserve`.
 * @rule the deposit: test/api/booking-price.test.ts
 */
export function depositOf(amountMinor: number, depositPercent: string, paymentMethod: string): number {
  if (paymentMethod === 'reserve') return 0;
  return roundToStep(BigInt(amountMinor) * decimalToScaled(depositPercent, 4), MILLION, 1n);
}

/** Rounds numerator / denominator to the nearest multiple of step, half up, at least 0. */
function roundToStep(numerator: bigint, denominator: bigint, step: bigint): number {
  if (numerator <= 0n) return 0;
  return Number(divideHalfUp(numerator, denominator * step) * step);
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
