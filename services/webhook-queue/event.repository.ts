import type { Trx } from '../platform/database';
import type { WebhookEvent } from './webhook-event';

type SerializedEvent = Omit<WebhookEvent, 'body'> & { body: string };

/**
 * Paused and disabled endpoints are targets too: what comes in meanwhile waits for them. An endpoint that is added or
 * removed in a transaction beside this one is not seen here; the worker's tidying brings the two together.
 */
const INSERT_WITH_DELIVERIES = `
  with incoming as materialized (
    select webhook_new_id() as id, i.*
    from json_to_recordset(:events::json) as i (tenant_id uuid, type text, booking_ref text, body text)
  ), target as (
    select i.id as event_id, e.id as endpoint_id
    from incoming i
    join webhook_endpoints e on e.tenant_id = i.tenant_id and e.status <> 'removed' and i.type = any (e.events)
  ), event as (
    insert into webhook_events (id, tenant_id, type, booking_ref, body)
    select i.id, i.tenant_id, i.type, i.booking_ref, i.body from incoming i
    where i.type = 'booking.created' or exists (select from target t where t.event_id = i.id)
    returning id, tenant_id
  ), delivery as (
    insert into webhook_deliveries (event_id, tenant_id, endpoint_id, next_attempt_at)
    select event.id, event.tenant_id, target.endpoint_id, case when target.endpoint_id is not null then clock_timestamp() end
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

/** One delivery to that endpoint, whatever it listens to. */
export async function insertEventFor(
  trx: Trx,
  endpointId: string,
  event: SerializedEvent,
): Promise<{ deliveryId: string }> {
  const { rows } = await trx.raw<{ rows: [{ delivery_id: string }] }>(
    `with event as (
       insert into webhook_events (tenant_id, type, booking_ref, body)
       values (:tenantId::uuid, :type::text, :bookingRef::text, :body::text) returning id, tenant_id
     ), delivery as (
       insert into webhook_deliveries (event_id, tenant_id, endpoint_id, next_attempt_at)
       select event.id, event.tenant_id, :endpointId::uuid, clock_timestamp() from event
       returning id, endpoint_id, next_attempt_at
     )
     insert into webhook_queue (delivery_id, endpoint_id, next_at)
     select d.id, d.endpoint_id, d.next_attempt_at from delivery d returning delivery_id`,
    { ...event, endpointId },
  );
  return { deliveryId: rows[0].delivery_id };
}
