import { createHash } from 'node:crypto';
import { stringify } from 'safe-stable-stringify';

/** A request that is compared with an earlier one. */
export interface ComparedRequest {
  /** ISO 3166: the tenant's country now. */
  phoneCountry: string;
  /**
   * Returns the canonical ids and the validated body. Two spellings of the same request give equal values. The value contains no defaults
   * of the tenant, because the tenant's defaults can change between two requests.
   * @param phoneCountry the country of phone numbers without a country code
   */
  read: (phoneCountry: string) => unknown;
}

/**
 * Returns the fingerprint that is stored with the answer: the two letters of the country by which phone numbers were read, and the
 * SHA-256 of the request.
 */
export function fingerprintOf({ read, phoneCountry }: ComparedRequest): Buffer {
  return Buffer.concat([Buffer.from(phoneCountry, 'latin1'), digestOf(read(phoneCountry))]);
}

const DIGEST_BYTES = 32;

/**
 * Returns whether the request is the one whose fingerprint is stored. Reads phone numbers by the country in the stored fingerprint, because
 * the tenant's country may have changed since.
 */
export function isSameRequest(stored: Buffer, request: ComparedRequest): boolean {
  const phoneCountry = stored.toString('latin1', 0, stored.length - DIGEST_BYTES);
  return stored.equals(fingerprintOf({ read: request.read, phoneCountry }));
}

/** Returns the SHA-256 of a JSON value. The order of keys in objects makes no difference. */
function digestOf(value: unknown): Buffer {
  return createHash('sha256').update(stringify(value)!).digest();
}
