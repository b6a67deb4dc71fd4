import { digitsOf } from './formats.ts';
import type { Departure, Tour } from './wire.ts';

/** The scale of the percentage of a tenant: it has two decimals. */
const SCALE = 10_000;
/** Whole percentages come first, then those with one decimal, then those with two. */
const SCALES = [100, 10, 1];

/**
 * Returns the deposit of a total in major units, as the platform computes it for a booking: the tenant's percentage, rounded half up. The
 * answers name no percentage, so it is the one with the fewest decimals that gives the deposit of the dearest first category. Undefined: there is no deposit.
 * @param departures of the tour, with prices in `currency`
 * @rule which deposit the element shows before the click: test/element/deposit.test.ts
 */
export function depositOf(
  total: number,
  currency: string,
  { categories }: Tour,
  departures: readonly Departure[],
): number | undefined {
  const unit = 10 ** digitsOf(currency);
  const minor = (amount = 0) => Math.round(amount * unit);
  const first = categories[0]!.code;
  const [dearest] = departures
    .map(({ tenant_prices }) => tenant_prices)
    .sort((one, other) => minor(other[first]) - minor(one[first]));
  const price = minor(dearest?.[first]);
  const deposit = minor(dearest?.deposit);
  if (deposit === 0) return undefined;
  const part = (amount: number, scaled: number) => Math.round((amount * scaled) / SCALE);
  const exact = (deposit * SCALE) / price;
  const simplest = SCALES.map((scale) => Math.round(exact / scale) * scale).find(
    (scaled) => part(price, scaled) === deposit,
  );
  return part(minor(total), simplest ?? exact) / unit;
}
