import { createHmac, timingSafeEqual } from 'node:crypto';
import { badInput, type BadInputError } from './http.errors';

const MAC_BYTES = 16;

/**
 * A place in a list that only we can write. It is good for the tenant and the filters it was made with, and no other.
 * @param scope everything that the next request must repeat
 */
export function sealCursor(key: string, scope: unknown, position: unknown): string {
  const payload = Buffer.from(JSON.stringify(position));
  return Buffer.concat([mac(key, scope, payload), payload]).toString('base64url');
}

/** @throws BadInputError invalid_cursor (400) for anything but a cursor of this very list */
export function openCursor<T>(key: string, scope: unknown, cursor: string | undefined): T | undefined {
  if (cursor === undefined) return undefined;
  const bytes = Buffer.from(cursor, 'base64url');
  const payload = bytes.subarray(MAC_BYTES);
  const canonical = bytes.toString('base64url') === cursor;
  if (
    !canonical ||
    payload.length === 0 ||
    !timingSafeEqual(bytes.subarray(0, MAC_BYTES), mac(key, scope, payload))
  ) {
    throw invalidCursor();
  }
  return JSON.parse(payload.toString()) as T;
}

export function invalidCursor(): BadInputError {
  return badInput(
    'invalid_cursor',
    'query',
    'cursor',
    'must be next_cursor of the same list, with the same filters',
  );
}

function mac(key: string, scope: unknown, payload: Buffer): Buffer {
  return createHmac('sha256', key)
    .update(JSON.stringify(scope))
    .update('\0')
    .update(payload)
    .digest()
    .subarray(0, MAC_BYTES);
}
