import { runPrepared, type Trx } from '../platform/database/database';
import { transactionTrace } from '../platform/traces';
import { EVENT_TYPES, type EventType, type OctoEventType, type WebhookEvent } from './deliveries/delivery';

export type { WebhookEvent };

/** Event types of bookings. */
export type BookingEventType = Extract<EventType, `booking.${string}`>;
export const BOOKING_EVENT_TYPES = EVENT_TYPES.filter((type): type is BookingEventType =>
  type.startsWith('booking.'),
);

/** The object that an event is about. */
interface EventObject {
  tenantId: string;
  bookingRef: string | null;
  /** The time of the object's last change. No two changes of one object have the same time (ADR 52). */
  updatedAt: Date;
}

/**
 * Creates an event. Its body begins with `event_type` and ends with `updated_at`, by which a receiver keeps the latest event of an object.
 * The specification fixes the fields of `booking.created`, which has no `updated_at`.
 * @param fields the other fields of the body, in order
 */
export function createEvent<Type extends EventType | 'ping'>(
  type: Type,
  { tenantId, bookingRef, updatedAt }: EventObject,
  fields: Record<string, unknown>,
): WebhookEvent {
  const body: Record<string, unknown> = { event_type: type, ...fields };
  if (type !== 'booking.created') body.updated_at = updatedAt.toISOString();
  return { tenantId, type, bookingRef, body };
}

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
  /** As the API shows it. */
  updatedAt: Date;
  /** The refund of the cancellation; the amount in major units. Null: nothing was paid, or nothing was stated. */
  refund?: { percent: number; amount: number } | null;
  /** Only of `booking.updated`, as the API shows it. Null: the change lowered no total of a confirmed booking. */
  reduction?: { amount: number; refund_percent: number | null; refund_amount: number | null } | null;
}

/** The booking events whose bodies have only the fields of the lead. */
export type LeadEventType = Exclude<BookingEventType, 'booking.payment_due' | 'booking.answers_missing'>;

/** Creates a booking event, except `booking.payment_due` (see paymentDueEvent) and `booking.answers_missing` (see answersMissingEvent). */
export function bookingEvent(type: LeadEventType, lead: EventLead): WebhookEvent {
  return createEvent(type, lead, leadFields(type, lead));
}

/** Creates `booking.payment_due`: the fields of every booking event, and the amount that the customer must pay with its due time. */
export function paymentDueEvent(
  lead: EventLead,
  { dueAt, depositTotal }: { dueAt: Date; /** Major units. */ depositTotal: number },
): WebhookEvent {
  const fields = leadFields('booking.payment_due', lead);
  return createEvent('booking.payment_due', lead, {
    ...fields,
    payment_due_at: dueAt.toISOString(),
    deposit_total: depositTotal,
  });
}

/**
 * Creates `booking.answers_missing`: the fields of every booking event, and the required answers that are missing, without any value.
 * @param missing as the API names them
 */
export function answersMissingEvent(
  lead: EventLead,
  missing: { code: string; traveller: number | null }[],
): WebhookEvent {
  const fields = leadFields('booking.answers_missing', lead);
  return createEvent('booking.answers_missing', lead, { ...fields, missing });
}

/**
 * Returns the specification's fields in order; missing values are null. All types except `booking.created` also have departure_time: the
 * specification fixes the fields of `booking.created`.
 */
