import type { Trx } from '../../platform/database';
import { disableEndpoint } from './disable-endpoint';
import type { Endpoint, EndpointStatus } from './endpoint';
import { setEndpointStatus } from './endpoint.repository';
import { forgiveEndpoint } from './health.repository';
import { toEndpointDocument, type EndpointDocument } from './endpoint-document';
import { findEndpoint, lockKnownEndpoint } from './known-endpoint';
import { deleteSecrets } from './secret.repository';
import { cancelWaiting, countWaitingFor } from '../deliveries/queue.repository';
import { EndpointStateConflictError } from '../webhook.errors';

const BY_OPERATOR = 'An operator disabled it.';

/** What comes in meanwhile waits. @throws EndpointStateConflictError if it is disabled */
export async function pauseEndpoint(trx: Trx, id: string): Promise<Endpoint> {
  const endpoint = await lockKnownEndpoint(trx, id);
  if (endpoint.status === 'disabled')
    throw new EndpointStateConflictError('The endpoint is disabled: nothing is sent to it already.');
  return become(trx, endpoint, 'paused');
}

/** After a pause; what waited is due at once. @throws EndpointStateConflictError if it is disabled */
export async function resumeEndpoint(trx: Trx, id: string): Promise<Endpoint> {
  const endpoint = await lockKnownEndpoint(trx, id);
  if (endpoint.status === 'disabled')
    throw new EndpointStateConflictError('The endpoint is disabled, not paused: enable it.');
  await forgiveEndpoint(trx, id);
  return become(trx, endpoint, 'active');
}

/** As the receiver's 410 would: those endpoints of the tenant that ask for `endpoint.disabled` are told. */
export async function disableByOperator(trx: Trx, id: string): Promise<Endpoint> {
  const endpoint = await lockKnownEndpoint(trx, id);
  // The reason that it has already says more.
  if (endpoint.status === 'disabled') return endpoint;
  await disableEndpoint(trx, id, BY_OPERATOR);
  return { ...endpoint, status: 'disabled', statusReason: BY_OPERATOR };
}

/**
 * After it was disabled, by an answer or an operator; what waited is due at once, what is dead stays so until replayed.
 * @throws EndpointStateConflictError if it is paused
 */
export async function enableEndpoint(trx: Trx, id: string): Promise<Endpoint> {
  const endpoint = await lockKnownEndpoint(trx, id);
  if (endpoint.status === 'paused')
    throw new EndpointStateConflictError('The endpoint is paused, not disabled: resume it.');
  await forgiveEndpoint(trx, id);
  return become(trx, endpoint, 'active');
}

/** For ever; its history stays. What still waited for it is cancelled. */
export async function removeEndpoint(trx: Trx, id: string): Promise<Endpoint & { cancelled: number }> {
  const endpoint = await become(trx, await lockKnownEndpoint(trx, id), 'removed');
  await deleteSecrets(trx, id);
  // The queue before the health, as the worker locks them.
  const cancelled = await countWaitingFor(trx, id);
  await cancelWaiting(trx, id);
  await forgiveEndpoint(trx, id);
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

/** As the audit log keeps it. */
export interface EndpointChange {
  tenantId: string;
  before: EndpointDocument;
  after: EndpointDocument;
}

/** @throws EndpointNotFoundError, EndpointStateConflictError */
export async function changeEndpoint(trx: Trx, verb: EndpointVerb, id: string): Promise<EndpointChange> {
  const before = await findEndpoint(trx, id);
  const after = await CHANGES[verb](trx, id);
  return { tenantId: before.tenantId, before: toEndpointDocument(before), after: toEndpointDocument(after) };
}

async function become(trx: Trx, endpoint: Endpoint, status: EndpointStatus): Promise<Endpoint> {
  if (endpoint.status !== status) await setEndpointStatus(trx, endpoint.id, status, null);
  return { ...endpoint, status, statusReason: null };
}
