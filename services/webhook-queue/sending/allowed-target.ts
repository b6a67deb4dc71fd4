import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { INTERNAL_NAMES } from '../../platform/forms/text-forms';
import { InvalidWebhookUrlError } from '../webhook.errors';
import { AttemptError } from './attempt';

// Decides to which URLs webhooks may be sent. The check runs when the URL of an endpoint is set, and again before each attempt.
// resolve-target.ts checks the IP addresses of the host when a connection is opened.

/** Ports up to this one belong to system services; only 443 and 80 of them are allowed. */
const SYSTEM_PORT_MAX = 1023;
const HTTPS = 443;
const HTTP = 80;

/**
 * Ports above 1023 on which no receiver is expected, and whose usual service might execute commands from a POST. They come from the "bad
 * ports" of the Fetch standard, and from the default ports of services that often run without a password inside a network. The usual ports
 * of web servers stay allowed (3000, 4000, 5000, 8000, 8080, 8443, 9000). All ports from 32768 on stay allowed too, because operating
 * systems assign them to any program.
 */
export const REFUSED_PORTS: Readonly<Record<string, readonly number[]>> = {
  'a database': [
    1433, 1434, 1521, 3050, 3306, 5432, 5984, 6432, 7474, 7687, 8086, 8123, 8529, 9042, 9160, 26257, 27017,
    27018, 27019, 28015, 29015,
  ],
  'a cache or a search engine': [6379, 7700, 8983, 9200, 9300, 11211, 16379, 26379],
  'a message broker or a coordination service': [
    1883, 2181, 4150, 4151, 4222, 4369, 5671, 5672, 6222, 6650, 8222, 8883, 9092, 9093, 9094, 11300, 15672,
    25672,
  ],
  'a remote shell, desktop or debugger': [
    2222, 2323, 3389, 5005, 5800, 5900, 5901, 5902, 5903, 5985, 5986, 6000, 6001, 6002, 6003, 9222, 9229,
    10000,
  ],
  'a proxy or the administration of one': [1080, 1936, 2019, 3128, 8118, 9050, 9051, 9901, 15000],
  'the API of a container, cluster or failover manager': [
    2375, 2376, 2377, 2379, 2380, 4646, 4647, 4648, 6443, 8008, 8200, 8201, 8300, 8301, 8302, 8500, 8501,
    8502, 8503, 8600, 10250, 10255, 10256, 10257, 10259, 16443,
  ],
  'a mail, chat or telephony service': [
    1025, 1719, 1720, 2525, 4190, 5060, 5061, 6566, 6660, 6661, 6662, 6663, 6664, 6665, 6666, 6667, 6668,
    6669, 6679, 6697,
  ],
  'a file, directory, printing or monitoring service': [
    1723, 2003, 2004, 2049, 3260, 3268, 3269, 3632, 3659, 3690, 4045, 4505, 4506, 8009, 8020, 8088, 9090,
    9100, 9418, 10050, 10051, 10080,
  ],
};

const REASONS = new Map(
  Object.entries(REFUSED_PORTS).flatMap(([service, ports]) => ports.map((port) => [port, service] as const)),
);

/**
 * Returns why a webhook must not be sent to the port of this URL, as the part of a sentence that begins with the port.
 * @param httpAllowed WEBHOOK_ALLOW_PRIVATE_TARGETS: allows port 80
 * @returns undefined when the port is allowed
 */
function refusedPortReason({ port, protocol }: URL, httpAllowed: boolean): string | undefined {
  const defaultPort = protocol === 'https:' ? HTTPS : HTTP;
  const number = port === '' ? defaultPort : Number(port);
  if (number === HTTPS || (number === HTTP && httpAllowed)) return undefined;
  if (number <= SYSTEM_PORT_MAX)
    return `port ${number} is not a port of webhooks: use ${HTTPS}, or a port above ${SYSTEM_PORT_MAX}`;
  const service = REASONS.get(number);
  return service && `port ${number} is the usual port of ${service}: use another one`;
}

// Azure's wire server: a metadata address in a public range.
const METADATA = new Set(['168.63.129.16']);

