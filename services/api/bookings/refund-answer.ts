import { toMajor } from '../pricing/currency';
import type { BookingLead, Reduction, Refund } from './booking-lead';
import { isCancelled } from './booking-status';
import { floorAt, nextRefundChange, refundAt, refundOf, sharedPercent } from './refund';

/** The refund of a cancellation now, by the terms of the booking. */
export interface CancellationAnswer {
  /**
   * The share of `total_price`.
   * @isInt
   * @example 50
   */
  refund_percent: number;
  /** @example 489.5 */
  refund_amount: number;
  /**
   * From this instant on, a cancellation refunds another share. Null: the share stays as it is.
   * @example "2027-02-27T02:00:00.000Z"
   */
  next_change_at: string | null;
}

/** The refund of a cancellation that was made. */
export interface RefundAnswer {
  /**
   * The share of `total_price`.
   * @isInt
   * @example 50
   */
  percent: number;
  /** @example 489.5 */
  amount: number;
}

/** The refund of a cancellation, now and later. */
export interface CancellationQuote {
  ok: true;
  currency: string;
  /**
   * The share of `total_price`: for a cancelled booking, what its cancellation refunded. Null: nothing is stated, or the booking was never
   * confirmed, so nothing was paid.
   * @isInt
   * @example 50
   */
  refund_percent: number | null;
  /** @example 489.5 */
  refund_amount: number | null;
  /**
   * The share that a cancellation refunds at least, until the departure is past: the operator has moved the booking. Null: none.
   * @isInt
   * @example null
   */
  floor_percent: number | null;
  /** The tiers of the policy, without `floor_percent`. After the last one, nothing is refunded. Null: the tour stated no policy, or the booking has no date. */
  tiers: CancellationTierQuote[] | null;
}

export interface CancellationTierQuote {
  /**
   * Minutes, hours or calendar days before the start of the departure.
   * @example "7d"
   */
  until: string;
  /**
   * The instant at which the tier ends.
   * @example "2027-02-27T02:00:00.000Z"
   */
  at: string;
  /**
   * @isInt
   * @example 50
   */
  refund_percent: number;
  /** @example 489.5 */
  refund_amount: number;
}

/** The amount by which a change lowered the total of a confirmed booking, and its refund. */
export interface ReductionAnswer {
  /**
   * The old `total_price` less the new one.
   * @example 489.5
   */
  amount: number;
  /**
   * The share of `amount` that is refunded. Null: nothing is stated.
   * @isInt
   * @example 50
   */
  refund_percent: number | null;
  /** @example 244.75 */
  refund_amount: number | null;
}

/**
 * Returns the field `cancellation` of a booking: what a cancellation would refund at the time at which the booking was read.
 * @rule how answers show a refund: test/cli/cancellation.long.test.ts
 */
export function cancellationAnswer(lead: BookingLead): CancellationAnswer | null {
  const refund = isCancelled(lead) ? null : refundAt(lead, lead.asOf);
  if (refund === null) return null;
  return {
    refund_percent: refund.percent,
    refund_amount: toMajor(refund.minor, lead.currencyDigits),
    next_change_at: nextRefundChange(lead, lead.asOf)?.toISOString() ?? null,
  };
}

/** Returns the field `reduction` of a changed booking. */
export function reductionAnswer(
  reduction: Reduction | null,
  { currencyDigits }: Pick<BookingLead, 'currencyDigits'>,
): ReductionAnswer | null {
  if (reduction === null) return null;
  const { minor, refund } = reduction;
  return {
    amount: toMajor(minor, currencyDigits),
    refund_percent: refund?.percent ?? null,
    refund_amount: refund && toMajor(refund.minor, currencyDigits),
  };
}

/**
 * Returns the field `refund` of a booking. Undefined, and so absent: the booking is not cancelled, or its tour stated no policy and its
 * operator refunded nothing.
 */
export function shownRefund(lead: BookingLead): RefundAnswer | null | undefined {
  const { cancellation, refund } = lead;
  if (!isCancelled(lead) || (cancellation === null && refund === null)) return undefined;
  return refundAnswer(refund, lead);
}

/** Converts a refund to major units. */
export function refundAnswer(refund: Refund | null, { currencyDigits }: BookingLead): RefundAnswer | null {
  return refund && { percent: refund.percent, amount: toMajor(refund.minor, currencyDigits) };
}

/** Returns the amount of a share of the booking's total, in major units. */
function amountOf({ totalMinor, currencyDigits }: BookingLead, percent: number): number {
  return toMajor(refundOf(totalMinor, percent).minor, currencyDigits);
}

/** Returns what a cancellation of the booking would refund. For a cancelled booking, what its cancellation refunded. */
export function cancellationQuote(lead: BookingLead): CancellationQuote {
  const { currency, tiers, refundCeiling } = lead;
  const refund = isCancelled(lead) ? lead.refund : refundAt(lead, lead.asOf);
  return {
    ok: true,
    currency,
    refund_percent: refund?.percent ?? null,
    refund_amount: refund && toMajor(refund.minor, lead.currencyDigits),
    floor_percent: floorAt(lead, lead.asOf),
    tiers:
      tiers &&
      tiers.map((tier) => {
        const share = sharedPercent(tier, refundCeiling);
        return {
          until: tier.until,
          at: new Date(tier.at).toISOString(),
          refund_percent: share,
          refund_amount: amountOf(lead, share),
        };
      }),
  };
}
