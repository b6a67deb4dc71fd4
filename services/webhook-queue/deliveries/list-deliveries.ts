import type { Db } from '../../platform/database';
import { isUuid } from '../../platform/text-forms';
import { findDeliveries, type DeliveryItem } from './delivery-list.repository';
import type { DeliveryFilter } from './delivery-search.repository';

/** Newest first. */
export async function listDeliveries(
  db: Db,
  filter: DeliveryFilter & { limit: number },
): Promise<DeliveryItem[]> {
  // An id that cannot be one is nobody's.
  if (filter.endpointId && !isUuid(filter.endpointId)) return [];
  return findDeliveries(db, filter, filter.limit);
}
