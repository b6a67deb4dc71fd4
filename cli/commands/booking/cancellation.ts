import type { BookingLead, Refund } from '../../../services/api/bookings/booking-lead';
import { BOOKING_STATUSES, isCancelled } from '../../../services/api/bookings/booking-status';
import { nextRefundChange, refundOf, refundPercentAt } from '../../../services/api/bookings/refund';
import {
  type ReductionAnswer,
  type RefundAnswer,
  refundAnswer,
} from '../../../services/api/bookings/refund-answer';
import { formatMoney } from '../../engine/values';
import { shortTime } from '../../terminal/table';

/** Describes what a cancellation of the booking refunds now and when that changes. For a cancelled booking, what was refunded. */
export function describeCancellation(lead: BookingLead): string {
  const { status, cancellation, confirmedAt, refund } = lead;
  if (isCancelled(lead))
    return cancellation === null && refund === null
      ? 'not stated'
      : `${describeRefund(refund, lead)} was refunded`;
  const percent = refundPercentAt(lead, lead.asOf);
  if (percent === null) return 'not stated';
  if (BOOKING_STATUSES[status].cancel !== 'cancelled') return `a booking that is ${status} is not cancelled`;
  const subject = confirmedAt === null ? 'Once the booking is confirmed, a cancellation' : 'A cancellation';
  return `${subject} refunds ${describeRefund(refundOf(lead.totalMinor, percent), lead)}${describeNext(lead)}`;
}

function describeNext(lead: BookingLead): string {
  const next = nextRefundChange(lead, lead.asOf);
  if (!next) return '';
  const percent = refundPercentAt(lead, next);
  const then =
    percent === null ? 'it is not stated' : describeRefund(refundOf(lead.totalMinor, percent), lead);
  return ` until ${shortTime(next)} UTC, then ${then}`;
}

/** Describes a refund, such as `50% (489.50 EUR)` or `nothing`. @param refund null: none */
export function describeRefund(refund: Refund | null, lead: BookingLead): string {
  const shown = refundAnswer(refund, lead);
  return shown ? describeShare(shown, lead.currency) : 'nothing';
}

/** Describes a share of a total, such as `50% (489.50 EUR)` or `nothing`. */
export function describeShare({ percent, amount }: RefundAnswer, currency: string): string {
  return percent === 0 ? 'nothing' : `${percent}% (${formatMoney(amount, currency)})`;
}

/** Describes what a change of a confirmed booking frees, such as `300.00 EUR less; of this, 50% (150.00 EUR) is refunded`. */
export function describeReduction(
  { amount, refund_percent: percent, refund_amount: refunded }: ReductionAnswer,
  currency: string,
): string {
  const less = `${formatMoney(amount, currency)} less`;
  if (percent === null || refunded === null) return `${less}; what of this is refunded is not stated`;
  return `${less}; of this, ${describeShare({ percent, amount: refunded }, currency)} is refunded`;
}

/** Describes the refund of a cancellation for the question before it. @param refund null: none */
export function describeRefundNow(refund: Refund | null, lead: BookingLead): string {
  if (refund) return `it refunds ${describeRefund(refund, lead)}`;
  return lead.confirmedAt === null
    ? 'it refunds nothing, because it was never confirmed'
    : 'what it refunds is not stated';
}
