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

/**
 * Answers one page, and links the next in a Link header that repeats the filters and never a credential.
 * @param last the last item's place, or null at the end of the list
 */
export function pageAnswer<T>(request: Request, items: T[], last: unknown, filters: unknown): Page<T> {
  if (last === null) return { items, next_cursor: null };
  const { secrets, config } = contextOf(request);
  const next_cursor = sealCursor(secrets.cursorKey, cursorScope(request, filters), last);
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(request.query)) {
    if (!CREDENTIALS.includes(name)) query.append(name, String(value));
  }
  query.set('cursor', next_cursor);
  request.res!.setHeader('Link', `<${config.publicBaseUrl}${request.path}?${query.toString()}>; rel="next"`);
  return { items, next_cursor };
}

const CREDENTIALS = ['api_key', 'token', 'pass'];

function cursorScope(request: Request, filters: unknown): unknown {
  return [principalOf(request)!.tenant.id, (request.route as { path: string }).path, filters];
}
