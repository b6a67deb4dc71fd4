import type { Trx } from '../platform/database';
import { insertEventsWithDeliveries } from './deliveries/event.repository';
import { EVENT_TYPES, type EventType, type WebhookEvent } from './deliveries/delivery';

export type { WebhookEvent };

/** Event types of `bookingEvent`. */
export type BookingEventType = Extract<EventType, `booking.${string}`>;
export const BOOKING_EVENT_TYPES = EVENT_TYPES.filter((type): type is BookingEventType =>
  type.startsWith('booking.'),
);

/** Values of the lead in a booking event. */
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

/** Creates an event with the specification's eight fields in order; missing values are null (CONTRACT section 5). */
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
 * Inserts events with their deliveries in the caller's transaction, so that a booking and its event exist together or not at all. All
 * events take one statement. Creates one delivery for each endpoint that subscribes to the type. Without such an endpoint,
 * `booking.created` creates a pending delivery, and other types create nothing.
 */
export async function enqueueDelivery(trx: Trx, ...events: WebhookEvent[]): Promise<void> {
  if (events.length === 0) return;
  await insertEventsWithDeliveries(
    trx,
    events.map((event) => ({ ...event, body: JSON.stringify(event.body) })),
  );
}
