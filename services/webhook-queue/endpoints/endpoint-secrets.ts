import { type Db, toColumns, type Trx } from '../../platform/database/database';
import {
  deriveSealingKey,
  mintSecret,
  type SealedSecret,
  type SealingKey,
  sealSecret,
  showSecret,
  unsealSecret,
} from '../signing/seal-secret';
import { lockKnownEndpoint } from './endpoint.repository';
import { InvalidOverlapError, TooManySecretsError } from '../webhook.errors';

/** Condition on a secret s: it signs now. */
export const SIGNS = '(s.expires_at is null or s.expires_at > now())';

const DAY_SECONDS = 24 * 3600;
/** Number of days for which the previous secrets continue to sign, by default. */
export const OVERLAP_DAYS = 1;
export const OVERLAP_MAX_DAYS = 7;
/** Limits the previous secrets, because each one adds a signature to every request. */
const OLD_SECRETS_MAX = 4;

/** Creates a secret and stores it encrypted. @returns the secret in plain text, which is shown only once */
export async function issueSecret(trx: Trx, secretsKey: string, endpointId: string): Promise<string> {
  const secret = mintSecret();
  await insertSecret(trx, endpointId, sealSecret(deriveSealingKey(secretsKey), endpointId, secret));
  return showSecret(secret);
}

interface RotatedSecret {
  id: string;
  /** Shown only once, because the database stores the secret only in encrypted form. */
  secret: string;
  /** Time until which the previous secret signs too. Null: it ended at once. */
  overlapUntil: Date | null;
}

/**
 * Creates a new secret and ends the previous ones after an overlap.
 * @param overlapSeconds 0 to 7 days, by default one day
 * @throws EndpointNotFoundError, InvalidOverlapError, TooManySecretsError
 */
export async function rotateSecret(
  trx: Trx,
  secretsKey: string,
  id: string,
  overlapSeconds: number = OVERLAP_DAYS * DAY_SECONDS,
): Promise<RotatedSecret> {
  const allowed = overlapSeconds >= 0 && overlapSeconds <= OVERLAP_MAX_DAYS * DAY_SECONDS;
  if (!allowed) throw new InvalidOverlapError(OVERLAP_MAX_DAYS);
  await lockKnownEndpoint(trx, id);
  const live = await findLiveSecrets(trx, id);
  if (overlapSeconds > 0 && live.length > OLD_SECRETS_MAX) throw new TooManySecretsError(live.length);
  await expireSecrets(trx, id, overlapSeconds);
  const secret = await issueSecret(trx, secretsKey, id);
  const [, previous] = await findLiveSecrets(trx, id);
  return { id, secret, overlapUntil: previous?.expiresAt ?? null };
}

/**
 * Finds the newest live secret whose stored key id is the id of `secretsKey`, and returns whether `secretsKey` opens that secret. Returns
 * false if all live secrets have other key ids. Returns undefined if there is no live secret.
 */
export async function opensSealed(db: Db, secretsKey: string): Promise<boolean | undefined> {
  const key = deriveSealingKey(secretsKey);
  const [own] = await findSealed(db, { keyId: key.id, limit: 1 });
  if (own) return opens(key, own);
  const [other] = await findSealed(db, { limit: 1 });
  return other ? false : undefined;
}

/** Finds endpoints with a signing secret, and endpoints with headers, that the key does not open. */
export async function findUnopenedEndpoints(db: Db, secretsKey: string): Promise<UnopenedEndpoints> {
  const key = deriveSealingKey(secretsKey);
  const unopened = (sealed: SealedForEndpoint[]) => {
    const tenants = sealed
      .filter((one) => !opens(key, one))
      .map(({ endpointId, tenant }) => [endpointId, tenant] as const);
    return [...new Map(tenants)].map(([id, tenant]) => ({ id, tenant }));
  };
  return { secrets: unopened(await findSealed(db, {})), headers: unopened(await findSealedHeaders(db)) };
}

interface UnopenedEndpoints {
  secrets: UnopenedEndpoint[];
  headers: UnopenedEndpoint[];
}

interface UnopenedEndpoint {
  id: string;
  /** Slug of the tenant. */
  tenant: string;
}

function opens(key: SealingKey, { endpointId, sealed }: SealedForEndpoint): boolean {
  try {
    unsealSecret(key, endpointId, sealed);
    return true;
  } catch {
    return false;
  }
}

export interface LiveSecret {
  createdAt: Date;
  /** Time from which the secret no longer signs, after a rotation. Null: no such time is set. */
  expiresAt: Date | null;
}

/** Finds the secrets that sign now, with their times of creation and expiry, the newest first. */
export async function findLiveSecrets(db: Db | Trx, endpointId: string): Promise<LiveSecret[]> {
  return db('webhook_secrets as s')
    .where('s.endpoint_id', endpointId)
    .whereRaw(SIGNS)
    .orderBy('s.created_at', 'desc')
    .select<LiveSecret[]>('s.created_at', 's.expires_at');
}

interface SealedForEndpoint {
  endpointId: string;
  /** Slug of the tenant. */
  tenant: string;
  sealed: SealedSecret;
}

/** Finds the encrypted secrets that sign now, the newest first. */
async function findSealed(
  db: Db,
  { keyId, limit }: { keyId?: string; limit?: number },
): Promise<SealedForEndpoint[]> {
  const query = db('webhook_secrets as s')
    .join('webhook_endpoints as e', 'e.id', 's.endpoint_id')
    .join('tenants as t', 't.id', 'e.tenant_id')
    .whereRaw(SIGNS)
    .whereNot('e.status', 'removed')
    .orderBy('s.created_at', 'desc')
    .select<(Omit<SealedForEndpoint, 'sealed'> & SealedSecret)[]>(
      's.id',
      's.endpoint_id',
      't.slug as tenant',
      's.key_id',
      's.nonce',
      's.ciphertext',
    );
  if (keyId !== undefined) void query.where('s.key_id', keyId);
  if (limit !== undefined) void query.limit(limit);
  return (await query).map(({ endpointId, tenant, ...sealed }) => ({ endpointId, tenant, sealed }));
}

/** Finds the encrypted headers of subscriptions. */
async function findSealedHeaders(db: Db): Promise<SealedForEndpoint[]> {
  const rows = await db('webhook_endpoint_headers as h')
    .join('webhook_endpoints as e', 'e.id', 'h.endpoint_id')
    .join('tenants as t', 't.id', 'e.tenant_id')
    .whereNot('e.status', 'removed')
    .orderBy('h.endpoint_id')
    .select<(Omit<SealedForEndpoint, 'sealed'> & SealedSecret)[]>(
      'h.id',
      'h.endpoint_id',
      't.slug as tenant',
      'h.key_id',
      'h.nonce',
      'h.ciphertext',
    );
  return rows.map(({ endpointId, tenant, ...sealed }) => ({ endpointId, tenant, sealed }));
}

async function insertSecret(trx: Trx, endpointId: string, sealed: SealedSecret): Promise<void> {
  await trx('webhook_secrets').insert(toColumns({ endpointId, ...sealed }));
}

/** Lets the current secrets expire after `overlapSeconds`, or earlier if an earlier expiry is already set. Deletes expired secrets. */
async function expireSecrets(trx: Trx, endpointId: string, overlapSeconds: number): Promise<void> {
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

/** Deletes the signing secrets and the sealed headers of an endpoint. */
export async function deleteSecrets(trx: Trx, endpointId: string): Promise<void> {
  await trx('webhook_secrets').where({ endpoint_id: endpointId }).delete();
  await trx('webhook_endpoint_headers').where({ endpoint_id: endpointId }).delete();
}
