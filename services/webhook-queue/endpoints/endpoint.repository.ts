import type { Db, Trx } from '../../platform/database/database';
import type { Endpoint, EndpointStatus } from './endpoint';
import { isUuid } from '../../platform/forms/text-forms';
import { EndpointNotFoundError } from '../webhook.errors';

export async function insertEndpoint(
  trx: Trx,
  { tenantId, url, format, events }: Pick<Endpoint, 'tenantId' | 'url' | 'format' | 'events'>,
): Promise<{ id: string }> {
  const [row] = await trx('webhook_endpoints')
    .insert({ tenant_id: tenantId, url, format, events })
    .returning<{ id: string }[]>('id');
  return row!;
}

/** Finds an endpoint, also a removed one, because its history stays. */
async function findEndpointById(db: Db | Trx, id: string): Promise<Endpoint | undefined> {
  return endpoints(db).where('e.id', id).first();
}

/** Locks an endpoint, so that its state cannot change until the transaction ends. */
export async function lockEndpoint(trx: Trx, id: string): Promise<Endpoint | undefined> {
  return endpoints(trx).where('e.id', id).forNoKeyUpdate('e').first();
}

interface EndpointSelection {
  tenantId?: string;
  status?: EndpointStatus;
  /** Lists only the subscriptions that this API key made, or gave their present address. */
  apiKeyId?: string;
  /** Lists only the endpoints whose id is greater than this one. */
  after?: string;
  limit?: number;
}

/** Lists endpoints oldest first, without removed ones. */
export async function listEndpoints(
  db: Db,
  { tenantId, status, apiKeyId, after, limit = 1000 }: EndpointSelection = {},
): Promise<Endpoint[]> {
  const query = endpoints(db).whereNot('e.status', 'removed').orderBy('e.id').limit(limit);
  if (tenantId) void query.where('e.tenant_id', tenantId);
  if (status) void query.where('e.status', status);
  if (apiKeyId) void query.where('e.api_key_id', apiKeyId);
  if (after) void query.where('e.id', '>', after);
  return query;
}

/** Finds ids of the tenant's other endpoints with the same URL, without removed ones. */
export async function findEndpointsAtSameUrl(
  db: Db | Trx,
  { id, tenantId, url }: Pick<Endpoint, 'id' | 'tenantId' | 'url'>,
): Promise<string[]> {
  const others = db('webhook_endpoints').where({ tenant_id: tenantId, url }).whereNot({ id });
  return others.whereNot('status', 'removed').orderBy('id').pluck<string[]>('id');
}

export async function updateEndpoint(
  trx: Trx,
  { id, url, events, format }: Pick<Endpoint, 'id' | 'url' | 'events' | 'format'>,
): Promise<void> {
  await trx('webhook_endpoints').where({ id }).update({ url, events, format });
}

/** Sets the status of an endpoint. @returns the time of the change, which is later than that of each earlier change */
export async function setEndpointStatus(
  trx: Trx,
  id: string,
  status: EndpointStatus,
  reason: string | null,
): Promise<Date> {
  const since = trx.raw("greatest(clock_timestamp(), status_since + interval '1 ms')");
  const [row] = await trx('webhook_endpoints')
    .where({ id })
    .update({ status, status_reason: reason, status_since: since })
    .returning<{ statusSince: Date }[]>('status_since');
  return row!.statusSince;
}

/**
 * Pauses every active endpoint.
 * @param reason a text that ends with a command; the id of each endpoint is added to it
 * @returns the number of paused endpoints
 */
export async function pauseActiveEndpoints(trx: Trx, reason: string): Promise<number> {
  return trx('webhook_endpoints')
    .where({ status: 'active' })
    .update({
      status: 'paused',
      status_reason: trx.raw("? || ' ' || id", [reason]),
      status_since: trx.fn.now(),
    });
}

/**
 * Selects endpoints with the slug of their tenant, because operators know tenants by their slugs. The table `tenants` belongs to the API.
 */
function endpoints(db: Db | Trx) {
  return db('webhook_endpoints as e')
    .join('tenants as t', 't.id', 'e.tenant_id')
    .select<Endpoint[]>(
      'e.id',
      'e.tenant_id',
      't.slug as tenant',
      'e.url',
      'e.format',
      'e.events',
      'e.status',
    )
    .select('e.api_key_id', 'e.status_reason', 'e.created_at');
}

/** Finds an endpoint. @throws EndpointNotFoundError also for a removed one */
export async function findEndpoint(db: Db | Trx, id: string): Promise<Endpoint> {
  return assertPresent(isUuid(id) ? await findEndpointById(db, id) : undefined);
}

/** Locks an endpoint until the transaction ends. @throws EndpointNotFoundError also for a removed one */
export async function lockKnownEndpoint(trx: Trx, id: string): Promise<Endpoint> {
  return assertPresent(isUuid(id) ? await lockEndpoint(trx, id) : undefined);
}

function assertPresent(endpoint: Endpoint | undefined): Endpoint {
  if (!endpoint || endpoint.status === 'removed') throw new EndpointNotFoundError();
  return endpoint;
}

/** Deletes the failures of an endpoint and so closes its breaker. */
export async function resetFailures(trx: Trx, id: string): Promise<void> {
  await trx('webhook_health').where({ endpoint_id: id }).delete();
}

/** Current failures of an endpoint. */
export interface EndpointFailures {
  /** Number of failures in a row. */
  failures: number;
  failingSince: Date;
  /**
   * Time until which the breaker blocks the endpoint. After this time, one request at a time probes the endpoint. Null while the breaker is
   * closed.
   */
  blockedUntil: Date | null;
}

export async function findEndpointFailures(
  db: Db | Trx,
  endpointId: string,
): Promise<EndpointFailures | undefined> {
  return db('webhook_health')
    .where({ endpoint_id: endpointId })
    .first<EndpointFailures | undefined>('failures', 'failing_since', 'blocked_until');
}

/** A disabled endpoint, or one that has accepted no delivery since its last failure. */
export interface FailingEndpoint {
  id: string;
  tenant: string;
  url: string;
  status: 'active' | 'disabled';
  statusReason: string | null;
  /** Failures in a row, without throttled attempts; null for an endpoint without failures. */
  failures: number | null;
  openings: number | null;
  failingSince: Date | null;
  blockedUntil: Date | null;
}

/**
 * Lists failing endpoints. Disabled endpoints without recorded failures come first. Then come the other endpoints, the longest failing one
 * first.
 */
export async function findFailingEndpoints(db: Db, limit: number): Promise<FailingEndpoint[]> {
  return db('webhook_endpoints as e')
    .join('tenants as t', 't.id', 'e.tenant_id')
    .leftJoin('webhook_health as h', 'h.endpoint_id', 'e.id')
    .whereRaw(`e.status = 'disabled' or (e.status = 'active' and h.endpoint_id is not null)`)
    .orderByRaw('h.failing_since nulls first, e.id')
    .limit(limit)
    .select<FailingEndpoint[]>(
      'e.id',
      't.slug as tenant',
      'e.url',
      'e.status',
      'e.status_reason',
      'h.failures',
      'h.openings',
      'h.failing_since',
      'h.blocked_until',
    );
}
