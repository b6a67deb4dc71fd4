import type { Trx } from '../../platform/database/database';
import { type Endpoint, type EndpointDocument, type EndpointStatus, toEndpointDocument } from './endpoint';
import { lockEndpoint, lockKnownEndpoint, resetFailures, setEndpointStatus } from './endpoint.repository';
import { deleteSecrets } from './endpoint-secrets';
import { cancelWaiting, countWaitingFor } from '../deliveries/queue.repository';
import { EndpointStateConflictError } from '../webhook.errors';
import { endpointDisabledEvent, enqueueDelivery } from '../enqueue-delivery';

const BY_OPERATOR = 'An operator disabled it.';

/** Pauses an endpoint; its deliveries wait. @throws EndpointStateConflictError if it is disabled */
export async function pauseEndpoint(trx: Trx, id: string): Promise<Endpoint> {
  const endpoint = await lockKnownEndpoint(trx, id);
  if (endpoint.status === 'disabled')
    throw new EndpointStateConflictError('The endpoint is disabled: nothing is sent to it already.');
  return setStatus(trx, endpoint, 'paused');
}

/** Resumes a paused endpoint and closes its breaker. @throws EndpointStateConflictError if it is disabled */
export async function resumeEndpoint(trx: Trx, id: string): Promise<Endpoint> {
  const endpoint = await lockKnownEndpoint(trx, id);
  if (endpoint.status === 'disabled')
    throw new EndpointStateConflictError('The endpoint is disabled, not paused: enable it.');
  await resetFailures(trx, id);
  return setStatus(trx, endpoint, 'active');
}

/** Disables an endpoint. As after a response 410, the tenant's endpoints that subscribe to `endpoint.disabled` receive this event. */
export async function disableByOperator(trx: Trx, id: string): Promise<Endpoint> {
  const endpoint = await lockKnownEndpoint(trx, id);
  // Keeps the existing reason, which is more specific.
  if (endpoint.status === 'disabled') return endpoint;
  await disableEndpoint(trx, id, BY_OPERATOR);
  return { ...endpoint, status: 'disabled', statusReason: BY_OPERATOR };
}

/**
 * Enables a disabled endpoint and closes its breaker. Dead deliveries stay dead until they are replayed.
 * @throws EndpointStateConflictError if the endpoint is paused
 */
export async function enableEndpoint(trx: Trx, id: string): Promise<Endpoint> {
  const endpoint = await lockKnownEndpoint(trx, id);
  if (endpoint.status === 'paused')
    throw new EndpointStateConflictError('The endpoint is paused, not disabled: resume it.');
  await resetFailures(trx, id);
  return setStatus(trx, endpoint, 'active');
}

/**
 * Removes an endpoint permanently, and cancels at most 10,000 of its waiting deliveries. `reconcileOrphans` cancels the remaining
 * deliveries later. The history of the endpoint stays.
 */
export async function removeEndpoint(trx: Trx, id: string): Promise<Endpoint & { cancelled: number }> {
  const endpoint = await setStatus(trx, await lockKnownEndpoint(trx, id), 'removed');
  await deleteSecrets(trx, id);
  // Locks the queue before the health row, as the worker does.
  const cancelled = await countWaitingFor(trx, id);
  await cancelWaiting(trx, id);
  await resetFailures(trx, id);
  return { ...endpoint, cancelled };
}

const CHANGES = {
  pause: pauseEndpoint,
  resume: resumeEndpoint,
  disable: disableByOperator,
  enable: enableEndpoint,
  remove: removeEndpoint,
};

export type EndpointVerb = keyof typeof CHANGES;

/** The change as the audit log stores it. */
interface EndpointChange {
  tenantId: string;
  before: EndpointDocument;
  after: EndpointDocument;
}

/** Changes the state of an endpoint. @throws EndpointNotFoundError, EndpointStateConflictError */
export async function changeEndpoint(trx: Trx, verb: EndpointVerb, id: string): Promise<EndpointChange> {
  // Locks before it reads, so that `before` is the state after any concurrent change.
  const before = await lockKnownEndpoint(trx, id);
  const after = await CHANGES[verb](trx, id);
  return { tenantId: before.tenantId, before: toEndpointDocument(before), after: toEndpointDocument(after) };
}

async function setStatus(trx: Trx, endpoint: Endpoint, status: EndpointStatus): Promise<Endpoint> {
  if (endpoint.status !== status) await setEndpointStatus(trx, endpoint.id, status, null);
  return { ...endpoint, status, statusReason: null };
}

/**
 * Disables an endpoint after a 410, after days of failures, or for an operator. The tenant's endpoints that subscribe to
 * `endpoint.disabled` receive this event.
 * @returns false if the endpoint was already disabled or removed
 */
export async function disableEndpoint(trx: Trx, id: string, reason: string): Promise<boolean> {
  const endpoint = await lockEndpoint(trx, id);
  if (endpoint?.status !== 'active' && endpoint?.status !== 'paused') return false;
  const updatedAt = await setEndpointStatus(trx, id, 'disabled', reason);
  await enqueueDelivery(trx, endpointDisabledEvent(endpoint, reason, updatedAt));
  return true;
}
