import { createHash, createHmac, hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';

export type CredentialKind = 'api_key' | 'widget_token';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** The largest multiple of 62 in a byte. Bytes from this value on are skipped: they would make the first characters more frequent. */
const UNBIASED = 248;
const ID_LENGTH = 12;
const CRC_LENGTH = 6;
const KINDS = ['api_key', 'widget_token'] as const;
const PREFIX = { api_key: 'svc_live_', widget_token: 'svc_widget_' } as const;
/** Number of characters: 190 and 131 random bits. */
const SECRET_LENGTH = { api_key: 32, widget_token: 22 } as const;
const FORMAT = {
  api_key: /^svc_live_([0-9A-Za-z]{12})_[0-9A-Za-z]{38}$/,
  widget_token: /^svc_widget_([0-9A-Za-z]{12})_[0-9A-Za-z]{28}$/,
} as const;

/**
 * Creates a random token: the prefix of its kind, its id, a secret, and the CRC-32 of these. Logs may show `id`; `token` holds
 * the secret and is shown once.
 */
export function mintCredentialToken(kind: CredentialKind): { id: string; token: string } {
  const id = randomBase62(ID_LENGTH);
  const body = `${PREFIX[kind]}${id}_${randomBase62(SECRET_LENGTH[kind])}`;
  return { id, token: body + checksum(body) };
}

/** Returns kind and id of a well-formed token; undefined for any other text. The checksum finds typing errors without a query. */
export function parseToken(text: string): { kind: CredentialKind; id: string } | undefined {
  for (const kind of KINDS) {
    const id = FORMAT[kind].exec(text)?.[1];
    if (!id) continue;
    return checksum(text.slice(0, -CRC_LENGTH)) === text.slice(-CRC_LENGTH) ? { kind, id } : undefined;
  }
  return undefined;
}

/** The reason why a text is not a well-formed token. */
export type TokenIssue = 'foreign' | 'unknown_kind' | 'characters' | 'length' | 'checksum';

/** Returns the issue of a token; undefined for a well-formed one. */
export function diagnoseToken(text: string): TokenIssue | undefined {
  if (parseToken(text)) return undefined;
  const kind = KINDS.find((name) => text.startsWith(PREFIX[name]));
  if (!kind) return text.startsWith('svc_') ? 'unknown_kind' : 'foreign';
  if (/[^0-9A-Za-z_]/.test(text)) return 'characters';
  return FORMAT[kind].test(text) ? 'checksum' : 'length';
}

function checksum(body: string): string {
  let rest = crc32(body);
  let text = '';
  for (let place = 0; place < CRC_LENGTH; place++) {
    text = BASE62[rest % 62]! + text;
    rest = Math.floor(rest / 62);
  }
  return text;
}

function randomBase62(length: number): string {
  let text = '';
  while (text.length < length) {
    for (const byte of randomBytes(length - text.length)) {
      if (byte < UNBIASED) text += BASE62[byte % 62];
    }
  }
  return text;
}

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
