import type { Trx } from '../../platform/database';
import { lockKnownEndpoint } from './known-endpoint';
import { expireSecrets, findLiveSecrets, insertSecret } from './secret.repository';
import { deriveSealingKey, mintSecret, sealSecret, showSecret } from '../signing/seal-secret';
import { InvalidOverlapError, TooManySecretsError } from '../webhook.errors';

const DAY_SECONDS = 24 * 3600;
/** How long the secrets so far go on signing beside the new one. */
export const OVERLAP_DAYS = 1;
export const OVERLAP_MAX_DAYS = 7;
/** Beside the newest: each secret adds a signature to every request. */
const OLD_SECRETS_MAX = 4;

/** @returns the secret, which is not to be had again: only its sealed form is kept */
export async function issueSecret(trx: Trx, secretsKey: string, endpointId: string): Promise<string> {
  const secret = mintSecret();
  await insertSecret(trx, endpointId, sealSecret(deriveSealingKey(secretsKey), endpointId, secret));
  return showSecret(secret);
}

export interface RotatedSecret {
  id: string;
  /** Shown this once: only its sealed form is kept. */
  secret: string;
  /** Until when the one before signs too; null where it ended at once. */
  overlapUntil: Date | null;
}

/**
 * @param overlapSeconds how long the secrets so far go on signing beside the new one: 0 to 7 days, a day if left out
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
