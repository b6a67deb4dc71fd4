import type { Db, Trx } from '../platform/database';
import { isUuid } from '../platform/text-forms';
import {
  countHeldBack,
  countReplayable,
  findAttempts,
  findDeliveries,
  findDelivery,
  findDeliveryItem,
  requeueFinished,
  type AttemptItem,
  type DeliveryFilter,
  type DeliveryItem,
  type HeldBack,
  type ReplayFilter,
} from './deliveries/delivery-list.repository';
import type { Endpoint, Format } from './endpoints/endpoint';
import { findTwins, insertEndpoint, listEndpointsOf, lockEndpoint } from './endpoints/endpoint.repository';
import { parseEndpointUrl } from './endpoints/endpoint-url';
import { insertEventFor } from './deliveries/event.repository';
import { lockKnownEndpoint } from './endpoints/known-endpoint';
import { adoptWaiting, countAdoptable, makeDue, readClock } from './deliveries/queue.repository';
import { issueSecret } from './endpoints/rotate-secret';
import { webhookId } from './signing/sign-payload';
import { isEventType, type EventType } from './deliveries/webhook-event';
import {
  DeliveryNotFoundError,
  DeliveryStateConflictError,
  EndpointStateConflictError,
  UnknownEventTypeError,
} from './webhook.errors';

// The operator's door: what the terminal may do. Every change happens in the caller's transaction, beside its audit row.
export {
  changeEndpoint,
  disableByOperator,
  enableEndpoint,
  pauseEndpoint,
  removeEndpoint,
  resumeEndpoint,
  type EndpointVerb,
} from './endpoints/change-endpoint-state';
export { DELIVERY_STATUSES, PHASES, type DeliveryStatus } from './deliveries/delivery';
export { toEndpointDocument } from './endpoints/endpoint-document';
export { EVENT_TYPES } from './deliveries/webhook-event';
export { findEndpoint } from './endpoints/known-endpoint';
export { createMonitorLink, type MonitorLink } from './monitor/sign-in/session';
export { rotateSecret } from './endpoints/rotate-secret';
export { showEndpoint, type EndpointDetail } from './endpoints/show-endpoint';
export { parseSecret, refutePayload } from './signing/verify-payload';
export type { AttemptItem, DeliveryFilter, DeliveryItem, Endpoint, Format, HeldBack, ReplayFilter };

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

/** Oldest first, without removed ones. */
export async function listEndpoints(
  db: Db,
  filter: { tenantId?: string; limit?: number } = {},
): Promise<Endpoint[]> {
  return listEndpointsOf(db, filter.tenantId, filter.limit ?? 1000);
}

/**
 * Queues a signed `ping` to this endpoint alone; the queue sends it like any other delivery.
 * @throws EndpointStateConflictError if it is not active
 */
export async function pingEndpoint(trx: Trx, id: string): Promise<{ delivery: string }> {
  const { tenantId, status } = await lockKnownEndpoint(trx, id);
  if (status !== 'active')
    throw new EndpointStateConflictError(
      `The endpoint is ${status}: ${status === 'disabled' ? 'enable' : 'resume'} it first.`,
    );
  const body = JSON.stringify({ event_type: 'ping', endpoint: id });
  const { deliveryId } = await insertEventFor(trx, id, { tenantId, type: 'ping', bookingRef: null, body });
  return { delivery: deliveryId };
}

/** Newest first. */
export async function listDeliveries(
  db: Db,
  filter: DeliveryFilter & { limit: number },
): Promise<DeliveryItem[]> {
  // An id that cannot be one is nobody's.
  if (filter.endpointId && !isUuid(filter.endpointId)) return [];
  return findDeliveries(db, filter, filter.limit);
}

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

/**
 * Sends it now: one that waits for its next try does not wait longer, a finished one begins its schedule anew.
 * @throws DeliveryNotFoundError, DeliveryStateConflictError if it has no endpoint that takes it, or is being sent
 */
export async function retryDelivery(trx: Trx, id: string): Promise<DeliveryItem> {
  const delivery = isUuid(id) ? await findDeliveryItem(trx, id) : undefined;
  if (!delivery) throw new DeliveryNotFoundError();
  const { endpoint } = delivery;
  if (!endpoint)
    throw new DeliveryStateConflictError('The tenant has no endpoint for it: it is sent when one is added.');
  const { status } = (await lockEndpoint(trx, endpoint)) ?? { status: 'removed' };
  if (status !== 'active') throw new DeliveryStateConflictError(`Its endpoint is ${status}.`);
  if (!(await makeDue(trx, id))) throw new DeliveryStateConflictError('It is being sent at this moment.');
  return (await findDeliveryItem(trx, id))!;
}

/** How many deliveries `replayDeliveries` would send. */
export async function countReplay(db: Db | Trx, filter: ReplayFilter): Promise<number> {
  return filter.endpointId && !isUuid(filter.endpointId) ? 0 : countReplayable(db, filter);
}

/** How many it would not, though the filter finds them: their endpoints are paused or disabled. */
export async function countHeldBackReplay(db: Db | Trx, filter: ReplayFilter): Promise<HeldBack> {
  const nobodys = filter.endpointId && !isUuid(filter.endpointId);
  return nobodys ? { paused: 0, disabled: 0 } : countHeldBack(db, filter);
}

/** What one replay sends at most. */
export const REPLAYED_MOST = 10_000;

/**
 * Sends finished deliveries of active endpoints again, those that finished first, each under its old webhook-id.
 * @returns also how many are left beyond REPLAYED_MOST: to go on with them, pass `finishedBefore` on
 */
export async function replayDeliveries(
  trx: Trx,
  filter: ReplayFilter,
): Promise<{ replayed: number; left: number; finishedBefore: Date }> {
  const finishedBefore = filter.finishedBefore ?? (await readClock(trx));
  const bounded = { ...filter, finishedBefore };
  if (filter.endpointId && !isUuid(filter.endpointId)) return { replayed: 0, left: 0, finishedBefore };
  const replayed = await requeueFinished(trx, bounded, REPLAYED_MOST);
  const left = replayed < REPLAYED_MOST ? 0 : await countReplayable(trx, bounded);
  return { replayed, left, finishedBefore };
}
