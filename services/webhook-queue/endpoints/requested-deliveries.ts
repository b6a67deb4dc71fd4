import type { Trx } from '../../platform/database/database';
import type { EventType, WebhookEvent } from '../deliveries/delivery';
import {
  DeliveryNotFoundError,
  DeliveryStateConflictError,
  EndpointStateConflictError,
} from '../webhook.errors';
import {
  bookingEvent,
  type BookingEventType,
  createEvent,
  departureEvent,
  endpointDisabledEvent,
  paymentDueEvent,
  answersMissingEvent,
  type EventLead,
  pingEvent,
} from '../enqueue-delivery';
import type { Endpoint } from './endpoint';
import { lockEndpoint, lockKnownEndpoint } from './endpoint.repository';
import { isUuid } from '../../platform/forms/text-forms';
import { type DeliveryItem, findDeliveryItem } from '../deliveries/find-deliveries';
import { QUEUED_STATUS } from '../deliveries/queue.repository';

/**
 * Makes a delivery due now. A finished delivery starts the retry schedule again.
 * @throws DeliveryNotFoundError, and DeliveryStateConflictError if the delivery has no active endpoint or a request is in flight
 */
export async function retryDelivery(trx: Trx, id: string): Promise<DeliveryItem> {
  const delivery = isUuid(id) ? await findDeliveryItem(trx, id) : undefined;
  if (!delivery) throw new DeliveryNotFoundError();
  const { endpoint } = delivery;
  if (!endpoint)
    throw new DeliveryStateConflictError(
      'The tenant has no endpoint for this delivery: add one, and it is sent.',
    );
  const { status } = (await lockEndpoint(trx, endpoint)) ?? { status: 'removed' };
  if (status !== 'active') throw new DeliveryStateConflictError(`Its endpoint is ${status}.`);
  if (!(await makeDue(trx, id)))
    throw new DeliveryStateConflictError('The delivery is being sent now: try again in half a minute.');
  return (await findDeliveryItem(trx, id))!;
}

/**
 * Returns the id of the endpoint's waiting delivery with the earliest next attempt.
 * @throws EndpointNotFoundError, and EndpointStateConflictError if the endpoint is not active or has no waiting delivery
 */
export async function findNextDelivery(trx: Trx, endpointId: string): Promise<string> {
  await lockActiveEndpoint(trx, endpointId);
  const next = await trx('webhook_queue')
    .where({ endpoint_id: endpointId })
    .whereNull('lease_until')
    .orderBy(['next_at', 'delivery_id'])
    .first<{ deliveryId: string } | undefined>('delivery_id');
  if (!next) throw new EndpointStateConflictError('No delivery waits for the endpoint: ping it to test it.');
  return next.deliveryId;
}

/**
 * Makes one delivery due now, even if the breaker of its endpoint is open. A waiting delivery keeps its count of attempts. A finished
 * delivery starts the retry schedule again, and its attempt numbers continue.
 * @returns false while a request is in flight
 */
async function makeDue(trx: Trx, deliveryId: string): Promise<boolean> {
  // Locks the queue row before the delivery, as the worker does. Reads the number of attempts after both rows are locked.
  await trx.raw('select from webhook_queue where delivery_id = ? for update', [deliveryId]);
  await trx.raw('select from webhook_deliveries where id = ? for update', [deliveryId]);
  const { rows } = await trx.raw<{ rows: unknown[] }>(
    `with queued as (
       insert into webhook_queue as q (delivery_id, endpoint_id, next_at, asked, fence)
       select d.id, d.endpoint_id, now(), true, d.attempts from webhook_deliveries d where d.id = :deliveryId::uuid
       on conflict (delivery_id) do update set next_at = now(), asked = true
         where q.lease_until is null or q.lease_until < clock_timestamp()
       returning q.delivery_id
     )
     update webhook_deliveries d
     set status = ${QUEUED_STATUS}, next_attempt_at = now(), finished_at = null
     from queued where d.id = queued.delivery_id returning 1`,
    { deliveryId },
  );
  return rows.length > 0;
}

/**
 * Queues a signed `ping` for this endpoint only. Workers send the ping like any other delivery.
 * @throws EndpointStateConflictError if the endpoint is not active
 */
export async function pingEndpoint(trx: Trx, id: string): Promise<{ delivery: string }> {
  const endpoint = await lockActiveEndpoint(trx, id);
  return { delivery: await insertEventFor(trx, id, pingEvent(endpoint, await readClock(trx))) };
}

/**
 * Queues a signed test event of a type for this endpoint only, even if the endpoint does not subscribe to the type.
 * @param date YYYY-MM-DD, the date of the departure in the event
 * @throws EndpointStateConflictError if the endpoint is not active, or is a subscription of OCTO, which gets ids of real objects only
 */
