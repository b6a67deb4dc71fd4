import { runPrepared, type Trx } from '../platform/database';
import { transactionTrace } from '../platform/traces';
import { EVENT_TYPES, type EventType, type OctoEventType, type WebhookEvent } from './deliveries/delivery';

export type { WebhookEvent };

/** Event types of bookings. */
export type BookingEventType = Extract<EventType, `booking.${string}`>;
export const BOOKING_EVENT_TYPES = EVENT_TYPES.filter((type): type is BookingEventType =>
  type.startsWith('booking.'),
);

/** Values of the lead in a booking event. */
export interface EventLead {
  tenantId: string;
  bookingRef: string;
  leadId: number;
  externalRef: string | null;
  customer: { name: string | null; phone: string | null; email: string | null };
  departureDate: string | null;
  /** HH:MM; null without a start time. */
  departureTime: string | null;
  /** Major units, as on the wire. */
  totalPrice: number;
}

/** Creates a booking event, except `booking.payment_due` (see paymentDueEvent). */
export function bookingEvent(
  type: Exclude<BookingEventType, 'booking.payment_due'>,
  lead: EventLead,
): WebhookEvent {
  return eventWithLead(type, lead);
}

/** Creates `booking.payment_due`: the fields of `booking.updated`, and the amount that the customer must pay with its due time. */
export function paymentDueEvent(
  lead: EventLead,
  { dueAt, depositTotal }: { dueAt: Date; /** Major units. */ depositTotal: number },
): WebhookEvent {
  const { body, ...event } = eventWithLead('booking.payment_due', lead);
  return { ...event, body: { ...body, payment_due_at: dueAt.toISOString(), deposit_total: depositTotal } };
}

/**
 * Creates an event with the specification's eight fields in order; missing values are null. All types except `booking.created` also have
 * departure_time: the specification fixes the fields of `booking.created`.
 */
function eventWithLead(type: BookingEventType, lead: EventLead): WebhookEvent {
  const { name, phone, email } = lead.customer;
  return {
    tenantId: lead.tenantId,
    type,
    bookingRef: lead.bookingRef,
    body: {
      event_type: type,
      booking_ref: lead.bookingRef,
      lead_id: lead.leadId,
      // The specification fixes this value, even for a lead of another source.
      source: 'tenant_api',
      external_ref: lead.externalRef,
      customer: { name, phone, email },
      departure_date: lead.departureDate,
      ...(type !== 'booking.created' && { departure_time: lead.departureTime }),
      total_price: lead.totalPrice,
    },
  };
}

/** Values of a departure event for one tenant with holds or bookings on the departure. */
export interface EventDeparture {
  tenantId: string;
  tour: { id: string; slug: string };
  departureDate: string;
  /** HH:MM; null without a start time. */
  departureTime: string | null;
  /** Wire names of the changed fields. Null: the departure was cancelled. */
  changed: string[] | null;
  /** References of the tenant's first 100 standing bookings on the departure. */
  bookingRefs: string[];
  /** Number of all standing bookings of the tenant on the departure. */
  bookingsTotal: number;
}

/** Creates `departure.cancelled` if `changed` is null, otherwise `departure.updated`. */
export function departureEvent({ tenantId, changed, ...departure }: EventDeparture): WebhookEvent {
  const type = changed === null ? 'departure.cancelled' : 'departure.updated';
  const { id, slug } = departure.tour;
  return {
    tenantId,
    type,
    bookingRef: null,
    body: {
      event_type: type,
      tour: { id, slug },
      departure_date: departure.departureDate,
      departure_time: departure.departureTime,
      ...(changed !== null && { changed }),
      booking_refs: departure.bookingRefs,
      bookings_total: departure.bookingsTotal,
    },
  };
}

export interface Subscriber {
  tenantId: string;
  type: EventType | OctoEventType;
}

/** Returns the tenants with an endpoint that subscribes to one of the types: one entry for each tenant and type. */
export async function findSubscribers(trx: Trx, types: Subscriber['type'][]): Promise<Subscriber[]> {
  const { rows } = await trx.raw<{ rows: Subscriber[] }>(
    `select distinct e.tenant_id, asked.type
     from webhook_endpoints e join unnest(:types::text[]) as asked (type) on asked.type = any (e.events)
     where e.status <> 'removed'`,
    { types },
  );
  return rows;
}

/**
 * Common table expressions that insert `:events` with their deliveries.
 * @param condition SQL: the endpoint e that subscribes to the event i gets a delivery with the body b
 */
