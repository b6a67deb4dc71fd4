/**
 * Decides which pages may use a widget token. tenants/origins.ts says which origins the token lists (effectiveOrigins); cors.router.ts
 * and embed.router.ts refuse the other pages.
 */

/** The headers of a browser that name the origin of a request. Other programs can send any value. */
export interface RequestOrigin {
  origin?: string;
  referer?: string;
  /** Sec-Fetch-Site: only over https, and only from some browsers. */
  fetchSite?: string;
  /** Sec-Fetch-Dest, likewise. */
  fetchDest?: string;
}

/** Checks whether this page may read the list. A missing Origin means the same site, unless Sec-Fetch-Site names another. */
export function mayReadList(listed: string[], { origin, fetchSite }: RequestOrigin): boolean {
  if (origin !== undefined) return listed.includes(origin);
  return fetchSite !== 'cross-site' && fetchSite !== 'same-site';
}

/** Checks for a call of the embed page itself. A pass is valid for those only. */
export function isOwnPage(own: string, { origin, fetchSite }: RequestOrigin): boolean {
  return (origin ?? own) === own && (fetchSite ?? 'same-origin') === 'same-origin';
}

const FRAMES = ['iframe', 'frame', 'document'];

/** Checks whether the embed page may be shown here. This is a second check; browsers enforce frame-ancestors. */
export function mayFrame(listed: string[], own: string, { referer, fetchDest }: RequestOrigin): boolean {
  if (fetchDest !== undefined && !FRAMES.includes(fetchDest)) return false;
  if (!referer) return true;
  const origin = URL.canParse(referer) ? new URL(referer).origin : 'null';
  return origin === own || listed.includes(origin);
}
