import type { Trx } from '../../platform/database';
import type { EventType } from '../deliveries/delivery';
import { adoptWaiting, countAdoptable } from '../deliveries/queue.repository';
import { parseEndpointUrl } from '../sending/allowed-target';
import type { Endpoint, Format } from './endpoint';
import {
  findEndpointsAtSameUrl,
  lockKnownEndpoint,
  resetFailures,
  updateEndpoint,
} from './endpoint.repository';

interface EndpointSettings {
  url?: string;
  events?: EventType[];
  format?: Format;
}

interface SetEndpoint {
  before: Endpoint;
  after: Endpoint;
  /** Number of deliveries that waited without an endpoint and are now due. */
  waiting: number;
  /** Ids of the tenant's other endpoints with the same URL: events to which several of them subscribe arrive there more than once. */
  twins: string[];
}

/**
 * Changes the address, the events or the format of an endpoint. Its secrets stay. Queued deliveries keep their bodies and go to the new
 * address. Failures of the old address are forgotten.
 * @throws EndpointNotFoundError, InvalidWebhookUrlError
 */
export async function setEndpoint(
  trx: Trx,
  id: string,
  { url, events, format }: EndpointSettings,
  allowPrivateTargets: boolean,
): Promise<SetEndpoint> {
  const before = await lockKnownEndpoint(trx, id);
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
