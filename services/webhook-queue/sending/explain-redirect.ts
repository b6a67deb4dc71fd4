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
 * Explains a redirect to the operator: what differs between the address of the endpoint and the address to which the receiver redirects,
 * and the command that sets the new address. Redirects are never followed.
 *
 * Shows no user info, no query and no fragment of the Location, because they may contain secrets. Shows a segment of its path only if the
 * endpoint has the same one, or if it is short and plain. So the text is also safe in a shell.
 * @param location the header, which may be relative or missing
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
  const where = describeTarget(endpoint.url, target);
  const cure = adviseCure(endpoint, target, allowPrivateTargets);
  return `The receiver answered ${statusCode} and redirects to ${where}. Redirects are not followed. ${cure}`;
}

/** Returns what differs, such as "the same host, with a slash at the end". */
function describeTarget(own: URL, target: URL): string {
  if (isSameAddress(own, target)) return 'the same address';
  const isSameHost = own.hostname === target.hostname;
  const parts = [
    isSameHost ? 'the same host' : describeHost(target),
    isSameHost && describePort(own, target),
    describeScheme(own, target),
    describePath(own, target, isSameHost),
    describeQuery(own, target),
  ];
  return parts.filter((part) => typeof part === 'string').join(', ');
}

function isSameAddress(own: URL, target: URL): boolean {
  return own.origin === target.origin && own.pathname === target.pathname && own.search === target.search;
}

function describeHost({ hostname, host }: URL): string {
  return HOST.test(hostname) ? `another host (${host})` : 'another host';
}

/** A host that is safe in a shell: URL accepts others too, such as $(id).example. */
const HOST = /^[a-z0-9.-]{1,253}$/;

/** Describes another port. A scheme's default port belongs to the scheme. */
function describePort(own: URL, target: URL): string | undefined {
  if (own.port === target.port) return undefined;
  return target.port === '' ? 'without the port' : `on port ${target.port}`;
}

function describeScheme(own: URL, target: URL): string | undefined {
  if (own.protocol === target.protocol) return undefined;
  return target.protocol === 'https:' ? 'with https' : 'without https';
}

function describePath(own: URL, target: URL, isSameHost: boolean): string | undefined {
  if (own.pathname === target.pathname) return isSameHost ? undefined : 'with the same path';
  if (target.pathname === `${own.pathname}/`) return 'with a slash at the end';
  if (own.pathname === `${target.pathname}/`) return 'without the slash at the end';
  return `with another path (${shownPath(own, target)})`;
}

function describeQuery(own: URL, target: URL): string | undefined {
  if (own.search === target.search) return own.search === '' ? undefined : 'with the same query';
  return target.search === '' ? 'without the query' : 'with another query';
}

/** A segment of a path that is safe in a shell, and that is too short and plain for a secret. */
const PLAIN_SEGMENT = /^[\w.~-]{0,24}$/;
/** A segment of the endpoint's own path that is safe in a shell. The operator knows it. */
const SAFE_SEGMENT = /^[\w.~-]*$/;
const HIDDEN = '…';

function shownPath(own: URL, target: URL): string {
  const known = new Set(own.pathname.split('/').filter((segment) => SAFE_SEGMENT.test(segment)));
  const shown = target.pathname
    .split('/')
    .map((segment) => (known.has(segment) || PLAIN_SEGMENT.test(segment) ? segment : HIDDEN));
  return shown.join('/');
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
  return `${hasMoved}: tourctl webhook set ${id} --url ${shownAddress(url, target)}`;
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

/** Returns the address as an argument of a shell command; a placeholder if a part of it is not shown. */
function shownAddress(own: URL, target: URL): string {
  const path = shownPath(own, target);
  const isShown = HOST.test(target.hostname) && !path.includes(HIDDEN) && target.search === '';
  return isShown ? `${target.origin}${path}` : '<URL>';
}
