import type { Db, Trx } from '../../platform/database/database';
import { WORKER_LOST } from './queue.repository';
import { BookingInFlightError, BookingUndeliveredError } from '../webhook.errors';

interface ErasedCustomer {
  events: number;
  deliveries: number;
  /** Attempts whose stored response was erased. */
  attempts: number;
  /** Ids of deliveries that will be sent without the customer's data. */
  undelivered: string[];
}

/** The booking and the hold whose events are erased. The events of a hold without a booking have no reference. */
export interface EventsToErase {
  bookingRef: string | null;
  hold: { id: string; tenantId: string; createdAt: Date } | null;
}

interface ErasureRules {
  /** Returns true when a text, such as a reference, identifies the customer. */
  identifiesPerson: (text: string) => boolean;
  /** True: erases even if a delivery with the customer's data has not been sent yet. The delivery is then sent without the data. */
  evenUndelivered: boolean;
}

/**
 * Erases the customer from the events, deliveries and stored responses of a booking and its hold: the customer's fields become null. A
 * delivery that waits for an endpoint, or is replayed later, is then sent without the customer.
 * @throws BookingInFlightError, BookingUndeliveredError
 */
export async function eraseCustomer(
  trx: Trx,
  named: EventsToErase,
  { identifiesPerson, evenUndelivered }: ErasureRules,
): Promise<ErasedCustomer> {
  const events = await lockEvents(trx, named);
  const deliveries = await lockDeliveriesOf(
    trx,
    events.map(({ id }) => id),
  );
  if (deliveries.some(({ inFlight }) => inFlight)) throw new BookingInFlightError();
  const rewritten = events.map(({ id, body }) => ({ id, body: withoutCustomer(body, identifiesPerson) }));
  const changed = rewritten.filter(({ body }, i) => body !== events[i]!.body);
  const undelivered = idsOf(deliveries.filter((delivery) => delivery.queued && carries(delivery, changed)));
  if (undelivered.length > 0 && !evenUndelivered) throw new BookingUndeliveredError(undelivered);

  await rewriteEvents(trx, changed);
  await requeueRewritten(trx, idsOf(deliveries.filter(({ queued }) => queued)));
  const attempts = await eraseResponsesOf(trx, idsOf(deliveries));
  return { events: changed.length, deliveries: deliveries.length, attempts, undelivered };
}

/**
 * Returns the ids of the deliveries that wait with the customer of one of these bookings. Locks nothing, so that an operator can be asked:
 * eraseCustomer looks again.
 */
export async function findUndelivered(db: Db, bookingRefs: string[]): Promise<string[]> {
  const { rows } = await db.raw<{ rows: (Pick<KeptDelivery, 'id' | 'body'> & { event: string })[] }>(
    `select d.id, coalesce(d.body, e.body) as body, e.body as event
     from webhook_events e join lateral (${DELIVERIES_OF_EVENT}) d on true
     join webhook_queue q on q.delivery_id = d.id
     where e.booking_ref = any(:bookingRefs::text[]) order by d.id`,
    { bookingRefs },
  );
  const hasCustomer = (event: string) => withoutCustomer(event, () => false) !== event;
  return rows.filter(({ body, event }) => hasCustomer(event) && namesCustomer(body)).map(({ id }) => id);
}

/** Selects the deliveries of the event `e`. Reads only a short range of ids, because an id starts with the time of its event. */
const DELIVERIES_OF_EVENT = `select d.id, d.body from webhook_deliveries d where d.event_id = e.id
  and d.id >= webhook_first_id(e.created_at) and d.id < webhook_first_id(e.created_at + interval '1 ms')`;

function idsOf(deliveries: KeptDelivery[]): string[] {
  return deliveries.map(({ id }) => id);
}

/** Returns true when the delivery's body contains the customer of a changed event. */
function carries({ eventId, body }: KeptDelivery, changed: KeptEvent[]): boolean {
  return changed.some(({ id }) => id === eventId) && namesCustomer(body);
}

