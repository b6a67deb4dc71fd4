import type { CancellationTier } from '../catalog/cancellation-policy';
import { isSameAmount, toMajor } from '../pricing/currency';
import { RefundChangedError } from './booking.errors';
import type { BookingLead, Refund } from './booking-lead';

/** The fields of a booking that decide its refund. */
export type RefundTerms = Pick<BookingLead, 'departureStatus' | 'tiers' | 'refundCeiling' | 'totalMinor'>;

/** Returns the share of the total, rounded once to minor units, half up. */
export function refundOf(totalMinor: number, percent: number): Refund {
  // BigInt, because a total has up to 2^53 minor units.
  const minor = (BigInt(totalMinor) * BigInt(percent) + 50n) / 100n;
  return { percent, minor: Number(minor) };
}

/**
 * Returns the share of the total that a cancellation at this time refunds, in percent: that of the first tier which has not ended. A
 * departure that its operator has cancelled refunds all. Null: the policy is not stated, or the booking has no date.
 */
export function refundPercentAt(
  { departureStatus, tiers, refundCeiling }: RefundTerms,
  at: Date,
): number | null {
  if (departureStatus === 'cancelled') return 100;
  if (tiers === null) return null;
  const tier = tiers.find((one) => at < new Date(one.at));
  return tier ? sharedPercent(tier, refundCeiling) : 0;
}

/** Returns the share that a tier refunds, in percent. @param ceiling the highest share */
export function sharedPercent({ refund_percent }: CancellationTier, ceiling: number): number {
  return Math.min(refund_percent, ceiling);
}

/** Returns the next instant from which a cancellation refunds another share. Null: the share stays as it is. */
export function nextRefundChange(terms: RefundTerms, at: Date): Date | null {
  const now = refundPercentAt(terms, at);
  const ends = (terms.tiers ?? []).map((tier) => new Date(tier.at)).filter((end) => end > at);
  return ends.find((end) => refundPercentAt(terms, end) !== now) ?? null;
}

/** The choice of the caller or the operator about a refund. */
export interface RefundChoice {
  /** The refund that the caller has shown, in major units. Undefined: not named. */
  expectedRefund?: number;
  /** The operator's share instead of that of the policy, in percent. */
  refundPercent?: number;
}

/**
 * Returns what the cancellation of a booking refunds. Null: the booking was never confirmed, so nothing was paid, or the policy is not
 * stated.
 * @param at the clock reading under the lock
 * @throws RefundChangedError (409)
 */
export function decideRefund(
  lead: RefundTerms & Pick<BookingLead, 'confirmedAt' | 'currency' | 'currencyDigits'>,
  at: Date,
  { expectedRefund, refundPercent }: RefundChoice,
): Refund | null {
  const percent = refundPercent ?? refundPercentAt(lead, at);
  const refund = lead.confirmedAt === null || percent === null ? null : refundOf(lead.totalMinor, percent);
  const minor = refund?.minor ?? 0;
  // A quote shows what a paid booking would get back. So the caller may name the quote or 0 for a booking that was never paid.
  const quoted = refund || percent === null ? minor : refundOf(lead.totalMinor, percent).minor;
  const isExpected = (amount: number) =>
    isSameAmount(amount, minor, lead.currencyDigits) || isSameAmount(amount, quoted, lead.currencyDigits);
  if (expectedRefund !== undefined && !isExpected(expectedRefund))
    throw new RefundChangedError(refund?.percent ?? 0, toMajor(minor, lead.currencyDigits), lead.currency);
  return refund;
}
