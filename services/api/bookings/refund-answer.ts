import { toMajor } from '../pricing/currency';
import { type BookingLead, isStanding, type Refund } from './booking-lead';
import { nextRefundChange, refundOf, refundPercentAt, sharedPercent } from './refund';

/** The refund of a cancellation now, by the policy that the booking has locked. */
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
   * The share of `total_price`. Null: the tour stated no policy, or the booking has no date, has expired, or was cancelled before it was paid.
   * @isInt
   * @example 50
   */
  refund_percent: number | null;
  /** @example 489.5 */
  refund_amount: number | null;
  /** The tiers of the policy. After the last one, nothing is refunded. Null: the tour stated no policy, or the booking has no date. */
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

/** Returns the field `cancellation` of a booking: what a cancellation would refund at the time at which the booking was read. */
export function cancellationAnswer(lead: BookingLead): CancellationAnswer | null {
  const percent = isStanding(lead) && lead.tiers ? refundPercentAt(lead, lead.asOf) : null;
  if (percent === null) return null;
  return {
    refund_percent: percent,
    refund_amount: amountOf(lead, percent),
    next_change_at: nextRefundChange(lead, lead.asOf)?.toISOString() ?? null,
  };
}

/**
 * Returns the field `refund` of a booking. Undefined, and so absent: the booking is not cancelled, or its tour stated no policy and its
 * operator refunded nothing.
 */
export function shownRefund(lead: BookingLead): RefundAnswer | null | undefined {
  const { status, cancellation, refund } = lead;
  if (status !== 'cancelled' || (cancellation === null && refund === null)) return undefined;
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
  const { currency, status, refund, refundCeiling } = lead;
  const { tiers } = lead;
  const now = isStanding(lead) ? refundPercentAt(lead, lead.asOf) : null;
  const percent = status === 'cancelled' ? (refund?.percent ?? null) : now;
  return {
    ok: true,
    currency,
    refund_percent: percent,
    refund_amount: percent === null ? null : amountOf(lead, percent),
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
