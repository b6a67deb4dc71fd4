import type { Trx } from '../platform/database';
import type { WebhookEvent } from './webhook-event';

type SerializedEvent = Omit<WebhookEvent, 'body'> & { body: string };

/**
 * Paused and disabled endpoints are targets too: what comes in meanwhile waits for them. An endpoint that is added or
 * removed in a transaction beside this one is not seen here; the worker's tidying brings the two together.
 */
const INSERT_WITH_DELIVERIES = `
  with target as (
    select e.id from webhook_endpoints e
    where e.tenant_id = :tenantId::uuid and e.status <> 'removed' and :type::text = any (e.events)
  ), event as (
    insert into webhook_events (tenant_id, type, booking_ref, body)
    select :tenantId::uuid, :type::text, :bookingRef::text, :body::text
    where :type::text = 'booking.created' or exists (select from target)
    returning id, tenant_id
  ), delivery as (
    insert into webhook_deliveries (event_id, tenant_id, endpoint_id, next_attempt_at)
    select event.id, event.tenant_id, target.id, case when target.id is not null then clock_timestamp() end
    from event left join target on true
    returning id, endpoint_id, next_attempt_at
  )
  insert into webhook_queue (delivery_id, endpoint_id, next_at)
  select d.id, d.endpoint_id, d.next_attempt_at from delivery d where d.endpoint_id is not null`;

export async function insertEventWithDeliveries(trx: Trx, event: SerializedEvent): Promise<void> {
  await trx.raw(INSERT_WITH_DELIVERIES, { ...event });
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
