/** What a browser says about where a request comes from. A program can say anything: the rules bind browsers. */
export interface Place {
  origin?: string;
  referer?: string;
  /** Sec-Fetch-Site: only over https, and not from every browser. */
  fetchSite?: string;
  /** Sec-Fetch-Dest, likewise. */
  fetchDest?: string;
}

const FRAMES = ['iframe', 'frame', 'document'];

/** May this page read the list? Without an Origin it is no page of another site, unless the browser says that it is one. */
export function mayReadList(listed: string[], { origin, fetchSite }: Place): boolean {
  if (origin !== undefined) return listed.includes(origin);
  return fetchSite !== 'cross-site' && fetchSite !== 'same-site';
}

/** A pass is good for calls of the embed page itself, which is a page of ours. */
export function isOwnPage(own: string, { origin, fetchSite }: Place): boolean {
  return (origin ?? own) === own && (fetchSite ?? 'same-origin') === 'same-origin';
}

/** May the embed page be shown here? A second line only: frame-ancestors is what a browser cannot be talked out of. */
export function mayFrame(listed: string[], own: string, { referer, fetchDest }: Place): boolean {
  if (fetchDest !== undefined && !FRAMES.includes(fetchDest)) return false;
  if (!referer) return true;
  const origin = URL.canParse(referer) ? new URL(referer).origin : 'null';
  return origin === own || listed.includes(origin);
}
