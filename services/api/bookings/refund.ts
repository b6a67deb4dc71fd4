import type { DatedTier } from '../catalog/cancellation-policy';

/** What a cancellation refunds. */
export interface Refund {
  /** A whole number, 0 to 100. */
  percent: number;
  /** In minor units. */
  minor: number;
}

/** What decides the refund of a booking with a date and a stated policy. */
export interface RefundTerms {
  /** In the order of their ends. */
  tiers: DatedTier[];
  /** The highest share that a cancellation refunds, in percent. */
  ceiling: number;
}

/** Returns the share of the total, rounded once to minor units, half up. */
export function refundOf(totalMinor: number, percent: number): Refund {
  // BigInt, because a total has up to 2^53 minor units.
  const minor = (BigInt(totalMinor) * BigInt(percent) + 50n) / 100n;
  return { percent, minor: Number(minor) };
}

/** Returns the share that a cancellation at this time refunds, in percent: that of the first tier which has not ended. */
export function percentAt({ tiers, ceiling }: RefundTerms, at: Date): number {
  const tier = tiers.find((one) => at.getTime() < Date.parse(one.at));
  return tier ? Math.min(tier.refund_percent, ceiling) : 0;
}

/** Returns the next instant from which a cancellation refunds another share. Null: the share stays as it is. */
export function nextChangeAt(terms: RefundTerms, at: Date): Date | null {
  const now = percentAt(terms, at);
  const ends = terms.tiers.map((tier) => new Date(tier.at)).filter((end) => end > at);
  return ends.find((end) => percentAt(terms, end) !== now) ?? null;
}
