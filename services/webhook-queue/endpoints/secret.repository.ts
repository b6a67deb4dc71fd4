import type { Db, Trx } from '../../platform/database';
import type { SealedSecret } from '../signing/seal-secret';

/** Of a secret s: at this moment. */
export const SIGNS = '(s.expires_at is null or s.expires_at > now())';

export interface LiveSecret {
  createdAt: Date;
  /** Null for the one that no rotation has ended. */
  expiresAt: Date | null;
}

/** When those that sign now were made and end, the newest first. */
export async function findLiveSecrets(db: Db | Trx, endpointId: string): Promise<LiveSecret[]> {
  const rows = await db('webhook_secrets as s')
    .where('s.endpoint_id', endpointId)
    .whereRaw(SIGNS)
    .orderBy('s.created_at', 'desc')
    .select<{ created_at: Date; expires_at: Date | null }[]>('s.created_at', 's.expires_at');
  return rows.map((row) => ({ createdAt: row.created_at, expiresAt: row.expires_at }));
}

export async function insertSecret(trx: Trx, endpointId: string, sealed: SealedSecret): Promise<void> {
  const { id, keyId, nonce, ciphertext } = sealed;
  await trx('webhook_secrets').insert({ id, endpoint_id: endpointId, key_id: keyId, nonce, ciphertext });
}

/** Lets the secrets so far sign for `overlapSeconds` more, never longer than they had left. Those that ended are not kept. */
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
