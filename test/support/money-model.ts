/**
 * Calculates prices a second time, with whole numbers alone. Shares no code with the product, and finds a rounded quotient by comparisons
 * instead of a formula.
 */

/** A decimal text in units of 10^-10. */
export function tenDecimals(text: string): bigint {
  const [whole, fraction = ''] = text.replace('-', '').split('.');
  const value = BigInt(whole + fraction.padEnd(10, '0'));
  return text.startsWith('-') ? -value : value;
}

/** Returns the whole number nearest to numerator / denominator, and of two equally near ones the larger. Both are positive, or 0. */
function nearestWhole(numerator: bigint, denominator: bigint): bigint {
  let low = 0n;
  let high = numerator / denominator + 1n;
  // Finds the largest whole number that is at most half a unit above the quotient.
  while (low < high) {
    const middle = (low + high + 1n) / 2n;
    if ((2n * middle - 1n) * denominator <= 2n * numerator) low = middle;
    else high = middle - 1n;
  }
  return low;
}

export interface ModelCurrency {
  code: string;
  digits: number;
  /** Units for one euro; EUR has '1'. */
  perEuro: string;
}

/** Converts minor units of one currency to minor units of another one. */
export function modelConversion(minor: bigint, from: ModelCurrency, to: ModelCurrency): bigint {
  if (from.code === to.code) return minor;
  const numerator = minor * 10n ** BigInt(to.digits) * tenDecimals(to.perEuro);
  return nearestWhole(numerator, 10n ** BigInt(from.digits) * tenDecimals(from.perEuro));
}

export type ModelRule =
  | { kind: 'percent'; percent: string; roundTo?: string }
  | { kind: 'amount' | 'price'; minor: bigint; roundTo?: string };

/** Applies a rule to a price in the currency of the rule. A rule in money changes only an adult's price. */
export function modelRule(
  minor: bigint,
  rule: ModelRule | undefined,
  isAdult: boolean,
  digits: number,
): bigint {
  if (!rule) return minor;
  const step = rule.roundTo === undefined ? 1n : tenDecimals(rule.roundTo) / 10n ** BigInt(10 - digits) || 1n;
  if (rule.kind === 'percent') {
    const factor = 100n * 10n ** 10n + tenDecimals(rule.percent);
    return factor <= 0n ? 0n : nearestWhole(minor * factor, 100n * 10n ** 10n * step) * step;
  }
  if (!isAdult) return minor;
  const price = rule.kind === 'price' ? rule.minor : minor + rule.minor;
  return price <= 0n ? 0n : nearestWhole(price, step) * step;
}

/** Returns the deposit of a total. @param percent a whole percentage */
export function modelDeposit(total: bigint, percent: number): bigint {
  return nearestWhole(total * BigInt(percent), 100n);
}
