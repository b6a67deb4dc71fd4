import { parseEndpointUrl } from '../sending/allowed-target';
import { UnknownEventTypeError } from '../webhook.errors';
import type { Trx } from '../../platform/database/database';
import { adoptWaiting, countAdoptable } from '../deliveries/queue.repository';
import { EVENT_TYPES, type EventType, isEventType } from '../deliveries/delivery';
import type { Format } from './endpoint';
import { findEndpointsAtSameUrl, insertEndpoint } from './endpoint.repository';
import { issueSecret } from './endpoint-secrets';

interface NewEndpoint {
  tenantId: string;
  url: string;
  /** Event types to send; `booking.created` by default. */
  events?: string[];
  /** Format of the bodies; `spec` by default. */
  format?: Format;
  /** The value of WEBHOOK_ALLOW_PRIVATE_TARGETS; false by default. */
  allowPrivateTargets?: boolean;
}

export interface AddedEndpoint {
  id: string;
  url: string;
  /** Shown only once, because the database stores the secret only in encrypted form. */
  secret: string;
  format: Format;
  events: EventType[];
  status: 'active';
  /**
   * Number of deliveries that waited without an endpoint. The oldest 10,000 now go to this endpoint. `reconcileOrphans` assigns the
   * remaining deliveries later.
   */
  waiting: number;
  /**
   * Ids of the tenant's other endpoints with the same URL. If several of these endpoints subscribe to an event, the event arrives several
   * times.
   */
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
  if (events.length === 0 || !events.every(isEventType)) throw new UnknownEventTypeError(EVENT_TYPES);
  const format = endpoint.format ?? 'spec';
  const { id } = await insertEndpoint(trx, { tenantId: endpoint.tenantId, url, format, events });
  const secret = await issueSecret(trx, secretsKey, id);
  const waiting = await countAdoptable(trx, id);
  await adoptWaiting(trx, id);
  const twins = await findEndpointsAtSameUrl(trx, { id, tenantId: endpoint.tenantId, url });
  return { id, url, secret, format, events, status: 'active', waiting, twins };
}
