import type { Trx } from '../../platform/database';
import { BookingInFlightError, BookingUndeliveredError } from '../webhook.errors';
import {
  eraseResponsesOf,
  type KeptDelivery,
  type KeptEvent,
  lockDeliveriesOf,
  lockEventsOfBooking,
  requeueRewritten,
  rewriteEvents,
} from './erasure.repository';

export interface ErasedCustomer {
  events: number;
  deliveries: number;
  /** Attempts whose stored response was erased. */
  attempts: number;
  /** Ids of deliveries that will be sent without the customer. */
  undelivered: string[];
}

export interface ErasureRules {
  /** Returns true when a text, such as a reference, identifies the customer. */
  tellsOf: (text: string) => boolean;
  /** Erases also while a delivery with the customer is not delivered: it is sent without the customer. */
  evenUndelivered: boolean;
}

/**
 * Erases the customer from the events, deliveries and stored responses of a booking. The customer's fields stay and become null.
 * Deliveries that wait for an endpoint or are replayed later are sent without the customer.
 * @throws BookingInFlightError, BookingUndeliveredError
 */
export async function eraseCustomer(
  trx: Trx,
  bookingRef: string,
  { tellsOf, evenUndelivered }: ErasureRules,
): Promise<ErasedCustomer> {
  const events = await lockEventsOfBooking(trx, bookingRef);
  const deliveries = await lockDeliveriesOf(
    trx,
    events.map(({ id }) => id),
  );
  if (deliveries.some(({ inFlight }) => inFlight)) throw new BookingInFlightError();
  const rewritten = events.map(({ id, body }) => ({ id, body: withoutCustomer(body, tellsOf) }));
  const changed = rewritten.filter(({ body }, i) => body !== events[i]!.body);
  const undelivered = idsOf(deliveries.filter((delivery) => delivery.queued && carries(delivery, changed)));
  if (undelivered.length > 0 && !evenUndelivered) throw new BookingUndeliveredError(undelivered);

  await rewriteEvents(trx, changed);
  await requeueRewritten(trx, idsOf(deliveries.filter(({ queued }) => queued)));
  const attempts = await eraseResponsesOf(trx, idsOf(deliveries));
  return { events: changed.length, deliveries: deliveries.length, attempts, undelivered };
}

function idsOf(deliveries: KeptDelivery[]): string[] {
  return deliveries.map(({ id }) => id);
}

/** Returns true when the body contains the customer; thin bodies never do. */
function carries({ eventId, body }: KeptDelivery, changed: KeptEvent[]): boolean {
  return changed.some(({ id }) => id === eventId) && body.includes('"customer"');
}

/** Sets the customer to null and keeps the keys in order. */
function withoutCustomer(body: string, tellsOf: (text: string) => boolean): string {
  const event = JSON.parse(body) as Record<string, unknown>;
  const { customer, external_ref: reference } = event;
  if (typeof customer === 'object' && customer !== null) {
    event.customer = Object.fromEntries(Object.keys(customer).map((name) => [name, null]));
  }
  if (typeof reference === 'string' && tellsOf(reference)) event.external_ref = null;
  return JSON.stringify(event);
}
