import type { Trx } from '../../platform/database';
import { adoptWaiting, countAdoptable } from '../deliveries/queue.repository';
import { isEventType, type EventType } from '../deliveries/webhook-event';
import { UnknownEventTypeError } from '../webhook.errors';
import type { Format } from './endpoint';
import { parseEndpointUrl } from './endpoint-url';
import { findTwins, insertEndpoint } from './endpoint.repository';
import { issueSecret } from './rotate-secret';

export interface NewEndpoint {
  tenantId: string;
  url: string;
  /** Exactly what it is to be told; `booking.created` where left out. */
  events?: string[];
  /** Of what it is sent from now on; `spec` where left out. */
  format?: Format;
  /** WEBHOOK_ALLOW_PRIVATE_TARGETS. */
  allowPrivateTargets?: boolean;
}

export interface AddedEndpoint {
  id: string;
  url: string;
  /** Shown this once: only its sealed form is kept. */
  secret: string;
  format: Format;
  events: EventType[];
  status: 'active';
  /** Deliveries that waited without an endpoint and are now due to this one. */
  waiting: number;
  /** Ids of the tenant's endpoints that have this address already: what both ask for arrives there twice. */
  twins: string[];
}

/** @throws InvalidWebhookUrlError, UnknownEventTypeError */
export async function addEndpoint(
  trx: Trx,
  secretsKey: string,
  endpoint: NewEndpoint,
): Promise<AddedEndpoint> {
  const url = parseEndpointUrl(endpoint.url, endpoint.allowPrivateTargets ?? false);
  const events = [...new Set(endpoint.events ?? ['booking.created'])];
  if (events.length === 0 || !events.every(isEventType)) throw new UnknownEventTypeError();
  const format = endpoint.format ?? 'spec';
  const { id } = await insertEndpoint(trx, { tenantId: endpoint.tenantId, url, format, events });
  const secret = await issueSecret(trx, secretsKey, id);
  const waiting = await countAdoptable(trx, id);
  await adoptWaiting(trx, id);
  const twins = await findTwins(trx, { id, tenantId: endpoint.tenantId, url });
  return { id, url, secret, format, events, status: 'active', waiting, twins };
}
