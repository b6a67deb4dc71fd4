import { isIP } from 'node:net';
import { isInternalName, refusedPortReason } from '../sending/allowed-target';
import { InvalidWebhookUrlError, UnknownEventTypeError } from '../webhook.errors';
import type { Trx } from '../../platform/database';
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
  /** WEBHOOK_ALLOW_PRIVATE_TARGETS. */
  allowPrivateTargets?: boolean;
}

export interface AddedEndpoint {
  id: string;
  url: string;
  /** Shown only once: only its sealed form is stored. */
  secret: string;
  format: Format;
  events: EventType[];
  status: 'active';
  /** Number of deliveries that waited without an endpoint and are now due. */
  waiting: number;
  /** Ids of the tenant's other endpoints with the same URL: common events arrive there twice. */
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

const LENGTH_MAX = 2048;

/**
 * Parses and checks the URL of an endpoint. The addresses of its host are checked at every delivery (resolve-target.ts).
 * @throws InvalidWebhookUrlError
 */
export function parseEndpointUrl(text: string, allowPrivateTargets: boolean): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url) throw new InvalidWebhookUrlError('it is not a URL such as https://example.com/webhooks');
  if (url.href.length > LENGTH_MAX)
    throw new InvalidWebhookUrlError(`it is longer than ${LENGTH_MAX} characters`);
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw new InvalidWebhookUrlError('it must begin with https://');
  if (url.username || url.password)
    throw new InvalidWebhookUrlError('it must not contain a user name or password');
  if (url.hash) throw new InvalidWebhookUrlError('it must not have a #fragment, which is never sent');
  if (!allowPrivateTargets) refusePrivate(url);
  const reason = refusedPortReason(url, allowPrivateTargets);
  if (reason) throw new InvalidWebhookUrlError(reason);
  return url.href;
}

function refusePrivate(url: URL): void {
  if (url.protocol === 'http:')
    throw new InvalidWebhookUrlError(unlessAllowed('it must begin with https://'));
  // The URL parser has already normalised every spelling (0x7f.1, 2130706433, circled digits).
  const host = url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  if (isIP(host)) throw new InvalidWebhookUrlError(unlessAllowed('it must name a host, not an IP address'));
  if (isInternalName(host)) {
    throw new InvalidWebhookUrlError(unlessAllowed('its host is not a public name'));
  }
}

function unlessAllowed(reason: string): string {
  return `${reason} (unless WEBHOOK_ALLOW_PRIVATE_TARGETS is on)`;
}
