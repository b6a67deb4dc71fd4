import type { Db, Trx } from '../../platform/database';
import type { Endpoint, EndpointStatus, Format } from './endpoint';
import type { SealedSecret } from '../signing/seal-secret';
import type { EventType } from '../deliveries/webhook-event';

interface EndpointRow {
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

export async function listEndpointsOf(
  db: Db,
  tenantId: string | undefined,
  limit: number,
): Promise<Endpoint[]> {
  const query = endpoints(db).whereNot('e.status', 'removed').orderBy('e.id').limit(limit);
  if (tenantId) void query.where('e.tenant_id', tenantId);
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

export async function countWaitingFor(db: Db | Trx, endpointId: string): Promise<number> {
  const queued = db('webhook_queue').where({ endpoint_id: endpointId });
  const [row] = await queued.count<{ count: number }[]>('* as count');
  return row!.count;
}

export interface LiveSecret {
  createdAt: Date;
  /** Null for the one that no rotation has ended. */
  expiresAt: Date | null;
}

/** When those that sign now were made and end, the newest first. */
export async function findLiveSecrets(db: Db | Trx, endpointId: string): Promise<LiveSecret[]> {
  const rows = await db('webhook_secrets')
    .where({ endpoint_id: endpointId })
    .whereRaw('(expires_at is null or expires_at > now())')
    .orderBy('created_at', 'desc')
    .select<{ created_at: Date; expires_at: Date | null }[]>('created_at', 'expires_at');
  return rows.map((row) => ({ createdAt: row.created_at, expiresAt: row.expires_at }));
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

/** What went wrong so far is forgiven; an open breaker closes. */
export async function forgiveEndpoint(trx: Trx, id: string): Promise<void> {
  await trx('webhook_health').where({ endpoint_id: id }).delete();
}

/** An open breaker lets one request try it now. */
export async function endBreak(trx: Trx, id: string): Promise<void> {
  const row = trx('webhook_health').where({ endpoint_id: id }).where('blocked_until', '>', trx.fn.now());
  await row.update({ blocked_until: trx.fn.now() });
}

export async function insertSecret(trx: Trx, endpointId: string, sealed: SealedSecret): Promise<void> {
  const { id, keyId, nonce, ciphertext } = sealed;
  await trx('webhook_secrets').insert({ id, endpoint_id: endpointId, key_id: keyId, nonce, ciphertext });
}

/**
 * Lets the secrets so far sign for `overlapSeconds` more, never longer than they had left. Of the older ones at most
 * `kept` go on: each adds a signature to the header.
 */
export async function expireSecrets(
  trx: Trx,
  endpointId: string,
  overlapSeconds: number,
  kept: number,
): Promise<void> {
  await trx.raw(
    `with ranked as (
       select s.id, row_number() over (order by s.created_at desc) as age from webhook_secrets s
       where s.endpoint_id = :endpointId::uuid and (s.expires_at is null or s.expires_at > now())
     )
     update webhook_secrets s
     set expires_at = case when r.age > :kept::integer then now()
       else least(s.expires_at, now() + make_interval(secs => :overlapSeconds::float8)) end
     from ranked r where s.id = r.id`,
    { endpointId, overlapSeconds, kept },
  );
}

export async function deleteSecrets(trx: Trx, endpointId: string): Promise<void> {
  await trx('webhook_secrets').where({ endpoint_id: endpointId }).delete();
}

/** The tenant's slug is the one thing that is read outside the queue's own tables: for people to know whose it is. */
function endpoints(db: Db | Trx) {
  return db('webhook_endpoints as e')
    .join('tenants as t', 't.id', 'e.tenant_id')
    .select<EndpointRow[]>('e.*', 't.slug as tenant');
}

function toEndpoint(row: EndpointRow): Endpoint {
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
