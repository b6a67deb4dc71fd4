import type { Db, Trx } from '../../platform/database';
import { lockKnownEndpoint } from './endpoint.repository';
import {
  expireSecrets,
  findLiveSecrets,
  findSealed,
  insertSecret,
  type SealedForEndpoint,
} from './secret.repository';
import {
  deriveSealingKey,
  mintSecret,
  type SealingKey,
  sealSecret,
  showSecret,
  unsealSecret,
} from '../signing/seal-secret';
import { InvalidOverlapError, TooManySecretsError } from '../webhook.errors';
const DAY_SECONDS = 24 * 3600;
/** Default time that previous secrets continue to sign. */
export const OVERLAP_DAYS = 1;
export const OVERLAP_MAX_DAYS = 7;
/** Limits the previous secrets, because each one adds a signature to every request. */
const OLD_SECRETS_MAX = 4;

/** Creates a secret. @returns the secret, which is shown only once: only its sealed form is stored */
export async function issueSecret(trx: Trx, secretsKey: string, endpointId: string): Promise<string> {
  const secret = mintSecret();
  await insertSecret(trx, endpointId, sealSecret(deriveSealingKey(secretsKey), endpointId, secret));
  return showSecret(secret);
}

export interface RotatedSecret {
  id: string;
  /** Shown only once: only its sealed form is stored. */
  secret: string;
  /** Time until which the previous secret signs too; null when it ended at once. */
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

/** Checks that the key opens the newest secret that it sealed. Returns false when other keys sealed all secrets, undefined without secrets. */
export async function opensSealed(db: Db, secretsKey: string): Promise<boolean | undefined> {
  const key = deriveSealingKey(secretsKey);
  const [own] = await findSealed(db, { keyId: key.id, limit: 1 });
  if (own) return opens(key, own);
  const [other] = await findSealed(db, { limit: 1 });
  return other ? false : undefined;
}

/** Finds endpoints with a signing secret that the key does not open. */
export async function findUnopenedEndpoints(db: Db, secretsKey: string): Promise<UnopenedEndpoint[]> {
  const key = deriveSealingKey(secretsKey);
  const unopened = (await findSealed(db, {})).filter((one) => !opens(key, one));
  const tenants = new Map(unopened.map(({ endpointId, tenant }) => [endpointId, tenant]));
  return [...tenants].map(([id, tenant]) => ({ id, tenant }));
}

export interface UnopenedEndpoint {
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
