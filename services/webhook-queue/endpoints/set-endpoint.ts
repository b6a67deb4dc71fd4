import type { Trx } from '../../platform/database/database';
import type { EventType } from '../deliveries/delivery';
import { adoptWaiting, countAdoptable } from '../deliveries/queue.repository';
import { EndpointStateConflictError } from '../webhook.errors';
import { parseEndpointUrl } from '../sending/allowed-target';
import type { Endpoint, Format } from './endpoint';
import {
  findEndpointsAtSameUrl,
  lockKnownEndpoint,
  resetFailures,
  updateEndpoint,
} from './endpoint.repository';

const SUBSCRIPTION_NOT_SETTABLE =
  'The endpoint is a subscription of OCTO: its reseller changes it by the API. You can pause or remove it.';

interface EndpointSettings {
  url?: string;
  events?: EventType[];
  format?: Format;
}

interface SetEndpoint {
  before: Endpoint;
  after: Endpoint;
  /**
   * Number of deliveries that waited without an endpoint. The oldest 10,000 now go to this endpoint. `reconcileOrphans` assigns the
   * remaining deliveries later.
   */
  waiting: number;
  /**
   * Ids of the tenant's other endpoints with the new URL; empty if the URL has not changed. If several of these endpoints subscribe to an
   * event, the event arrives several times.
   */
  twins: string[];
}

/**
 * Changes the address, the events or the format of an endpoint. Its secrets stay. Queued deliveries keep their bodies and go to the new
 * address. If the address changes, the recorded failures are deleted.
 * @throws EndpointNotFoundError, InvalidWebhookUrlError, EndpointStateConflictError for a subscription
 */
export async function setEndpoint(
  trx: Trx,
  id: string,
  { url, events, format }: EndpointSettings,
  allowPrivateTargets: boolean,
): Promise<SetEndpoint> {
  const before = await lockKnownEndpoint(trx, id);
  if (before.format === 'octo') throw new EndpointStateConflictError(SUBSCRIPTION_NOT_SETTABLE);
  const after = {
    ...before,
    url: url === undefined ? before.url : parseEndpointUrl(url, allowPrivateTargets),
    events: events === undefined ? before.events : [...new Set(events)],
    format: format ?? before.format,
  };
  await updateEndpoint(trx, after);
  const waiting = await countAdoptable(trx, id);
  await adoptWaiting(trx, id);
  const isMoved = after.url !== before.url;
  if (isMoved) await resetFailures(trx, id);
  return { before, after, waiting, twins: isMoved ? await findEndpointsAtSameUrl(trx, after) : [] };
}
