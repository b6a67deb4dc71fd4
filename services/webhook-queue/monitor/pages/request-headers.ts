import { webhookId } from '../../signing/sign-payload';
import type { TryRow } from '../queries/delivery-detail.repository';

/** As attempt-delivery.ts sends it. */
const USER_AGENT = 'tour-platform-webhooks/1';

/** The headers of a try as they were sent; null where it never came to sending. */
export function requestHeaders(
  eventId: string,
  { startedAt, signature }: TryRow,
): Record<string, string> | null {
  if (signature === null) return null;
  return {
    'content-type': 'application/json',
    'user-agent': USER_AGENT,
    'webhook-id': webhookId(eventId),
    'webhook-timestamp': String(Math.floor(startedAt.getTime() / 1000)),
    'webhook-signature': signature,
  };
}
