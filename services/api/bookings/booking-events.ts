import type { Trx } from '../../platform/database/database';
import {
  bookingEvent,
  enqueueDelivery,
  type EventLead,
  type WebhookEvent,
} from '../../webhook-queue/enqueue-delivery';
import { toMajor } from '../pricing/currency';
import type { BookingLead, Reduction } from './booking-lead';
import { reductionAnswer, refundAnswer } from './refund-answer';

type ChangeEventType = 'booking.created' | 'booking.confirmed' | 'booking.updated' | 'booking.cancelled';

/** Returns an event that contains the present data of the lead. @param reduction only of `booking.updated` */
export function eventOfLead(
  type: ChangeEventType,
  lead: BookingLead,
  reduction: Reduction | null = null,
): WebhookEvent {
  return bookingEvent(type, { ...toEventData(lead), reduction: reductionAnswer(reduction, lead) });
}

/** Returns the data of the lead that its events contain. */
export function toEventData(lead: BookingLead): EventLead {
  return {
    tenantId: lead.tenant.id,
    bookingRef: lead.bookingRef,
    leadId: lead.id,
    externalRef: lead.externalRef,
    customer: lead.customer,
    departureDate: lead.departureDate,
    departureTime: lead.departureTime,
    totalPrice: toMajor(lead.totalMinor, lead.currencyDigits),
    updatedAt: lead.updatedAt,
    refund: refundAnswer(lead.refund, lead),
  };
}

/** Records the events and their deliveries to the tenants' endpoints, in the transaction that changed the leads. */
export async function enqueueBookingEvents(
  trx: Trx,
  type: ChangeEventType,
  leads: BookingLead[],
): Promise<void> {
  await enqueueDelivery(trx, ...leads.map((lead) => eventOfLead(type, lead)));
}
