import ipaddr from 'ipaddr.js';
import { ConfigError } from './config-error';
import type { Environment } from './read-variable';

/** What express may believe of X-Forwarded-*: nothing, a number of hops, or the proxies' addresses. */
export type TrustProxy = false | number | string[];

/** `true` would believe whatever the client writes, so it is refused (CONTRACT section 7). */
export function readTrustProxy(env: Environment): TrustProxy {
  const value = env.TRUST_PROXY?.trim();
  if (!value || ['0', 'false', 'off', 'no'].includes(value.toLowerCase())) return false;
  if (/^[1-9]\d?$/.test(value)) return Number(value);
  const networks = value.split(',').map((item) => item.trim());
  if (!networks.every(isNetwork))
    throw new ConfigError('TRUST_PROXY', 'off, a number of hops, or a list of CIDR networks');
  return networks;
}

/** `1.5` and `10` are IPv4 addresses to inet_aton, and here the typing error of a hop count. */
function isNetwork(text: string): boolean {
  const [address = ''] = text.split('/');
  const wellWritten = ipaddr.IPv4.isValidFourPartDecimal(address) || ipaddr.IPv6.isValid(address);
  // A network of everybody would be `true` in other words.
  return wellWritten && !text.endsWith('/0') && (ipaddr.isValid(text) || ipaddr.isValidCIDR(text));
}
