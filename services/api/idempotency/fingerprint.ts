import { createHash } from 'node:crypto';

/** A request that is compared with an earlier one. */
export interface ComparedRequest {
  /** ISO 3166: the tenant's country now. */
  phoneCountry: string;
  /**
   * Returns the canonical ids and the validated body: another spelling of the same request gives an equal value. It has no default of
   * the tenant, because a tenant changes its defaults.
   * @param phoneCountry of phone numbers without a country code
   */
  read: (phoneCountry: string) => unknown;
  /** The value whose digest builds from before 0.1.0 stored. */
  earlierForm: unknown;
}

/**
 * Returns the fingerprint that is stored with the answer: the two letters of the country by which phone numbers were read, and the
 * SHA-256 of the request.
 */
export function fingerprintOf({
  read,
  phoneCountry,
}: Pick<ComparedRequest, 'read' | 'phoneCountry'>): Buffer {
  return Buffer.concat([Buffer.from(phoneCountry, 'latin1'), digestOf(read(phoneCountry))]);
}

const DIGEST_BYTES = 32;

/**
 * Returns whether the request is the one of a stored fingerprint. Reads phone numbers by the country of the first request, because the
 * tenant may have changed it. A fingerprint of an earlier release is a digest alone.
 */
export function isSameRequest(stored: Buffer, request: ComparedRequest): boolean {
  if (stored.length === DIGEST_BYTES) return stored.equals(digestOf(request.earlierForm));
  const phoneCountry = stored.toString('latin1', 0, stored.length - DIGEST_BYTES);
  return stored.equals(fingerprintOf({ read: request.read, phoneCountry }));
}

/** Returns the SHA-256 of a JSON value, in any order of its keys. */
function digestOf(value: unknown): Buffer {
  return createHash('sha256').update(canonicalJson(value)).digest();
}

/** Returns the same text for equal JSON values, in any order of their keys. */
function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    part !== null && typeof part === 'object' && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}
