import type { Db, Trx } from '../../platform/database';
import type { Endpoint, EndpointStatus, Format } from './endpoint';
import type { EventType } from '../deliveries/webhook-event';

interface StoredEndpoint {
  id: string;
  tenant_id: string;
  tenant: string;
  url: string;
  format: Format;
  events: EventType[];
  status: EndpointStatus;
  status_reason: string | null;
  created_at: Date;
}

export async function insertEndpoint(
  trx: Trx,
  { tenantId, url, format, events }: Pick<Endpoint, 'tenantId' | 'url' | 'format' | 'events'>,
): Promise<{ id: string }> {
  const [row] = await trx('webhook_endpoints')
    .insert({ tenant_id: tenantId, url, format, events })
    .returning<{ id: string }[]>('id');
  return row!;
}

/** Removed ones too: history speaks of them. */
export async function findEndpointById(db: Db | Trx, id: string): Promise<Endpoint | undefined> {
  const row = await endpoints(db).where('e.id', id).first();
  return row && toEndpoint(row);
}

/** Locks it, so that its state stays what it is until the end of the transaction. */
export async function lockEndpoint(trx: Trx, id: string): Promise<Endpoint | undefined> {
  const row = await endpoints(trx).where('e.id', id).forNoKeyUpdate('e').first();
  return row && toEndpoint(row);
}

export interface EndpointFilter {
  tenantId?: string;
  status?: EndpointStatus;
  /** Id of the endpoint after which it goes on. */
  after?: string;
  limit?: number;
}

/** Oldest first, without removed ones. */
export async function listEndpoints(
  db: Db,
  { tenantId, status, after, limit = 1000 }: EndpointFilter = {},
): Promise<Endpoint[]> {
  const query = endpoints(db).whereNot('e.status', 'removed').orderBy('e.id').limit(limit);
  if (tenantId) void query.where('e.tenant_id', tenantId);
  if (status) void query.where('e.status', status);
  if (after) void query.where('e.id', '>', after);
  return (await query).map(toEndpoint);
}

/** Ids of the tenant's other endpoints that are called at the same address, removed ones aside. */
export async function findTwins(
  db: Db | Trx,
  { id, tenantId, url }: Pick<Endpoint, 'id' | 'tenantId' | 'url'>,
): Promise<string[]> {
  const twins = db('webhook_endpoints').where({ tenant_id: tenantId, url }).whereNot({ id });
  return twins.whereNot('status', 'removed').orderBy('id').pluck<string[]>('id');
}

export async function setEndpointStatus(
  trx: Trx,
  id: string,
  status: EndpointStatus,
  reason: string | null,
): Promise<void> {
  await trx('webhook_endpoints')
    .where({ id })
    .update({ status, status_reason: reason, status_since: trx.fn.now() });
}

/** With its tenant's slug, of another service's table: for people to know whose it is. */
function endpoints(db: Db | Trx) {
  return db('webhook_endpoints as e')
    .join('tenants as t', 't.id', 'e.tenant_id')
    .select<StoredEndpoint[]>('e.*', 't.slug as tenant');
}

function toEndpoint(row: StoredEndpoint): Endpoint {
  return {
    id: row.id,
    tenantId: row.tenant_id,
    tenant: row.tenant,
    url: row.url,
    format: row.format,
    events: row.events,
    status: row.status,
    statusReason: row.status_reason,
    createdAt: row.created_at,
  };
}
