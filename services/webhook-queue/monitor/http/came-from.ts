import type { Request } from 'express';

/** The pages that an action may return to: they answer GET, and showing them again does nothing. */
const PAGE = /^\/(endpoints(\/[0-9a-f-]{36})?|deliveries(\/[0-9a-f-]{36})?|replay)?$/i;

/** Path and query of the page of ours that sent the form; undefined where the browser does not tell, or it is none of those. */
export function cameFrom(request: Request): string | undefined {
  const referer = request.get('referer') ?? '';
  if (!URL.canParse(referer)) return undefined;
  const { host, pathname, search } = new URL(referer);
  return host === request.host && PAGE.test(pathname) ? pathname + search : undefined;
}
