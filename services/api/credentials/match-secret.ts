import { timingSafeEqual } from 'node:crypto';
import type { StoredCredential } from './credential.repository';
import { digestToken } from './token-format';

/** What an unknown id is compared with, so that it costs the same as a wrong secret. */
const NO_CREDENTIAL = { digest: Buffer.alloc(32), digestAlgorithm: undefined };

/** Is this the very token whose digest was stored? The row says how it was digested. */
export function matchesSecret<C extends StoredCredential>(
  stored: C | undefined,
  token: string,
  pepper: string | undefined,
): stored is C {
  const { digest, digestAlgorithm } = stored ?? NO_CREDENTIAL;
  const offered = digestToken(token, digestAlgorithm === 'sha256' ? undefined : pepper);
  const same = timingSafeEqual(offered.digest, digest);
  return same && offered.algorithm === digestAlgorithm;
}
