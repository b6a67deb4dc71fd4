import type { WebhookEvent } from '../../webhook-queue/enqueue-delivery';
import { OPTION_ID } from './product.dto';

export function productEvent(tenantId: string, productId: string): WebhookEvent {
  return { tenantId, type: 'octo.product_update', bookingRef: null, body: { productId } };
}

/** @param first YYYY-MM-DD @param last YYYY-MM-DD */
export function availabilityEvent(
  tenantId: string,
  productId: string,
  first: string,
  last: string,
): WebhookEvent {
  const body = { productId, optionId: OPTION_ID, localDateStart: first, localDateEnd: last };
  return { tenantId, type: 'octo.availability_update', bookingRef: null, body };
}
