import type { Db, Trx } from '../../platform/database';
import { isUuid } from '../../platform/text-forms';
import { webhookId } from '../signing/sign-payload';
import { DeliveryNotFoundError } from '../webhook.errors';
import {
  type AttemptItem,
  type DeliveryItem,
  findAttempts,
  findDeliveries,
  findDelivery,
} from './delivery-list.repository';

export interface DeliveryDetail extends DeliveryItem {
  tenant_id: string;
  /** The webhook-id header: the same for all attempts and replays. */
  webhook_id: string;
  /** The body that is sent; contains personal data. */
  body: string;
  tries: AttemptItem[];
}

/** Shows a delivery with its attempts. @throws DeliveryNotFoundError */
export async function showDelivery(db: Db | Trx, id: string): Promise<DeliveryDetail> {
  const delivery = isUuid(id) ? await findDelivery(db, id) : undefined;
  if (!delivery) throw new DeliveryNotFoundError();
  const { event_id: eventId, ...shown } = delivery;
  return { ...shown, webhook_id: webhookId(eventId), tries: await findAttempts(db, id) };
}

/** Exceeds the deliveries of any booking: its events times the tenant's endpoints. */
const BOOKING_LIMIT = 200;

/** Lists the deliveries of a booking, oldest first, with their attempts but without the responses. */
export async function listDeliveriesOfBooking(
  db: Db,
  bookingRef: string,
): Promise<(DeliveryItem & { tries: Omit<AttemptItem, 'response_headers' | 'response_body'>[] })[]> {
  const items = await findDeliveries(db, { bookingRef }, BOOKING_LIMIT);
  const withTries = items.map(async (item) => ({
    ...item,
    tries: (await findAttempts(db, item.id)).map(withoutResponse),
  }));
  return (await Promise.all(withTries)).reverse();
}

function withoutResponse({ response_headers: _, response_body: __, ...rest }: AttemptItem) {
  return rest;
}