function insertEvents(condition: string): string {
  return `
  event_clock as materialized (
    select clock_timestamp() as at
  ), incoming as materialized (
    select webhook_new_id(c.at) as id, c.at, i.*
    from event_clock c, json_to_recordset(:events::json) as i (tenant_id uuid, type text, booking_ref text, body text,
      traceparent text)
  ), target as (
    select i.id as event_id, e.id as endpoint_id, b.body
    from incoming i
    join webhook_endpoints e on e.tenant_id = i.tenant_id and e.status <> 'removed' and i.type = any (e.events)
    cross join lateral (select webhook_body(e.format, i.type, i.at, i.body) as body) b
    where ${condition}
  ), event as (
    insert into webhook_events (id, tenant_id, type, booking_ref, body, created_at, traceparent)
    select i.id, i.tenant_id, i.type, i.booking_ref, i.body, i.at, i.traceparent from incoming i
    where i.type = 'booking.created' or exists (select from target t where t.event_id = i.id)
    returning id, tenant_id, created_at
  ), delivery as (
    insert into webhook_deliveries (id, event_id, tenant_id, endpoint_id, body, next_attempt_at, created_at)
    select webhook_new_id(event.created_at), event.id, event.tenant_id, target.endpoint_id, target.body,
      case when target.endpoint_id is not null then event.created_at end, event.created_at
    from event left join target on target.event_id = event.id
    returning id, endpoint_id, next_attempt_at
  ), queued as (
    insert into webhook_queue (delivery_id, endpoint_id, next_at)
    select d.id, d.endpoint_id, d.next_attempt_at from delivery d where d.endpoint_id is not null
  )`;
}

/**
 * Common table expressions that insert `:events` with their deliveries. Deliveries to paused and disabled endpoints wait. A subscription
 * of OCTO gets no delivery of a booking that OCTO did not make, because the delivery would have no body.
 *
 * The statement does not see an endpoint that a concurrent transaction adds, and may use one that it removes; `reconcileOrphans` corrects
 * both later. The statement that writes sales (services/api/sales/write-sales.ts) contains these expressions too.
 */
export const INSERT_EVENTS = insertEvents(`e.format <> 'octo' or b.body is not null`);

/** Inserts notifications. Skips endpoints that are not active, and notifications that wait there already. */
const INSERT_NOTIFICATIONS = `
  with waiting as materialized (
    select * from octo_waiting_notifications(:events::json)
  ), ${insertEvents(`e.status = 'active' and (e.id, i.type, i.body) not in (select endpoint_id, type, body from waiting)`)}
  select from event_clock`;

/** An event and the request that caused it. */
export interface TracedEvent extends WebhookEvent {
  /** Null: unknown. */
  traceparent: string | null;
}

/** Returns the bindings of INSERT_EVENTS. */
export function bindEvents(events: TracedEvent[]) {
  const rows = events.map(({ tenantId, type, bookingRef, body, traceparent }) => ({
    tenant_id: tenantId,
    type,
    booking_ref: bookingRef,
    body: JSON.stringify(body),
    traceparent,
  }));
  return { events: JSON.stringify(rows) };
}

/**
 * Inserts events with their deliveries in the caller's transaction, so that neither a booking nor its event is committed without the other.
 * Uses one statement for all events. Creates one delivery for each endpoint that subscribes to the type of the event. Without such an
 * endpoint, `booking.created` creates a delivery that waits for an endpoint, and other types create nothing.
 */
export async function enqueueDelivery(trx: Trx, ...events: WebhookEvent[]): Promise<void> {
  if (events.length === 0) return;
  const traced = traceEvents(trx, events);
  await runPrepared(trx, `with ${INSERT_EVENTS} select from event_clock`, bindEvents(traced));
}

/**
 * Inserts notifications of OCTO in the caller's transaction, for active subscriptions only. A notification that already waits for a
 * subscription is not repeated: its reader gets the state after this transaction.
 */
export async function enqueueNotifications(trx: Trx, events: WebhookEvent[]): Promise<void> {
  if (events.length === 0) return;
  await runPrepared(trx, INSERT_NOTIFICATIONS, bindEvents(traceEvents(trx, events)));
}

/** Returns the events with the trace of the request that the transaction belongs to. */
function traceEvents(trx: Trx, events: WebhookEvent[]): TracedEvent[] {
  const traceparent = transactionTrace(trx);
  return events.map((event) => ({ ...event, traceparent }));
}
