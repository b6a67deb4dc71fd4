import { Refusal } from './problems.ts';

/** The parts of a request that tell from which page it comes. */
export interface OriginOfRequest {
  method: string;
  host: string;
  header(name: string): string | undefined;
}

/** Returns the origins that a site names besides its own host. @throws TypeError for a text, and for an entry that is no origin */
export function readOrigins(origins: readonly string[] = []): ReadonlySet<string> {
  if (typeof origins === 'string') throw new TypeError('tourProxy: origins must be a list.');
  return new Set(
    origins.map((text) => {
      if (URL.canParse(text) && /^https?:\/\/[^/?#]+\/?$/.test(text)) return new URL(text).origin;
      throw new TypeError('tourProxy: each of origins must be an origin such as https://www.example.com.');
    }),
  );
}

/**
 * Refuses a request of a page of another origin. `Sec-Fetch-Site` decides where the browser sends it, else `Origin`. A request without both
 * comes from a program or an old browser: it may read, because it gets no cookie of another site's visitor by it, but not write.
 * @throws Refusal origin_not_allowed (403)
 */
export function assertSameOrigin(request: OriginOfRequest, origins: ReadonlySet<string>): void {
  if (isSameOrigin(request, origins)) return;
  // A browser that says nothing of the page tells no other site from the own one under another Host.
  const { header } = request;
  if (header('sec-fetch-site') === undefined && header('origin') !== undefined) throw foreignHost();
  throw new Refusal('origin_not_allowed', ONLY_OWN_PAGES);
}

const ONLY_OWN_PAGES = 'Only pages of this site may send this request.';
const KEEP_HOST =
  'A reverse proxy must keep Host (nginx: proxy_set_header Host $http_host), or the site sets secure and origins.';

/**
 * Returns the refusal of a request under a Host that may not be the one of its page.
 * @returns origin_not_allowed (403), of which the operator of the site learns
 */
export function foreignHost(): Refusal {
  return new Refusal('origin_not_allowed', `${ONLY_OWN_PAGES} ${KEEP_HOST}`, { isOfSetup: true });
}

/**
 * Returns the refusal of a visitor whose browser drops the cookie, so that the seats of a hold would be lost.
 * @returns origin_not_allowed (403), of which the operator of the site learns
 */
export function pageWithoutTls(): Refusal {
  return new Refusal('origin_not_allowed', NEEDS_TLS, { isOfSetup: true });
}

const NEEDS_TLS =
  'The page has http, so its browser drops the Secure cookie of the visitor. Serve the site by https, or test it on localhost; secure: false is for a network without strangers.';

function isSameOrigin({ method, host, header }: OriginOfRequest, origins: ReadonlySet<string>): boolean {
  const reads = method === 'GET' || method === 'HEAD';
  const site = header('sec-fetch-site');
  if (site !== undefined) return site === 'same-origin' || (site === 'none' && reads);
  const origin = header('origin');
  if (origin === undefined) return reads;
  return origins.has(origin) || isOfHost(origin, host);
}

/** Returns whether the origin has the host and port of the value of Host. The scheme is not known behind a proxy that ends TLS. */
function isOfHost(origin: string, host: string): boolean {
  const [scheme] = origin.split('://', 1);
  if ((scheme !== 'http' && scheme !== 'https') || !URL.canParse(origin)) return false;
  const own = `${scheme}://${host}`;
  return URL.canParse(own) && new URL(own).host === new URL(origin).host;
}
