import type { Trx } from '../platform/database';
import { insertEventsWithDeliveries } from './deliveries/event.repository';
import { EVENT_TYPES, type EventType, type WebhookEvent } from './deliveries/webhook-event';

export type { WebhookEvent };

/** Events that bookingEvent() makes. */
export type BookingEventType = Extract<EventType, `booking.${string}`>;
export const BOOKING_EVENT_TYPES = EVENT_TYPES.filter((type): type is BookingEventType =>
  type.startsWith('booking.'),
);

/** What a booking event tells about the lead. */
export interface EventLead {
  tenantId: string;
  bookingRef: string;
  leadId: number;
  source: string;
  externalRef: string | null;
  customer: { name: string | null; phone: string | null; email: string | null };
  departureDate: string | null;
  /** Major units, as on the wire. */
  totalPrice: number;
}

/** Exactly the specification's eight fields in its order; what the lead lacks is null (CONTRACT section 5). */
export function bookingEvent(type: BookingEventType, lead: EventLead): WebhookEvent {
  const { name, phone, email } = lead.customer;
  return {
    tenantId: lead.tenantId,
    type,
    bookingRef: lead.bookingRef,
    body: {
      event_type: type,
      booking_ref: lead.bookingRef,
      lead_id: lead.leadId,
      source: lead.source,
      external_ref: lead.externalRef,
      customer: { name, phone, email },
      departure_date: lead.departureDate,
      total_price: lead.totalPrice,
    },
  };
}

/**
 * Leaves the events in the caller's transaction, in one statement however many: event and effect exist together or not at
 * all. One delivery for each endpoint that asked for the type; `booking.created` leaves a pending one without any endpoint
 * too, every other type then leaves nothing.
 */
export async function enqueueDelivery(trx: Trx, ...events: WebhookEvent[]): Promise<void> {
  if (events.length === 0) return;
  await insertEventsWithDeliveries(
    trx,
    events.map((event) => ({ ...event, body: JSON.stringify(event.body) })),
  );
}
