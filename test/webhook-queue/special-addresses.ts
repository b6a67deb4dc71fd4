/**
 * The blocks of IANA's special-purpose registries as of 2025-10-09: https://www.iana.org/assignments/iana-ipv4-special-registry and
 * …/iana-ipv6-special-registry. Leaves out a block inside another block of the same kind. Multicast and unassigned IPv6 space have
 * their own registries.
 */

/** Blocks whose "Globally Reachable" is false. Also blocks without this value, which are deprecated or tunnels. */
export const NOT_REACHABLE: [block: string, name: string][] = [
  ['0.0.0.0/8', 'This network'],
  ['10.0.0.0/8', 'Private-Use'],
  ['100.64.0.0/10', 'Shared Address Space'],
  ['127.0.0.0/8', 'Loopback'],
  ['169.254.0.0/16', 'Link Local'],
  ['172.16.0.0/12', 'Private-Use'],
  ['192.0.0.0/29', 'IPv4 Service Continuity Prefix'],
  ['192.0.0.8/32', 'IPv4 dummy address'],
  ['192.0.0.170/31', 'NAT64/DNS64 Discovery'],
  ['192.0.2.0/24', 'Documentation (TEST-NET-1)'],
  ['192.88.99.0/24', 'Deprecated (6to4 Relay Anycast)'],
  ['192.168.0.0/16', 'Private-Use'],
  ['198.18.0.0/15', 'Benchmarking'],
  ['198.51.100.0/24', 'Documentation (TEST-NET-2)'],
  ['203.0.113.0/24', 'Documentation (TEST-NET-3)'],
  ['224.0.0.0/4', 'Multicast'],
  ['240.0.0.0/4', 'Reserved'],
  ['255.255.255.255/32', 'Limited Broadcast'],
  ['::/8', 'Reserved by IETF'],
  ['64:ff9b:1::/48', 'IPv4-IPv6 Translation'],
  ['100::/64', 'Discard-Only Address Block'],
  ['100:0:0:1::/64', 'Dummy IPv6 Prefix'],
  ['2001::/32', 'TEREDO'],
  ['2001:2::/48', 'Benchmarking'],
  ['2001:10::/28', 'Deprecated (ORCHID)'],
  ['2001:db8::/32', 'Documentation'],
  ['2002::/16', '6to4'],
  ['3fff::/20', 'Documentation'],
  ['5f00::/16', 'Segment Routing (SRv6) SIDs'],
  ['fc00::/7', 'Unique-Local'],
  ['fe80::/10', 'Link-Local Unicast'],
  ['fec0::/10', 'Deprecated (Site-Local)'],
  ['ff00::/8', 'Multicast'],
  ...[
    '200::/7',
    '400::/6',
    '800::/5',
    '1000::/4',
    '4000::/2',
    '8000::/2',
    'c000::/3',
    'e000::/4',
    'f000::/5',
  ].map((block): [string, string] => [block, 'Not assigned']),
];

/** Globally reachable blocks that no web server uses. The product may refuse them. */
export const SPECIAL_BUT_REACHABLE: string[] = [
  '192.0.0.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.175.48.0/24',
  '168.63.129.16/32',
  '64:ff9b::/96',
  '2001::/23',
  '2620:4f:8000::/48',
];

/** Converts an address to a number and back, without the library under test. */
export function toNumber(address: string): bigint {
  if (!address.includes(':')) return address.split('.').reduce((sum, byte) => sum * 256n + BigInt(byte), 0n);
  const [left, right] = address.split('::').map((half) => half.split(':').filter(Boolean));
  const groups = right
    ? [...left!, ...Array<string>(8 - left!.length - right.length).fill('0'), ...right]
    : left!;
  return groups.reduce((sum, group) => sum * 65_536n + BigInt(`0x${group}`), 0n);
}

export function toIpv4(number: bigint): string {
  return [24n, 16n, 8n, 0n].map((shift) => (number >> shift) & 255n).join('.');
}

export function toIpv6(number: bigint): string {
  const groups = Array.from({ length: 8 }, (_, i) => (number >> BigInt(112 - 16 * i)) & 65_535n);
  return groups.map((group) => group.toString(16)).join(':');
}