export async function triggerEvent(
  trx: Trx,
  id: string,
  type: EventType,
  date: string,
): Promise<{ delivery: string }> {
  const endpoint = await lockActiveEndpoint(trx, id);
  if (endpoint.format === 'octo')
    throw new EndpointStateConflictError('The endpoint is a subscription of OCTO: send it a ping.');
  const event = createTestEvent(endpoint, type, { date, at: await readClock(trx) });
  return { delivery: await insertEventFor(trx, id, event) };
}

async function readClock(trx: Trx): Promise<Date> {
  const { rows } = await trx.raw<{ rows: [{ at: Date }] }>('select clock_timestamp() as at');
  return rows[0].at;
}

async function lockActiveEndpoint(trx: Trx, id: string): Promise<Endpoint> {
  const endpoint = await lockKnownEndpoint(trx, id);
  const { status } = endpoint;
  if (status !== 'active')
    throw new EndpointStateConflictError(
      `The endpoint is ${status}: ${status === 'disabled' ? 'enable' : 'resume'} it first.`,
    );
  return endpoint;
}

/**
 * Inserts an event with one delivery to this endpoint, marked as requested by an operator. Does not check the state of the endpoint and its
 * event types.
 */
async function insertEventFor(trx: Trx, endpointId: string, event: WebhookEvent): Promise<string> {
  const { rows } = await trx.raw<{ rows: [{ deliveryId: string }] }>(
    `with clock as materialized (
       select clock_timestamp() as at
     ), event as (
       insert into webhook_events (id, tenant_id, type, booking_ref, body, created_at)
       select webhook_new_id(at), :tenantId::uuid, :type::text, :bookingRef::text, :body::text, at from clock returning *
     ), delivery as (
       insert into webhook_deliveries (id, event_id, tenant_id, endpoint_id, body, next_attempt_at, created_at)
       select webhook_new_id(event.created_at), event.id, event.tenant_id, e.id,
         webhook_body(e.format, event.type, event.created_at, event.body), event.created_at, event.created_at
       from event join webhook_endpoints e on e.id = :endpointId::uuid
       returning id, endpoint_id, next_attempt_at
     )
     insert into webhook_queue (delivery_id, endpoint_id, next_at, asked)
     select d.id, d.endpoint_id, d.next_attempt_at, true from delivery d returning delivery_id`,
    { ...event, body: JSON.stringify(event.body), endpointId },
  );
  return rows[0].deliveryId;
}

/** No booking has this reference: the numbers of leads start at 1. */
const TEST_REF = 'TEST-0';
const NIL_UUID = '00000000-0000-0000-0000-000000000000';
const REASON = 'This is a test event: nothing has changed.';

interface TestValues {
  /** YYYY-MM-DD */
  date: string;
  /** The time of the change that the event tells. */
  at: Date;
}

/**
 * Creates a test event with all fields of its type, so that a receiver parses it like a real event. The values mark the event as a test:
 * references such as `test` and TEST-0, ids of zeros, or the reason of `endpoint.disabled`.
 */
function createTestEvent(
  endpoint: Pick<Endpoint, 'id' | 'tenantId' | 'url'>,
  type: EventType,
  { date, at }: TestValues,
): WebhookEvent {
  const { tenantId } = endpoint;
  const departure = {
    tenantId,
    tour: { id: NIL_UUID, slug: 'test' },
    departureDate: date,
    departureTime: null,
    bookingRefs: [TEST_REF],
    bookingsTotal: 1,
    updatedAt: at,
  };
  switch (type) {
    case 'departure.cancelled':
      return departureEvent({ ...departure, changed: null });
    case 'departure.updated':
      return departureEvent({ ...departure, changed: ['seats_total'] });
    case 'hold.expired': {
      const fields = {
        hold_id: NIL_UUID,
        external_ref: 'test',
        departure_date: date,
        departure_time: null,
        quantity: 1,
        expires_at: at.toISOString(),
      };
      return createEvent('hold.expired', { tenantId, bookingRef: null, updatedAt: at }, fields);
    }
    case 'endpoint.disabled':
      return endpointDisabledEvent(endpoint, REASON, at);
    default:
      return createTestBookingEvent(tenantId, type, { date, at });
  }
}

function createTestBookingEvent(
  tenantId: string,
  type: BookingEventType,
  { date, at }: TestValues,
): WebhookEvent {
  const lead = {
    tenantId,
    bookingRef: TEST_REF,
    leadId: 0,
    externalRef: 'test',
    customer: { name: 'Test Event', phone: null, email: null },
    departureDate: date,
    departureTime: null,
    totalPrice: 0,
    updatedAt: at,
  };
  const event = testEventOf(type, lead, at);
  // Stores no booking reference, so that the test event does not appear among the deliveries of a booking.
  return { ...event, bookingRef: null };
}

function testEventOf(type: BookingEventType, lead: EventLead, at: Date): WebhookEvent {
  if (type === 'booking.payment_due') return paymentDueEvent(lead, { dueAt: at, depositTotal: 0 });
  if (type === 'booking.answers_missing')
    return answersMissingEvent(lead, [{ code: 'test', traveller: null }]);
  return bookingEvent(type, lead);
}
