import type { Request } from 'express';
import { Refusal } from './refusal';

/**
 * Refuses what another page had a browser send, one of the same host on another port too: SameSite alone lets that pass. Who
 * sends neither header is no browser, and has no cookie that it did not come by honestly.
 */
export function refuseForeign(request: Request): void {
  if (!isOurs(request))
    throw new Refusal(403, 'Another page sent this, so nothing was done. Begin on a page of ours.');
}

/** No page can write Sec-Fetch-Site, so it decides where it is sent; a proxy that names us by another host spoils only Origin. */
function isOurs(request: Request): boolean {
  const site = request.get('sec-fetch-site');
  if (site !== undefined) return site === 'same-origin';
  const origin = request.get('origin');
  return origin === undefined || isOurOrigin(origin, request.host);
}

/** By host and port: behind a proxy that ends TLS we may not know the scheme. */
function isOurOrigin(origin: string, ourHost: string): boolean {
  if (!URL.canParse(origin)) return false;
  const { protocol, host } = new URL(origin);
  const ours = `${protocol}//${ourHost}`;
  return URL.canParse(ours) && new URL(ours).host === host;
}
