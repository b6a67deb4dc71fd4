import { createHash } from 'node:crypto';
import { stringify } from 'safe-stable-stringify';

/** How a request is read to compare it with an earlier one. */
export interface RequestReading {
  /** ISO 3166: the country of phone numbers without a country code. */
  country: string;
  /** The release that stored the earlier request, if it read requests in another way. Undefined: as this release does. */
  release?: '0.1.0';
  /** True: e-mail addresses are read with the signs around them, as releases until 0.1.0 and the builds after it did. */
  emailAsSent?: true;
}

/** Returns whether the reading is that of a new request of the tenant. */
export function isPresentReading(
  { country, release, emailAsSent }: RequestReading,
  tenant: { country: string },
): boolean {
  return release === undefined && !emailAsSent && country === tenant.country;
}

/** A request that is compared with an earlier one. */
export interface ComparedRequest {
  /** ISO 3166: the tenant's country now. */
  phoneCountry: string;
  /**
   * Returns the canonical ids and the validated body. Two spellings of the same request give equal values. The value contains no defaults
   * of the tenant, because the tenant's defaults can change between two requests.
   */
  read: (reading: RequestReading) => unknown;
}

/** Stands in the digests that this release stores. Increase it when the read values change their form, and add the form before to EARLIER. */
const FORM = 2;

/**
 * The readings whose digests earlier releases stored, without a form: those of the builds after 0.1.0, and of 0.1.0. Such digests are compared
 * until they expire: that of an answer a week after the update at the latest, that of a reservation with its hold. Delete them, emailAsSent, and
 * readPhoneAs010 (customers/phone.ts), when 0.1.0 cannot be updated to the release directly.
 * @rule a repeat after an update matches the earlier digest: test/api/earlier-digests.long.test.ts
 */
const EARLIER: RequestReading['release'][] = [undefined, '0.1.0'];

/**
 * Returns the fingerprint that is stored with the answer: the two letters of the country by which phone numbers were read, and the
 * SHA-256 of the request.
 */
export function fingerprintOf({ read, phoneCountry: country }: ComparedRequest): Buffer {
  return fingerprint(country, [FORM, read({ country })]);
}

const DIGEST_BYTES = 32;

/**
 * Returns whether the request is the one whose fingerprint is stored. Reads phone numbers by the country in the stored fingerprint, because
 * the tenant's country may have changed since.
 */
export function isSameRequest(stored: Buffer, { read }: ComparedRequest): boolean {
  const country = stored.toString('latin1', 0, stored.length - DIGEST_BYTES);
  const isStored = (value: unknown) => stored.equals(fingerprint(country, value));
  const emailAsSent = true;
  return (
    isStored([FORM, read({ country })]) ||
    isStored([FORM, read({ country, emailAsSent })]) ||
    EARLIER.some((release) => isStored(read({ country, release, emailAsSent })))
  );
}

/** Digests a JSON value. The order of keys in objects makes no difference. */
function fingerprint(country: string, value: unknown): Buffer {
  const digest = createHash('sha256').update(stringify(value)!).digest();
  return Buffer.concat([Buffer.from(country, 'latin1'), digest]);
}