/** Thin bodies contain no customer. */
function namesCustomer(body: string): boolean {
  return body.includes('"customer"');
}

/** Sets each field of the customer to null. Also sets external_ref to null if it identifies the person. Keeps the order of the keys. */
function withoutCustomer(body: string, identifiesPerson: (text: string) => boolean): string {
  const event = JSON.parse(body) as Record<string, unknown>;
  const { customer, external_ref: reference } = event;
  if (typeof customer === 'object' && customer !== null) {
    event.customer = Object.fromEntries(Object.keys(customer).map((name) => [name, null]));
  }
  if (typeof reference === 'string' && identifiesPerson(reference)) event.external_ref = null;
  return JSON.stringify(event);
}

interface KeptEvent {
  id: string;
  body: string;
}

interface KeptDelivery {
  id: string;
  eventId: string;
  /** The body that is sent. */
  body: string;
  queued: boolean;
  /** True: a worker holds a live lease, so a request with the old body may be in flight. */
  inFlight: boolean;
}

/** Returns the customers in the events of a booking. A change of the booking may have replaced the customer, so there may be several. */
export async function findCustomersOfBooking(db: Db, bookingRef: string): Promise<CustomerOfEvent[]> {
  const bodies = await db('webhook_events').where({ booking_ref: bookingRef }).pluck<string[]>('body');
  return bodies.flatMap((body) => (JSON.parse(body) as { customer?: CustomerOfEvent }).customer ?? []);
}

interface CustomerOfEvent {
  name: string | null;
  phone: string | null;
  email: string | null;
}

async function lockEvents(trx: Trx, { bookingRef, hold }: EventsToErase): Promise<KeptEvent[]> {
  const ofBooking = bookingRef === null ? [] : await lockEventsOfBooking(trx, bookingRef);
  const ofHold = hold === null ? [] : await lockEventsOfHold(trx, hold);
  return [...ofBooking, ...ofHold].sort((a, b) => (a.id < b.id ? -1 : 1));
}

async function lockEventsOfBooking(trx: Trx, bookingRef: string): Promise<KeptEvent[]> {
  return trx('webhook_events')
    .where({ booking_ref: bookingRef })
    .orderBy('id')
    .forUpdate()
    .select<KeptEvent[]>('id', 'body');
}

/** Reads all events since the hold was placed: there is no index, because only erasures search for the events of a hold. */
async function lockEventsOfHold(
  trx: Trx,
  { id, tenantId, createdAt }: NonNullable<EventsToErase['hold']>,
): Promise<KeptEvent[]> {
  return trx('webhook_events')
    .where({ tenant_id: tenantId })
    .whereIn('type', ['hold.expired', 'octo.booking_update'])
    .whereRaw('id >= webhook_first_id(?) and strpos(body, ?) > 0', [createdAt, id])
    .orderBy('id')
    .forUpdate()
    .select<KeptEvent[]>('id', 'body');
}

/**
 * Locks the deliveries of the events, so that no worker or operator can claim, record or requeue one until the transaction ends. Locks the
 * queue rows before the deliveries, as the worker does. Then locks the queue rows again, because a replay may have queued a delivery in
 * between.
 */
async function lockDeliveriesOf(trx: Trx, eventIds: string[]): Promise<KeptDelivery[]> {
  const { rows: found } = await trx.raw<{ rows: { id: string }[] }>(
    `select d.id from webhook_events e join lateral (${DELIVERIES_OF_EVENT}) d on true
     where e.id = any (:eventIds::uuid[]) order by d.id`,
    { eventIds },
  );
  const ids = found.map(({ id }) => id);
  const lockQueued = () =>
    trx.raw('select from webhook_queue where delivery_id = any (?::uuid[]) order by delivery_id for update', [
      ids,
    ]);
  await lockQueued();
  await trx.raw('select from webhook_deliveries where id = any (?::uuid[]) order by id for update', [ids]);
  await lockQueued();
  const { rows } = await trx.raw<{ rows: KeptDelivery[] }>(
    `select d.id, d.event_id, coalesce(d.body, ev.body) as body, q.delivery_id is not null as queued,
       coalesce(q.lease_until > clock_timestamp(), false) as in_flight
     from webhook_deliveries d join webhook_events ev on ev.id = d.event_id
     left join webhook_queue q on q.delivery_id = d.id
     where d.id = any (:ids::uuid[]) order by d.id`,
    { ids },
  );
  return rows;
}

