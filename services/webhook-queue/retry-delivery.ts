import type { Trx } from '../platform/database';
import { isUuid } from '../platform/text-forms';
import { findDeliveryItem, type DeliveryItem } from './deliveries/delivery-list.repository';
import { makeDue } from './deliveries/queue.repository';
import { lockEndpoint } from './endpoints/endpoint.repository';
import { DeliveryNotFoundError, DeliveryStateConflictError } from './webhook.errors';

/**
 * Makes a delivery due now. A finished delivery starts its schedule again.
 * @throws DeliveryNotFoundError, DeliveryStateConflictError without an active endpoint or while a request is in flight
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
