import type { ProductNotification } from '../../webhook-queue/enqueue-delivery';
import { OPTION_ID } from './product.dto';

export function productUpdate(tenantId: string, productId: string): ProductNotification {
  return { tenantId, productId, type: 'octo.product_update', dates: null };
}

export interface AvailabilityUpdate extends ProductNotification {
  dates: NonNullable<ProductNotification['dates']>;
}

/** @param first YYYY-MM-DD @param last YYYY-MM-DD */
export function availabilityUpdate(
  tenantId: string,
  productId: string,
  first: string,
  last: string,
): AvailabilityUpdate {
  const dates = { optionId: OPTION_ID, first, last };
  return { tenantId, productId, type: 'octo.availability_update', dates };
}
