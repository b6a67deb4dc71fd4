import type { Trx } from '../../platform/database';
import { insertEventFor } from '../deliveries/event.repository';
import { EndpointStateConflictError } from '../webhook.errors';
import { lockKnownEndpoint } from './endpoint.repository';

/**
 * Queues a signed `ping` for this endpoint only; the queue sends it like any delivery.
 * @throws EndpointStateConflictError if it is not active
 */
export async function pingEndpoint(trx: Trx, id: string): Promise<{ delivery: string }> {
  const { tenantId, status } = await lockKnownEndpoint(trx, id);
  if (status !== 'active')
    throw new EndpointStateConflictError(
      `The endpoint is ${status}: ${status === 'disabled' ? 'enable' : 'resume'} it first.`,
    );
  const body = JSON.stringify({ event_type: 'ping', endpoint: id });
  const { deliveryId } = await insertEventFor(trx, id, { tenantId, type: 'ping', bookingRef: null, body });
  return { delivery: deliveryId };
}