function leadFields(type: BookingEventType, lead: EventLead): Record<string, unknown> {
  const { name, phone, email } = lead.customer;
  return {
    booking_ref: lead.bookingRef,
    lead_id: lead.leadId,
    // The specification fixes this value, even for a lead of another source.
    source: 'tenant_api',
    external_ref: lead.externalRef,
    customer: { name, phone, email },
    departure_date: lead.departureDate,
    ...(type !== 'booking.created' && { departure_time: lead.departureTime }),
    total_price: lead.totalPrice,
    ...(type === 'booking.updated' && { reduction: lead.reduction ?? null }),
    ...(type === 'booking.cancelled' && {
      refund_percent: lead.refund?.percent ?? null,
      refund_amount: lead.refund?.amount ?? null,
    }),
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
  /** The time of the departure's last change. */
  updatedAt: Date;
}

/** Creates `departure.cancelled` if `changed` is null, otherwise `departure.updated`. */
export function departureEvent({ tenantId, changed, updatedAt, ...departure }: EventDeparture): WebhookEvent {
  const type = changed === null ? 'departure.cancelled' : 'departure.updated';
  const { id, slug } = departure.tour;
  const fields = {
    tour: { id, slug },
    departure_date: departure.departureDate,
    departure_time: departure.departureTime,
    ...(changed !== null && { changed }),
    booking_refs: departure.bookingRefs,
    bookings_total: departure.bookingsTotal,
  };
  return createEvent(type, { tenantId, bookingRef: null, updatedAt }, fields);
}

/** Values of an endpoint in its events. */
interface EventEndpoint {
  id: string;
  tenantId: string;
  url: string;
}

/** Creates `endpoint.disabled`. @param at the time at which the endpoint was disabled */
export function endpointDisabledEvent(
  { id, tenantId, url }: EventEndpoint,
  reason: string,
  at: Date,
): WebhookEvent {
  // Omits the query, which may contain a secret of the receiver.
  const fields = { endpoint: id, url: url.replace(/\?.*$/, ''), reason };
  return createEvent('endpoint.disabled', { tenantId, bookingRef: null, updatedAt: at }, fields);
}

/** Creates a `ping`. @param at the time of the ping */
export function pingEvent({ id, tenantId }: Omit<EventEndpoint, 'url'>, at: Date): WebhookEvent {
  return createEvent('ping', { tenantId, bookingRef: null, updatedAt: at }, { endpoint: id });
}

export interface Subscriber {
  tenantId: string;
  type: EventType | OctoEventType;
}

/** Returns the tenants with an endpoint that subscribes to one of the types: one entry for each tenant and type. */
export async function findSubscribers(trx: Trx, types: Subscriber['type'][]): Promise<Subscriber[]> {
  const { rows } = await trx.raw<{ rows: Subscriber[] }>(
    `select distinct e.tenant_id, wanted.type
     from webhook_endpoints e join unnest(:types::text[]) as wanted (type) on wanted.type = any (e.events)
     where e.status <> 'removed'`,
    { types },
  );
  return rows;
}

/**
 * Common table expressions that insert `:events` with their deliveries. Deliveries to paused and disabled endpoints wait. A subscription
 * of OCTO gets no delivery of a booking that OCTO did not make, because the delivery would have no body.
 *
 * The statement does not see an endpoint that a concurrent transaction adds, and may use one that it removes; `reconcileOrphans` corrects
 * both later. The statement that writes sales (services/api/seats/write.ts) contains these expressions too.
 * @rule a booking and its event commit together: test/api/create-booking.test.ts
 */
export const INSERT_EVENTS = `
  event_clock as materialized (
    select clock_timestamp() as at
  ), incoming as materialized (
    select webhook_new_id(later.at) as id, later.at, i.*
    from event_clock c, json_to_recordset(:events::json) as i (tenant_id uuid, type text, booking_ref text, body text,
      traceparent text, later_ms integer), lateral (select c.at + make_interval(secs => later_ms / 1000.0) as at) later
  ), target as (
    select i.id as event_id, e.id as endpoint_id, b.body
    from incoming i
    join webhook_endpoints e on e.tenant_id = i.tenant_id and e.status <> 'removed' and i.type = any (e.events)
    cross join lateral (select webhook_body(e.format, i.type, i.at, i.body) as body) b
    where e.format <> 'octo' or b.body is not null
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

/** An event and the request that caused it. */
export interface TracedEvent extends WebhookEvent {
  /** Null: unknown. */
  traceparent: string | null;
}

/**
 * Returns the bindings of INSERT_EVENTS. Each further event of a booking gets a time that is 1 ms later, because the ids of events keep
 * their order by milliseconds.
 */
export function bindEvents(events: TracedEvent[]) {
  const counts = new Map<string, number>();
  const rows = events.map(({ tenantId, type, bookingRef, body, traceparent }) => {
    const earlier = bookingRef === null ? 0 : (counts.get(bookingRef) ?? 0);
    if (bookingRef !== null) counts.set(bookingRef, earlier + 1);
    return {
      tenant_id: tenantId,
      type,
      booking_ref: bookingRef,
      body: JSON.stringify(body),
      traceparent,
      later_ms: earlier,
    };
  });
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

/** A notification of OCTO about a product of a tenant. */
export interface ProductNotification {
  tenantId: string;
  productId: string;
  type: Extract<OctoEventType, 'octo.product_update' | 'octo.availability_update'>;
  /** The dates of octo.availability_update, as YYYY-MM-DD. Null for octo.product_update. */
  dates: { optionId: string; first: string; last: string } | null;
}

/**
 * Inserts notifications of OCTO in the caller's transaction, for active subscriptions only. At most one for each product and type waits for
 * a subscription: see octo_notify (0129_octo_subscriptions.sql).
 */
export async function enqueueNotifications(trx: Trx, notifications: ProductNotification[]): Promise<void> {
  if (notifications.length === 0) return;
  const traceparent = transactionTrace(trx);
  const rows = notifications.map(({ tenantId, productId, type, dates }) => ({
    tenant_id: tenantId,
    product_id: productId,
    type,
    option_id: dates?.optionId,
    first_date: dates?.first,
    last_date: dates?.last,
    traceparent,
  }));
  await trx.raw('select octo_notify(:notifications::json)', { notifications: JSON.stringify(rows) });
}

/** Returns the events with the trace of the request that the transaction belongs to. */
function traceEvents(trx: Trx, events: WebhookEvent[]): TracedEvent[] {
  const traceparent = transactionTrace(trx);
  return events.map((event) => ({ ...event, traceparent }));
}