/** Returns true for host names that no public name server resolves. @param host without a final dot */
export function isInternalName(host: string): boolean {
  return !host.includes('.') || INTERNAL_NAMES.some((name) => host.endsWith(`.${name}`));
}

const RANGE_NAMES: Record<string, string> = {
  loopback: 'a loopback address',
  private: 'a private address',
  uniqueLocal: 'a private address',
  linkLocal: 'a link-local address (used for cloud metadata)',
  carrierGradeNat: 'an address behind carrier-grade NAT',
  unspecified: 'the unspecified address',
  multicast: 'a multicast address',
  broadcast: 'the broadcast address',
  rfc6052: 'a NAT64 address',
  '6to4': 'a 6to4 address',
  teredo: 'a Teredo address',
};

/**
 * Explains why a webhook must not be sent to this IP address, as the end of a sentence "… is …". Returns undefined for a public unicast
 * address. Checks an IPv4-mapped IPv6 address like the IPv4 address. Refuses addresses of IPv6 tunnels (such as 6to4).
 * @rule which addresses get webhooks: test/webhook-queue/private-targets.test.ts
 */
export function nonPublicReason(address: string): string | undefined {
  const parsed = ipaddr.process(address.replace(/%.*$/, ''));
  const range = parsed.range();
  if (range !== 'unicast') return RANGE_NAMES[range] ?? 'a reserved address';
  if (METADATA.has(parsed.toString())) return 'a cloud metadata address';
  // Accepts only 2000::/3, the public IPv6 unicast range. The library also reports ::7f00:1 and other unassigned ranges as unicast.
  if (parsed instanceof ipaddr.IPv6 && (parsed.parts[0] ?? 0) >> 13 !== 1) return 'not a public address';
  return undefined;
}

const LENGTH_MAX = 2048;

/**
 * Parses and checks the URL of an endpoint.
 * @param allowPrivateTargets WEBHOOK_ALLOW_PRIVATE_TARGETS
 * @returns the URL in its normalised form
 * @throws InvalidWebhookUrlError
 */
export function parseEndpointUrl(text: string, allowPrivateTargets: boolean): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url) throw new InvalidWebhookUrlError('it is not a URL such as https://example.com/webhooks');
  if (url.href.length > LENGTH_MAX)
    throw new InvalidWebhookUrlError(`it is longer than ${LENGTH_MAX} characters`);
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw new InvalidWebhookUrlError('it must begin with https://');
  if (url.username || url.password)
    throw new InvalidWebhookUrlError('it must not contain a user name or password');
  if (url.hash) throw new InvalidWebhookUrlError('it must not have a #fragment, which is never sent');
  if (!allowPrivateTargets) refusePrivate(url);
  const reason = refusedPortReason(url, allowPrivateTargets);
  if (reason) throw new InvalidWebhookUrlError(reason);
  return url.href;
}

const UNLESS_ALLOWED =
  ' (unless WEBHOOK_ALLOW_PRIVATE_TARGETS is on: export WEBHOOK_ALLOW_PRIVATE_TARGETS=on in this shell, and start the webhook queue with it too)';

function refusePrivate(url: URL): void {
  if (url.protocol === 'http:')
    throw new InvalidWebhookUrlError('it must begin with https://', UNLESS_ALLOWED);
  // The URL parser has already normalised every notation of an IP address (0x7f.1, 2130706433, circled digits).
  const host = url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  if (isIP(host)) throw new InvalidWebhookUrlError('it must name a host, not an IP address', UNLESS_ALLOWED);
  if (isInternalName(host)) throw new InvalidWebhookUrlError('its host is not a public name', UNLESS_ALLOWED);
}

/**
 * Repeats the checks of scheme and port before each attempt, because the settings and the port list may have changed since the URL was set.
 * @throws AttemptError `blocked`
 */
export function refuseTarget(url: URL, allowPrivateTargets: boolean): void {
  if (!allowPrivateTargets && url.protocol !== 'https:')
    throw new AttemptError(
      'blocked',
      'The address is not https: http requires WEBHOOK_ALLOW_PRIVATE_TARGETS.',
    );
  const reason = refusedPortReason(url, allowPrivateTargets);
  if (reason) throw new AttemptError('blocked', `The address is refused: ${reason}.`);
}
