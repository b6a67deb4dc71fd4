import type { Request } from 'express';
import { RequestRefusal } from './errors';

/**
 * Refuses requests from pages of another origin. SameSite alone allows another port of the same host. A client that sends
 * neither header is not a browser, so no foreign page can misuse its cookie.
 */
export function refuseCrossSite(request: Request): void {
  if (!isSameOrigin(request))
    throw new RequestRefusal(
      403,
      'A page of another origin sent this, so nothing was done. Open the monitoring page and try again.',
    );
}

/** Prefers Sec-Fetch-Site: no page can set it, and it works behind a proxy that changes the host. */
function isSameOrigin(request: Request): boolean {
  const site = request.get('sec-fetch-site');
  if (site !== undefined) return site === 'same-origin';
  const origin = request.get('origin');
  return origin === undefined || isOwnOrigin(origin, request.host);
}

/** Compares host and port only: behind a proxy that ends TLS, the scheme is unknown. */
function isOwnOrigin(origin: string, ownHost: string): boolean {
  if (!URL.canParse(origin)) return false;
  const { protocol, host } = new URL(origin);
  const own = `${protocol}//${ownHost}`;
  return URL.canParse(own) && new URL(own).host === host;
}

/** Matches the pages to which an action may return. */
const PAGE = /^\/(endpoints(\/[0-9a-f-]{36})?|deliveries(\/[0-9a-f-]{36})?|replay)?$/i;

/** Returns path and query of the page that sent the form; undefined where the Referer is missing or is another page. */
export function cameFrom(request: Request): string | undefined {
  const referer = request.get('referer') ?? '';
  if (!URL.canParse(referer)) return undefined;
  const { host, pathname, search } = new URL(referer);
  return host === request.host && PAGE.test(pathname) ? pathname + search : undefined;
}
