import type { Trx } from '../../platform/database';
import { lockEndpoint, setEndpointStatus } from './endpoint.repository';
import { enqueueDelivery } from '../enqueue-delivery';

/**
 * Stops sending to an endpoint that wants no more, is hopeless, or that an operator disables; those of the tenant's endpoints
 * that ask for `endpoint.disabled` are told.
 * @returns false if it was disabled or removed already
 */
export async function disableEndpoint(trx: Trx, id: string, reason: string): Promise<boolean> {
  const endpoint = await lockEndpoint(trx, id);
  if (endpoint?.status !== 'active' && endpoint?.status !== 'paused') return false;
  await setEndpointStatus(trx, id, 'disabled', reason);
  await enqueueDelivery(trx, {
    tenantId: endpoint.tenantId,
    type: 'endpoint.disabled',
    bookingRef: null,
    // Without the query: it may hold a secret of that receiver.
    body: { event_type: 'endpoint.disabled', endpoint: id, url: endpoint.url.replace(/\?.*$/, ''), reason },
  });
  return true;
}
