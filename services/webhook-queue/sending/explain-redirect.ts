import { parseEndpointUrl } from './allowed-target';

/** The endpoint that answered with a redirect. */
export interface RedirectedEndpoint {
  id: string;
  url: URL;
  /** True: a subscription of OCTO, whose address its reseller changes by the API. */
  isSubscription: boolean;
}

const LOCATION_MAX = 2048;

/**
 * Explains a redirect to the operator: where the receiver redirects to, and the command that sets this address. Redirects are never followed.
 *
 * Shows no user info, no query and no fragment of the Location, because they may contain secrets. Shows a segment of its path only if the
 * endpoint has the same one, or if it is short and plain. So the text is also safe in a shell.
 * @param location the header, which may be relative or missing
 * @rule what the reason of a redirect shows: test/webhook-queue/redirects.test.ts
 */
export function explainRedirect(
  statusCode: number,
  location: string | undefined,
  endpoint: RedirectedEndpoint,
  allowPrivateTargets: boolean,
): string {
  const isReadable = location !== undefined && location.length <= LOCATION_MAX;
  const base = endpoint.url.href;
  if (!isReadable || !URL.canParse(location, base))
    return `The receiver answered ${statusCode}. Redirects are not followed.`;
  const target = new URL(location, base);
  const where = isSameAddress(endpoint.url, target) ? 'the same address' : shownAddress(endpoint.url, target);
  const cure = adviseCure(endpoint, target, allowPrivateTargets);
  return `The receiver answered ${statusCode} and redirects to ${where}. Redirects are not followed. ${cure}`;
}

function isSameAddress(own: URL, target: URL): boolean {
  return own.origin === target.origin && own.pathname === target.pathname && own.search === target.search;
}

const HIDDEN = '…';
/** A host that is safe in a shell: URL accepts others too, such as $(id).example. */
const HOST = /^[a-z0-9.-]{1,253}$/;
/** A segment of a path that is safe in a shell, and that is too short and plain for a secret. */
const PLAIN_SEGMENT = /^[\w.~-]{0,24}$/;
/** A segment of the endpoint's own path that is safe in a shell. The operator knows it. */
const SAFE_SEGMENT = /^[\w.~-]*$/;

/** Returns the address with HIDDEN in place of what is not shown. */
function shownAddress(own: URL, { protocol, hostname, host, pathname, search }: URL): string {
  const known = new Set(own.pathname.split('/').filter((segment) => SAFE_SEGMENT.test(segment)));
  const segments = pathname
    .split('/')
    .map((segment) => (known.has(segment) || PLAIN_SEGMENT.test(segment) ? segment : HIDDEN));
  const query = search === '' ? '' : `?${HIDDEN}`;
  return `${protocol}//${HOST.test(hostname) ? host : HIDDEN}${segments.join('/')}${query}`;
}

function adviseCure(
  { id, url, isSubscription }: RedirectedEndpoint,
  target: URL,
  allowPrivateTargets: boolean,
): string {
  if (isSameAddress(url, target)) return 'The server or the proxy of the receiver must answer itself.';
  if (!isAllowed(target, allowPrivateTargets)) return 'An endpoint cannot have this address.';
  if (isSubscription) return 'The reseller of the subscription must change its address.';
  const hasMoved =
    url.hostname === target.hostname ? 'Set the new address' : 'If the receiver has moved there';
  const shown = shownAddress(url, target);
  return `${hasMoved}: tourctl webhook set ${id} --url ${shown.includes(HIDDEN) ? '<URL>' : shown}`;
}

function isAllowed(target: URL, allowPrivateTargets: boolean): boolean {
  const { origin, pathname } = target;
  try {
    parseEndpointUrl(`${origin}${pathname}`, allowPrivateTargets);
    return true;
  } catch {
    return false;
  }
}
