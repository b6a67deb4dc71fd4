import type { Request } from 'express';
import ipaddr from 'ipaddr.js';
import { LRUCache } from 'lru-cache';
import type { Logger } from '../logger';

/**
 * Returns the address of the client: the address of the peer, or the one that trusted proxies name in X-Forwarded-For. Reads the header
 * like Express's `request.ip`, but also the forms that some gateways write: `203.0.113.7:51234` and `[2001:db8::1]:443`. Returns the address
 * of the peer if an entry that counts is no address, because otherwise all such clients would share one limit without a name.
 * @rule which address a client has behind proxies: test/platform/client-address.test.ts
 */
export function addressOf({ app, headers, socket }: Request): string | undefined {
  const peer = socket.remoteAddress;
  const forwarded = headers['x-forwarded-for'];
  if (!forwarded) return peer;
  let address = peer;
  const entries = String(forwarded).split(',').reverse();
  for (const [hop, entry] of entries.entries()) {
    if (!isTrustedProxy(app, address, hop)) return address;
    address = readEntry(entry);
    if (address === undefined) {
      (app.locals.logUnreadableAddress as () => void)();
      return peer;
    }
  }
  return address;
}

/** Creates the function that logs only its first call: an entry of X-Forwarded-For is no address. */
export function unreadableAddressLogger(log: Logger): () => void {
  let isLogged = false;
  return () => {
    if (!isLogged)
      log.warn(
        'a trusted proxy sends X-Forwarded-For without an address: its clients share the limits of the proxy',
      );
    isLogged = true;
  };
}

const IN_BRACKETS = /^\[([^\]]+)\](?::\d{1,5})?$/;
const V4_WITH_PORT = /^([\d.]+):\d{1,5}$/;

/** Reads an address without its port, brackets and quotes. Undefined: the entry is no address. */
function readEntry(entry: string): string | undefined {
  const text = entry.trim().replace(/^"(.*)"$/, '$1');
  const address = (IN_BRACKETS.exec(text) ?? V4_WITH_PORT.exec(text))?.[1] ?? text;
  const isAddress = ipaddr.IPv4.isValidFourPartDecimal(address) || ipaddr.IPv6.isValid(address);
  return isAddress ? address : undefined;
}

/**
 * Returns whether TRUST_PROXY names the address as a proxy.
 * @param hop the number of proxies between the address and the server; 0: the address is the peer
 */
export function isTrustedProxy(
  app: { get(setting: string): unknown },
  address: string | undefined,
  hop = 0,
): boolean {
  const trust = app.get('trust proxy fn') as (address: string | undefined, hop: number) => boolean;
  return trust(address, hop);
}

/** Returns the network that rate limits count as one client: an IPv4 address, or the /64 of an IPv6 address. */
export function networkOf(address: string | undefined): string {
  return networksOf(address)?.client ?? 'unknown';
}

/** Shortens the client's address for log lines, so that it identifies no person: IPv4 to /24, IPv6 to /48. */
export function shortenedAddress(address: string | undefined): string | undefined {
  return networksOf(address)?.shortened;
}

interface Networks {
  client: string;
  shortened: string;
}

/** Caches the networks of recent clients, because parsing an address takes 5 µs. Null: the text is not an address. */
const networksByAddress = new LRUCache<string, { networks: Networks | null }>({ max: 10_000 });

function networksOf(address: string | undefined): Networks | null {
  if (!address) return null;
  let known = networksByAddress.get(address);
  if (known === undefined) {
    known = { networks: parseNetworks(address) };
    networksByAddress.set(address, known);
  }
  return known.networks;
}

function parseNetworks(address: string): Networks | null {
  if (!ipaddr.isValid(address)) return null;
  const ip = ipaddr.process(address);
  const isV4 = ip.kind() === 'ipv4';
  const bits = isV4 ? 24 : 48;
  return {
    client: isV4 ? ip.toString() : prefixOf(ip, 64),
    shortened: `${prefixOf(ip, bits)}/${bits}`,
  };
}

function prefixOf(ip: ipaddr.IPv4 | ipaddr.IPv6, bits: number): string {
  const kept = ip.toByteArray().map((byte, index) => (index < bits / 8 ? byte : 0));
  return ipaddr.fromByteArray(kept).toString();
}
