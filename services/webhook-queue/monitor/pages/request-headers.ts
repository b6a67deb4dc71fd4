import { webhookHeaders } from '../../sending/webhook-headers';
import { signatureHeaders, webhookId } from '../../signing/sign-payload';
import type { TryRow } from '../queries/delivery-detail.repository';

/** The headers of a try as they were sent; null where it never came to sending. */
export function requestHeaders(
  eventId: string,
  { startedAt, signature }: TryRow,
): Record<string, string> | null {
  if (signature === null) return null;
  return webhookHeaders(signatureHeaders(webhookId(eventId), startedAt, signature));
}
