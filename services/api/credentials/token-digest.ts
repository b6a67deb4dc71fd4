import { createHash, createHmac, hash, timingSafeEqual } from 'node:crypto';
import { type CredentialKind, parseToken } from './token-format';

export type DigestAlgorithm = 'sha256' | 'hmac-sha256';

/** The stored digest of a token. */
export interface StoredDigest {
  digest: Buffer;
  digestAlgorithm: DigestAlgorithm;
}

/** Computes the digest to store. With a pepper, a stolen table cannot confirm a leaked token. The secret is random, so a slow hash adds nothing. */
export function digestToken(
  token: string,
  pepper: string | undefined,
): { digest: Buffer; algorithm: DigestAlgorithm } {
  if (pepper)
    return { digest: createHmac('sha256', pepper).update(token).digest(), algorithm: 'hmac-sha256' };
  return { digest: createHash('sha256').update(token).digest(), algorithm: 'sha256' };
}

/** A well-formed token from a caller. Its secret is not proven yet. */
export interface OfferedToken {
  kind: CredentialKind;
  id: string;
  /** Its digest by each supported algorithm. */
  digests: { sha256: Buffer; 'hmac-sha256': Buffer | undefined };
}

/**
 * Parses a token and computes both digests, so that an unknown id costs the same work as a known one.
 * @returns undefined for a malformed token
 */
export function offeredToken(text: string, pepper: string | undefined): OfferedToken | undefined {
  const parsed = parseToken(text);
  if (!parsed) return undefined;
  const digests = {
    sha256: digestToken(text, undefined).digest,
    'hmac-sha256': pepper ? digestToken(text, pepper).digest : undefined,
  };
  return { ...parsed, digests };
}

/** Checks the token against the stored digest, in constant time. */
export function provesSecret({ digests }: OfferedToken, stored: StoredDigest): boolean {
  const offered = digests[stored.digestAlgorithm];
  return timingSafeEqual(offered ?? NO_DIGEST, stored.digest) && offered !== undefined;
}

/** Replaces a missing digest, so that the comparison always runs. */
const NO_DIGEST = Buffer.alloc(32);

const lastTokens = new WeakMap<object, { token: string; digest: string }>();

/**
 * Returns the SHA-256 of a token, base64url. Keeps the last one of each connection, whose requests usually have the same token: a
 * digest takes 12 µs.
 */
export function sha256Of(token: string, connection: object): string {
  let last = lastTokens.get(connection);
  if (last?.token !== token) {
    last = { token, digest: hash('sha256', token, 'base64url') };
    lastTokens.set(connection, last);
  }
  return last.digest;
}
