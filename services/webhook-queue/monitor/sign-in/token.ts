import { createHash, randomBytes } from 'node:crypto';

/** 32 bytes in base64url. */
const TOKEN = /^[A-Za-z0-9_-]{43}$/;

export interface MintedToken {
  /** For its bearer alone. */
  token: string;
  /** What is kept of it. */
  digest: Buffer;
}

export function mintToken(): MintedToken {
  const token = randomBytes(32).toString('base64url');
  return { token, digest: digestOf(token) };
}

/** SHA-256: of 256 random bits nothing slower is needed. */
export function digestOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

/** What has not the form is nobody's, and need not be looked up. */
export function isToken(text: string): boolean {
  return TOKEN.test(text);
}
