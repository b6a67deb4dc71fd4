import { createHmac, timingSafeEqual } from 'node:crypto';
import { badInput, type BadInputError } from './http.errors';
import type { Request } from 'express';
import { contextOf } from './api-context';
import { principalOf } from './authentication';
import { type AnswerContent, cacheControl, jsonContent, PRIVATE } from './caching';

const MAC_BYTES = 16;

/**
 * Seals a position in a list as a cursor. The cursor is valid only for the same scope: the same tenant, list and filters.
 * @param scope the values that the next request must repeat
 */
export function sealCursor(key: string, scope: unknown, position: unknown): string {
  const payload = Buffer.from(JSON.stringify(position));
  return Buffer.concat([mac(key, scope, payload), payload]).toString('base64url');
}

/** @throws BadInputError invalid_cursor (400) if the text is not a cursor of the same scope */
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

/** Returns the position in `cursor`. Undefined: there is no cursor, so the page is the first one. */
export function pageStart<T>(request: Request, cursor: string | undefined, filters: unknown): T | undefined {
  return openCursor<T>(contextOf(request).secrets.cursorKey, cursorScope(request, filters), cursor);
}

/** Returns the cursor of the page after `last`; null at the end of the list. */
export function nextCursor(request: Request, last: unknown, filters: unknown): string | null {
  if (last === null) return null;
  return sealCursor(contextOf(request).secrets.cursorKey, cursorScope(request, filters), last);
}

/**
 * Returns the answer for one page, and sets the Link header to the next page.
 * @param last the position of the last item; null: this is the last page
 */
export function pageAnswer<T>(request: Request, items: T[], last: unknown, filters: unknown): ListPage<T> {
  const next_cursor = nextCursor(request, last, filters);
  if (next_cursor !== null) request.res!.setHeader('Link', linkTo(repeatableAddress(request), next_cursor));
  return { items, next_cursor };
}

/**
 * Returns a function that creates the content of a page from its items, the position of the last item (null on the last page) and other
 * members. The function does not refer to the request, so a cache may keep it.
 */
export function pageContentOf(
  request: Request,
  filters: unknown,
): (items: unknown[], last: unknown, more?: object) => AnswerContent {
  const { cursorKey } = contextOf(request).secrets;
  const scope = cursorScope(request, filters);
  const caching = cacheControl(request, PRIVATE);
  const address = repeatableAddress(request);
  return (items, last, more) => {
    const next_cursor = last === null ? null : sealCursor(cursorKey, scope, last);
    const headers = ['Cache-Control', caching];
    if (next_cursor !== null) headers.push('Link', linkTo(address, next_cursor));
    return jsonContent({ items, next_cursor, ...more }, headers);
  };
}

interface RepeatableAddress {
  path: string;
  query: [string, string][];
}

/** Returns the address of a list with its filters, without a credential. */
function repeatableAddress(request: Request): RepeatableAddress {
  const query = Object.entries(request.query as Record<string, string>);
  return {
    path: contextOf(request).config.publicBaseUrl + request.path,
    query: query.filter(([name]) => !CREDENTIALS.includes(name)),
  };
}

function linkTo({ path, query }: RepeatableAddress, cursor: string): string {
  const next = new URLSearchParams(query);
  next.set('cursor', cursor);
  return `<${path}?${next.toString()}>; rel="next"`;
}

const CREDENTIALS = ['api_key', 'token', 'pass'];

function cursorScope(request: Request, filters: unknown): unknown {
  return [principalOf(request)!.tenant.id, (request.route as { path: string }).path, filters];
}