/** Rewrites events, and builds the bodies of their deliveries again in the format of each endpoint. */
async function rewriteEvents(trx: Trx, events: KeptEvent[]): Promise<void> {
  await trx.raw(
    `with rewritten as (
       update webhook_events e set body = r.body
       from json_to_recordset(:events::json) as r (id uuid, body text) where e.id = r.id
       returning e.id, e.type, e.created_at, e.body
     )
     update webhook_deliveries d set body = webhook_body(ep.format, r.type, r.created_at, r.body)
     from rewritten r, webhook_endpoints ep
     where d.event_id = r.id and d.id >= webhook_first_id(r.created_at)
       and d.id < webhook_first_id(r.created_at + interval '1 ms') and ep.id = d.endpoint_id and d.body is not null`,
    { events: JSON.stringify(events) },
  );
}

/**
 * Erases three stored values of each attempt: the response, which may repeat the customer's data; the target of a redirect; the signature of
 * the old body.
 * @returns the number of changed attempts
 */
async function eraseResponsesOf(trx: Trx, deliveryIds: string[]): Promise<number> {
  const withoutTarget = (column: string) =>
    `regexp_replace(${column}, '^(The receiver answered [0-9]+) .*redirects are not followed.*$', '\\1. Redirects are not followed.', 'i')`;
  const { rowCount } = await trx.raw<{ rowCount: number }>(
    `update webhook_attempts
     set response_headers = null, response_body = null, signature = null, reason = ${withoutTarget('reason')}
     where delivery_id = any (:deliveryIds::uuid[])
       and (num_nonnulls(response_headers, response_body, signature) > 0 or outcome = 'redirect')`,
    { deliveryIds },
  );
  await trx.raw(
    `update webhook_deliveries set last_error = ${withoutTarget('last_error')}
     where id = any (:deliveryIds::uuid[]) and last_error is not null`,
    { deliveryIds },
  );
  return rowCount;
}

/**
 * Replaces the queue rows by new ones, so that two concurrent statements no longer find the old rows. One is a claim that started before
 * the bodies changed. The other records a late result of a worker whose lease has expired. Records the attempt of that worker as lost.
 */
async function requeueRewritten(trx: Trx, deliveryIds: string[]): Promise<void> {
  await trx.raw(
    `insert into webhook_attempts (delivery_id, number, started_at, duration_ms, outcome, reason, worker)
     select q.delivery_id, q.fence, q.claimed_at, extract(epoch from q.lease_until - q.claimed_at) * 1000, 'worker_lost',
       ${WORKER_LOST}, q.worker
     from webhook_queue q where q.delivery_id = any (:deliveryIds::uuid[]) and q.worker is not null
     on conflict (delivery_id, number) do nothing`,
    { deliveryIds },
  );
  await trx.raw(
    `with lost as (
       update webhook_deliveries d set attempts = q.fence
       from webhook_queue q where q.delivery_id = d.id and d.id = any (:deliveryIds::uuid[]) and q.worker is not null
     ), taken as (
       delete from webhook_queue where delivery_id = any (:deliveryIds::uuid[]) returning *
     )
     insert into webhook_queue (delivery_id, endpoint_id, next_at, tries, spared, asked, fence)
     select delivery_id, endpoint_id, next_at, tries, spared, asked, fence from taken`,
    { deliveryIds },
  );
}
