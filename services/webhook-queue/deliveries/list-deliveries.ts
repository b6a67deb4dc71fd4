import type { Db } from '../../platform/database';
import { isUuid } from '../../platform/text-forms';
import {
  findAttempts,
  findDeliveries,
  type AttemptItem,
  type DeliveryItem,
} from './delivery-list.repository';
import type { DeliverySearch } from './delivery-search.repository';

/** Newest first. */
export async function listDeliveries(
  db: Db,
  filter: DeliverySearch & { limit: number },
): Promise<DeliveryItem[]> {
  // An id that cannot be one is nobody's.
  if (filter.endpointId && !isUuid(filter.endpointId)) return [];
  return findDeliveries(db, filter, filter.limit);
}

/** More than any booking has: an event for each step of its life, times the tenant's endpoints. */
const OF_A_BOOKING = 200;

/** What was sent about a booking, or will be, the oldest first; with every try, but not what was answered. */
export async function listDeliveriesOfBooking(
  db: Db,
  bookingRef: string,
): Promise<(DeliveryItem & { tries: Omit<AttemptItem, 'response_headers' | 'response_body'>[] })[]> {
  const items = await findDeliveries(db, { bookingRef }, OF_A_BOOKING);
  const withTries = items.map(async (item) => ({
    ...item,
    tries: (await findAttempts(db, item.id)).map(untold),
  }));
  return (await Promise.all(withTries)).reverse();
}

function untold({ response_headers: _, response_body: __, ...rest }: AttemptItem) {
  return rest;
}
