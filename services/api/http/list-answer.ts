import type { Request } from 'express';
import { contextOf } from './api-context';
import { principalOf } from './authentication';
import { openCursor, sealCursor } from './cursor';

/** A list's answer: items, and where the next page begins. */
export interface Page<T> {
  items: T[];
  next_cursor: string | null;
}

/** The place where the page begins that `cursor` asks for; undefined is the beginning. */
export function pageStart<T>(request: Request, cursor: string | undefined, filters: unknown): T | undefined {
  return openCursor<T>(contextOf(request).secrets.cursorKey, cursorScope(request, filters), cursor);
}

/** `cursor` of the page after `last`; null at the end of the list. */
export function nextCursor(request: Request, last: unknown, filters: unknown): string | null {
  if (last === null) return null;
  return sealCursor(contextOf(request).secrets.cursorKey, cursorScope(request, filters), last);
}

/**
 * Answers one page, and links the next.
 * @param last the last item's place, or null at the end of the list
 */
export function pageAnswer<T>(request: Request, items: T[], last: unknown, filters: unknown): Page<T> {
  return { items, next_cursor: linkNextPage(request, last, filters) };
}

/**
 * Sets a Link header to the next page, which repeats the filters and never a credential.
 * @param last the last item's place, or null at the end of the list
 * @returns its cursor
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
