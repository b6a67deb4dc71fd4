import { InvalidInputError } from '../../platform/errors';
import type { CancellationTier } from '../catalog/cancellation-policy';
import { divideHalfUp, isAmount, isSameAmount, toMajor } from '../pricing/currency';
import { RefundChangedError } from './booking.errors';
import { awaitsPayment } from './booking-status';
import type { BookingLead, Reduction, Refund } from './booking-lead';

/** The fields of a booking that decide its refund. */
export type RefundTerms = Pick<
  BookingLead,
  'departureStatus' | 'tiers' | 'refundCeiling' | 'refundFloor' | 'floorEndsAt' | 'totalMinor'
>;

/** The terms of a booking, with what says whether it was paid. */
type PaidTerms = RefundTerms & Pick<BookingLead, 'confirmedAt'>;

/** Returns the share of the total, rounded once to minor units, half up. */
export function refundOf(totalMinor: number, percent: number): Refund {
  // BigInt, because a total has up to 2^53 minor units.
  return { percent, minor: Number(divideHalfUp(BigInt(totalMinor) * BigInt(percent), 100n)) };
}

/**
 * Returns the share of the total that a cancellation of a paid booking at this time refunds, in percent: that of the first tier which has
 * not ended, at most the ceiling, at least the floor. A departure that its operator has cancelled refunds all. Null: no policy and no floor
 * is stated, or the booking has no date.
 */
export function refundPercentAt(terms: RefundTerms, at: Date): number | null {
  const lowest = lowestPercentAt(terms, at);
  const share = policyPercentAt(terms, at);
  if (lowest === null || share === null) return lowest ?? share;
  return Math.max(lowest, share);
}

/** Returns the share below which no policy goes at this time, in percent. Null: there is none. */
export function lowestPercentAt(terms: RefundTerms, at: Date): number | null {
  return terms.departureStatus === 'cancelled' ? 100 : floorAt(terms, at);
}

/** Returns the floor that a move by the operator has set, in percent. Null: none, or the departure is past. */
export function floorAt({ refundFloor, floorEndsAt }: RefundTerms, at: Date): number | null {
  return floorEndsAt !== null && at < floorEndsAt ? refundFloor : null;
}

/** Returns the share by the policy alone, in percent. Null: the policy is not stated, or the booking has no date. */
function policyPercentAt({ tiers, refundCeiling }: RefundTerms, at: Date): number | null {
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
  const ends = (terms.tiers ?? []).map((tier) => new Date(tier.at));
  // No tier ends later, because all end before the start of the departure or at it.
  if (terms.floorEndsAt) ends.push(terms.floorEndsAt);
  return ends.find((end) => end > at && refundPercentAt(terms, end) !== now) ?? null;
}

/** Returns what a cancellation of the booking at this time refunds. Null: nothing was paid, or nothing is stated. */
export function refundAt(lead: PaidTerms, at: Date): Refund | null {
  const percent = lead.confirmedAt === null ? null : refundPercentAt(lead, at);
  return percent === null ? null : refundOf(lead.totalMinor, percent);
}

/** The choice of the caller or the operator about a refund. */
export interface RefundChoice {
  /** The refund that the caller has shown, in major units. Undefined: not named. */
  expectedRefund?: number;
  /** The operator's share instead of that of the terms, in percent. */
  refundPercent?: number;
}

/** Checks that the refund that the caller has shown is an amount of the booking's currency. @throws InvalidInputError (400) */
export function assertRefundAmount(
  { expectedRefund }: RefundChoice,
  { currency, currencyDigits }: Pick<BookingLead, 'currency' | 'currencyDigits'>,
): void {
  if (expectedRefund === undefined || isAmount(expectedRefund, currencyDigits)) return;
  throw new InvalidInputError(
    'body',
    'expected_refund',
    `must have at most ${currencyDigits} decimals, as amounts in ${currency} have`,
  );
}

/**
 * Returns what the cancellation of a booking refunds. Null: the booking was never confirmed, so nothing was paid, or nothing is stated.
 * Where nothing is refunded, the caller may have shown 0.
 * @param at the clock reading under the lock
 * @throws RefundChangedError (409)
 * @rule what a cancellation refunds: test/api/cancellation-policy.long.test.ts
 */
export function decideRefund(
  lead: PaidTerms & Pick<BookingLead, 'currency' | 'currencyDigits'>,
  at: Date,
  { expectedRefund, refundPercent }: RefundChoice,
): Refund | null {
  const isOverridden = refundPercent !== undefined && lead.confirmedAt !== null;
  const refund = isOverridden ? refundOf(lead.totalMinor, refundPercent) : refundAt(lead, at);
  if (expectedRefund !== undefined && !isSameAmount(expectedRefund, refund?.minor ?? 0, lead.currencyDigits))
    throw new RefundChangedError(
      refund && { percent: refund.percent, amount: toMajor(refund.minor, lead.currencyDigits) },
      lead.currency,
    );
  return refund;
}

/**
 * Returns what a change of the total frees, by the terms before the change at its instant. Null: the booking is not confirmed, or its total
 * does not fall.
 * @param refundPercent the operator's share instead of that of the terms
 * @rule what a smaller total of a confirmed booking frees: test/api/reduction.test.ts
 */
export function decideReduction(
  before: RefundTerms & Pick<BookingLead, 'status'>,
  totalMinor: number,
  at: Date,
  refundPercent = refundPercentAt(before, at),
): Reduction | null {
  const minor = before.totalMinor - totalMinor;
  if (awaitsPayment(before) || minor <= 0) return null;
  return { minor, refund: refundPercent === null ? null : refundOf(minor, refundPercent) };
}
