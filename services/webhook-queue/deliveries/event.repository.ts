import type { Trx } from '../../platform/database';
import type { WebhookEvent } from './delivery';

type SerializedEvent = Omit<WebhookEvent, 'body'> & { body: string };

/**
 * Inserts events with their deliveries, also for paused and disabled endpoints: those deliveries wait. An endpoint that a concurrent
 * transaction adds or removes is not visible here; `reconcileOrphans` corrects that later.
 */
const INSERT_WITH_DELIVERIES = `
  with clock as materialized (
    select clock_timestamp() as at
  ), incoming as materialized (
    select webhook_new_id(clock.at) as id, clock.at, i.*
    from clock, json_to_recordset(:events::json) as i (tenant_id uuid, type text, booking_ref text, body text)
  ), target as (
    select i.id as event_id, e.id as endpoint_id, webhook_body(e.format, i.type, i.at, i.body) as body
    from incoming i
    join webhook_endpoints e on e.tenant_id = i.tenant_id and e.status <> 'removed' and i.type = any (e.events)
  ), event as (
    insert into webhook_events (id, tenant_id, type, booking_ref, body, created_at)
    select i.id, i.tenant_id, i.type, i.booking_ref, i.body, i.at from incoming i
    where i.type = 'booking.created' or exists (select from target t where t.event_id = i.id)
    returning id, tenant_id, created_at
  ), delivery as (
    insert into webhook_deliveries (id, event_id, tenant_id, endpoint_id, body, next_attempt_at, created_at)
    select webhook_new_id(event.created_at), event.id, event.tenant_id, target.endpoint_id, target.body,
      case when target.endpoint_id is not null then event.created_at end, event.created_at
    from event left join target on target.event_id = event.id
    returning id, endpoint_id, next_attempt_at
  )
  insert into webhook_queue (delivery_id, endpoint_id, next_at)
  select d.id, d.endpoint_id, d.next_attempt_at from delivery d where d.endpoint_id is not null`;

export async function insertEventsWithDeliveries(trx: Trx, events: SerializedEvent[]): Promise<void> {
  const rows = events.map(({ tenantId, type, bookingRef, body }) => ({
    tenant_id: tenantId,
    type,
    booking_ref: bookingRef,
    body,
  }));
  await trx.raw(INSERT_WITH_DELIVERIES, { events: JSON.stringify(rows) });
}

/** Inserts an event with one delivery that an operator requested for this endpoint, whatever its subscribed types and state. */
export async function insertEventFor(
  trx: Trx,
  endpointId: string,
  event: SerializedEvent,
): Promise<{ deliveryId: string }> {
  const { rows } = await trx.raw<{ rows: [{ delivery_id: string }] }>(
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
    { ...event, endpointId },
  );
  return { deliveryId: rows[0].delivery_id };
}
