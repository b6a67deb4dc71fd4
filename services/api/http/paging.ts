import { createHmac, timingSafeEqual } from 'node:crypto';
import { badInput, type BadInputError } from './http.errors';
import type { Request } from 'express';
import { contextOf } from './api-context';
import { principalOf } from './authentication';

const MAC_BYTES = 16;

/**
 * Seals a position in a list as a cursor. The cursor is valid for the same tenant and filters only.
 * @param scope the values that the next request must repeat
 */
export function sealCursor(key: string, scope: unknown, position: unknown): string {
  const payload = Buffer.from(JSON.stringify(position));
  return Buffer.concat([mac(key, scope, payload), payload]).toString('base64url');
}

/** @throws BadInputError invalid_cursor (400) unless it is a cursor of the same list */
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

/** The answer of a list: items and the cursor of the next page. */
interface ListPage<T> {
  items: T[];
  next_cursor: string | null;
}

/** Returns the position of `cursor`; undefined for the first page. */
export function pageStart<T>(request: Request, cursor: string | undefined, filters: unknown): T | undefined {
  return openCursor<T>(contextOf(request).secrets.cursorKey, cursorScope(request, filters), cursor);
}

/** Returns the cursor of the page after `last`; null at the end of the list. */
export function nextCursor(request: Request, last: unknown, filters: unknown): string | null {
  if (last === null) return null;
  return sealCursor(contextOf(request).secrets.cursorKey, cursorScope(request, filters), last);
}

/**
 * Returns the answer for one page, and sets the link to the next one.
 * @param last position of the last item, or null at the end of the list
 */
export function pageAnswer<T>(request: Request, items: T[], last: unknown, filters: unknown): ListPage<T> {
  return { items, next_cursor: linkNextPage(request, last, filters) };
}

/**
 * Sets the Link header to the next page. The link repeats the filters, and never a credential.
 * @param last position of the last item, or null at the end of the list
 * @returns the cursor of the next page
 */
export function linkNextPage(request: Request, last: unknown, filters: unknown): string | null {
  const cursor = nextCursor(request, last, filters);
  if (cursor === null) return null;
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(request.query)) {
    if (!CREDENTIALS.includes(name)) query.append(name, value as string);
  }
  query.set('cursor', cursor);
  const { publicBaseUrl } = contextOf(request).config;
  request.res!.setHeader('Link', `<${publicBaseUrl}${request.path}?${query.toString()}>; rel="next"`);
  return cursor;
}

const CREDENTIALS = ['api_key', 'token', 'pass'];

function cursorScope(request: Request, filters: unknown): unknown {
  return [principalOf(request)!.tenant.id, (request.route as { path: string }).path, filters];
}
