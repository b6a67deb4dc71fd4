import type { Db, Trx } from '../../platform/database';
import type { SealedSecret } from '../signing/seal-secret';

/** Condition on a secret s: it signs now. */
export const SIGNS = '(s.expires_at is null or s.expires_at > now())';

export interface LiveSecret {
  createdAt: Date;
  /** Null unless a rotation has ended the secret. */
  expiresAt: Date | null;
}

/** Finds creation and expiry of the secrets that sign now, newest first. */
export async function findLiveSecrets(db: Db | Trx, endpointId: string): Promise<LiveSecret[]> {
  const rows = await db('webhook_secrets as s')
    .where('s.endpoint_id', endpointId)
    .whereRaw(SIGNS)
    .orderBy('s.created_at', 'desc')
    .select<{ created_at: Date; expires_at: Date | null }[]>('s.created_at', 's.expires_at');
  return rows.map((row) => ({ createdAt: row.created_at, expiresAt: row.expires_at }));
}

export interface SealedForEndpoint {
  endpointId: string;
  /** Slug of the tenant. */
  tenant: string;
  sealed: SealedSecret;
}

/** Finds the sealed secrets that sign now, newest first. */
export async function findSealed(
  db: Db,
  { keyId, limit }: { keyId?: string; limit?: number },
): Promise<SealedForEndpoint[]> {
  const query = db('webhook_secrets as s')
    .join('webhook_endpoints as e', 'e.id', 's.endpoint_id')
    .join('tenants as t', 't.id', 'e.tenant_id')
    .whereRaw(SIGNS)
    .whereNot('e.status', 'removed')
    .orderBy('s.created_at', 'desc')
    .select<SealedRow[]>('s.id', 's.endpoint_id', 't.slug', 's.key_id', 's.nonce', 's.ciphertext');
  if (keyId !== undefined) void query.where('s.key_id', keyId);
  if (limit !== undefined) void query.limit(limit);
  return (await query).map(({ id, endpoint_id, slug, key_id, nonce, ciphertext }) => ({
    endpointId: endpoint_id,
    tenant: slug,
    sealed: { id, keyId: key_id, nonce, ciphertext },
  }));
}

interface SealedRow {
  id: string;
  endpoint_id: string;
  slug: string;
  key_id: string;
  nonce: Buffer;
  ciphertext: Buffer;
}

export async function insertSecret(trx: Trx, endpointId: string, sealed: SealedSecret): Promise<void> {
  const { id, keyId, nonce, ciphertext } = sealed;
  await trx('webhook_secrets').insert({ id, endpoint_id: endpointId, key_id: keyId, nonce, ciphertext });
}

/** Ends the current secrets after `overlapSeconds`, never later than planned before, and deletes expired ones. */
export async function expireSecrets(trx: Trx, endpointId: string, overlapSeconds: number): Promise<void> {
  await trx('webhook_secrets')
    .where({ endpoint_id: endpointId })
    .where('expires_at', '<=', trx.fn.now())
    .delete();
  await trx.raw(
    `update webhook_secrets
     set expires_at = least(expires_at, now() + make_interval(secs => :overlapSeconds::float8))
     where endpoint_id = :endpointId::uuid`,
    { endpointId, overlapSeconds },
  );
}

export async function deleteSecrets(trx: Trx, endpointId: string): Promise<void> {
  await trx('webhook_secrets').where({ endpoint_id: endpointId }).delete();
}
