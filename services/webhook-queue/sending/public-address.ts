import ipaddr from 'ipaddr.js';

// The one metadata address that hides among public ones (Azure's wire server).
const METADATA = new Set(['168.63.129.16']);

const INSIDE = ['.localhost', '.local', '.internal', '.home.arpa'];

/** A host name that no public name server knows; without a final dot. */
export function namesInside(host: string): boolean {
  return !host.includes('.') || INSIDE.some((name) => host.endsWith(name));
}

const RANGE_NAMES: Record<string, string> = {
  loopback: 'a loopback address',
  private: 'a private address',
  uniqueLocal: 'a private address',
  linkLocal: 'a link-local address (cloud metadata lives there)',
  carrierGradeNat: 'an address behind carrier-grade NAT',
  unspecified: 'the unspecified address',
  multicast: 'a multicast address',
  broadcast: 'the broadcast address',
  rfc6052: 'a NAT64 address',
  '6to4': 'a 6to4 address',
  teredo: 'a Teredo address',
};

/**
 * Why a webhook must not go to this IP address, as the end of the sentence "… is …"; undefined for public unicast. An
 * IPv4 address inside an IPv6 one is judged as what it is, or refused with its tunnel.
 */
export function whyNotPublic(address: string): string | undefined {
  const parsed = ipaddr.process(address.replace(/%.*$/, ''));
  const range = parsed.range();
  if (range !== 'unicast') return RANGE_NAMES[range] ?? 'a reserved address';
  if (METADATA.has(parsed.toString())) return 'a cloud metadata address';
  // All that is public in IPv6 lies in 2000::/3. The library calls ::7f00:1 and other unassigned space unicast too.
  if (parsed instanceof ipaddr.IPv6 && (parsed.parts[0] ?? 0) >> 13 !== 1) return 'not a public address';
  return undefined;
}
