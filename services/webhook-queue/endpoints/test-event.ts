import type { EventType, WebhookEvent } from '../deliveries/delivery';
import { bookingEvent, departureEvent } from '../enqueue-delivery';

/** No booking has this number: leads count from 1. */
const TEST_REF = 'TEST-0';
const NIL_UUID = '00000000-0000-0000-0000-000000000000';
const REASON = 'This is a test event: nothing has changed.';

/**
 * Creates an event with the fields of its type and values that mark it as a test: the source and the reference are `test`, the ids are zero.
 * The fields are those of a real event, so that a receiver reads it with the same code.
 * @param date YYYY-MM-DD
 */
export function createTestEvent(
  tenantId: string,
  type: EventType,
  { date, endpoint }: { date: string; endpoint: { id: string; url: string } },
): WebhookEvent {
  const departure = { tenantId, tour: { id: NIL_UUID, slug: 'test' }, departureDate: date };
  const bookings = { bookingRefs: [TEST_REF], bookingsTotal: 1 };
  const other = (body: Record<string, unknown>): WebhookEvent => ({
    tenantId,
    type,
    bookingRef: null,
    body: { event_type: type, ...body },
  });
  switch (type) {
    case 'departure.cancelled':
      return departureEvent({ ...departure, ...bookings, changed: null });
    case 'departure.updated':
      return departureEvent({ ...departure, ...bookings, changed: ['seats_total'] });
    case 'hold.expired':
      return other({
        hold_id: NIL_UUID,
        external_ref: 'test',
        departure_date: date,
        quantity: 1,
        expires_at: new Date().toISOString(),
      });
    case 'endpoint.disabled':
      return other({ endpoint: endpoint.id, url: endpoint.url.replace(/\?.*$/, ''), reason: REASON });
    default: {
      const lead = {
        tenantId,
        bookingRef: TEST_REF,
        leadId: 0,
        source: 'test',
        externalRef: 'test',
        customer: { name: 'Test Event', phone: null, email: null },
        departureDate: date,
        totalPrice: 0,
      };
      // Belongs to no booking, so that no list of a booking's deliveries has it.
      return { ...bookingEvent(type, lead), bookingRef: null };
    }
  }
}
