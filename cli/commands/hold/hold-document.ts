import { toMajor } from '../../../services/api/money/currency';
import type { SeatHold } from '../../../services/api/holds/seat-hold';
import { toCustomerDocument, toReferenceDocument } from '../../customer-document';

/** A hold in lists and in the audit log, without the customer. */
export function toHoldDocument(hold: SeatHold, reveal = false) {
  return {
    id: hold.id,
    tenant: hold.tenant.slug,
    tour: hold.tour.slug,
    departure_date: hold.departureDate,
    quantity: hold.quantity,
    status: hold.status,
    expires_at: hold.expiresAt.toISOString(),
    unit_price: toMajor(hold.unitPriceMinor, hold.currencyDigits),
    currency: hold.currency,
    external_ref: toReferenceDocument(hold.externalRef, hold.customer, reveal),
    created_at: hold.createdAt.toISOString(),
  };
}

/** One hold as `show` prints it. */
export function toHoldDetailDocument(hold: SeatHold, reveal: boolean) {
  return {
    ...toHoldDocument(hold, reveal),
    hold_minutes: hold.holdMinutes,
    customer: toCustomerDocument(hold.customer, reveal),
    price_breakdown: hold.priceBreakdown,
  };
}
