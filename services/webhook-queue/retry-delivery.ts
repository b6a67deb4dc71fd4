import type { Trx } from '../platform/database';
import { isUuid } from '../platform/text-forms';
import { findDeliveryItem, type DeliveryItem } from './deliveries/delivery-list.repository';
import { makeDue } from './deliveries/queue.repository';
import { lockEndpoint } from './endpoints/endpoint.repository';
import { DeliveryNotFoundError, DeliveryStateConflictError } from './webhook.errors';

/**
 * Sends it now: one that waits for its next try does not wait longer, a finished one begins its schedule anew.
 * @throws DeliveryNotFoundError, DeliveryStateConflictError if it has no endpoint that takes it, or is being sent
 */
export async function retryDelivery(trx: Trx, id: string): Promise<DeliveryItem> {
  const delivery = isUuid(id) ? await findDeliveryItem(trx, id) : undefined;
  if (!delivery) throw new DeliveryNotFoundError();
  const { endpoint } = delivery;
  if (!endpoint)
    throw new DeliveryStateConflictError('The tenant has no endpoint for it: it is sent when one is added.');
  const { status } = (await lockEndpoint(trx, endpoint)) ?? { status: 'removed' };
  if (status !== 'active') throw new DeliveryStateConflictError(`Its endpoint is ${status}.`);
  if (!(await makeDue(trx, id))) throw new DeliveryStateConflictError('It is being sent at this moment.');
  return (await findDeliveryItem(trx, id))!;
}
