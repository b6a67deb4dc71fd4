import type { Db, Trx } from '../../platform/database';
import { isUuid } from '../../platform/text-forms';
import { webhookId } from '../signing/sign-payload';
import { DeliveryNotFoundError } from '../webhook.errors';
import { findAttempts, findDelivery, type AttemptItem, type DeliveryItem } from './delivery-list.repository';

export interface DeliveryDetail extends DeliveryItem {
  tenant_id: string;
  /** The webhook-id header: the same over all tries and replays. */
  webhook_id: string;
  /** The body as it is sent. Personal data. */
  body: string;
  tries: AttemptItem[];
}

/** @throws DeliveryNotFoundError */
export async function showDelivery(db: Db | Trx, id: string): Promise<DeliveryDetail> {
  const delivery = isUuid(id) ? await findDelivery(db, id) : undefined;
  if (!delivery) throw new DeliveryNotFoundError();
  const { event_id: eventId, ...shown } = delivery;
  return { ...shown, webhook_id: webhookId(eventId), tries: await findAttempts(db, id) };
}
