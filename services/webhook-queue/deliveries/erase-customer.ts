import type { Trx } from '../../platform/database';
import { BookingInFlightError, BookingUndeliveredError } from '../webhook.errors';
import {
  eraseAnswersOf,
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
  /** Attempts whose kept answer is gone. */
  attempts: number;
  /** Ids of deliveries that are still to be sent, without the customer. */
  undelivered: string[];
}

export interface ErasureRules {
  /** Does a text say who the customer was? A reference may. */
  tellsOf: (text: string) => boolean;
  /** Also while a delivery that carries the customer has not arrived: it is sent without. */
  evenUndelivered: boolean;
}

/**
 * Erases the customer from everything that is kept of a booking here: the bytes of its events and deliveries, where the eight
 * fields stay and are null, and what receivers answered. What waits for an endpoint, or is replayed, goes out without.
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
  const attempts = await eraseAnswersOf(trx, idsOf(deliveries));
  return { events: changed.length, deliveries: deliveries.length, attempts, undelivered };
}

function idsOf(deliveries: KeptDelivery[]): string[] {
  return deliveries.map(({ id }) => id);
}

/** Thin bytes never had a customer in them. */
function carries({ eventId, body }: KeptDelivery, changed: KeptEvent[]): boolean {
  return changed.some(({ id }) => id === eventId) && body.includes('"customer"');
}

/** The same keys in the same order, as every event has them. */
function withoutCustomer(body: string, tellsOf: (text: string) => boolean): string {
  const event = JSON.parse(body) as Record<string, unknown>;
  const { customer, external_ref: reference } = event;
  if (typeof customer === 'object' && customer !== null) {
    event.customer = Object.fromEntries(Object.keys(customer).map((name) => [name, null]));
  }
  if (typeof reference === 'string' && tellsOf(reference)) event.external_ref = null;
  return JSON.stringify(event);
}
