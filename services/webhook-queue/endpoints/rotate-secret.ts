import type { Trx } from '../../platform/database';
import { expireSecrets, findLiveSecrets, insertSecret } from './endpoint.repository';
import { lockKnownEndpoint } from './known-endpoint';
import { deriveSealingKey, mintSecret, sealSecret, showSecret } from '../signing/seal-secret';
import { InvalidOverlapError } from '../webhook.errors';

const DAY_SECONDS = 24 * 3600;
const OVERLAP_MAX_DAYS = 7;
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
  othersUntil: Date | null;
}

/**
 * @param overlapSeconds how long the secrets so far go on signing beside the new one: 0 to 7 days, a day if left out
 * @throws EndpointNotFoundError, InvalidOverlapError
 */
export async function rotateSecret(
  trx: Trx,
  secretsKey: string,
  id: string,
  overlapSeconds: number = DAY_SECONDS,
): Promise<RotatedSecret> {
  const allowed = overlapSeconds >= 0 && overlapSeconds <= OVERLAP_MAX_DAYS * DAY_SECONDS;
  if (!allowed) throw new InvalidOverlapError(OVERLAP_MAX_DAYS);
  await lockKnownEndpoint(trx, id);
  await expireSecrets(trx, id, overlapSeconds, OLD_SECRETS_MAX);
  const secret = await issueSecret(trx, secretsKey, id);
  const [, previous] = await findLiveSecrets(trx, id);
  return { id, secret, othersUntil: previous?.expiresAt ?? null };
}
