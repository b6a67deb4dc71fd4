import { domainToASCII } from 'node:url';
import { getDomain } from 'tldts';
import { OriginRefusedError, TooManyOriginsError } from './tenant.errors';
import type { Trx } from '../../platform/database/database';
import { INTERNAL_NAMES } from '../../platform/forms/text-forms';
import type { Tenant } from './tenant';

import { writeTenant } from './tenant.repository';

const LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;
const EXAMPLE = 'https://shop.example';
const ADDRESS = `it is an IP address: write the domain of the site, such as ${EXAMPLE}`;
const DEVELOPMENT = 'http://localhost:3000 (with its port) and --dev, for a tenant on trial';
/**
 * Top-level names without public sites (RFC 2606, 7686, 9476). Names below .example are allowed: documentation uses them, and no site can
 * have one.
 */
const RESERVED = [...INTERNAL_NAMES, 'test', 'invalid', 'onion', 'alt'];
const DEFAULT_PORT: Record<string, string> = { https: '443', http: '80' };

/**
 * Returns the canonical form of an origin that may embed the widget, as a browser sends it: scheme, ASCII host, and the port if it is not
 * the default one. Checks the text itself, because the URL parser removes and decodes characters: it reads `exam\tple.com` and
 * `ex%61mple.com` as `example.com` (observed).
 * @param dev allows http://localhost, for a tenant on trial
 * @throws OriginRefusedError with the reason and a valid form
 */
export function canonicalOrigin(text: string, { dev = false }: { dev?: boolean } = {}): string {
  const refuse = (reason: string): never => {
    throw new OriginRefusedError(text, reason);
  };
  refuseForeignCharacters(text, refuse);
  const { scheme, authority } = splitOrigin(text, refuse);
  const { host, port } = splitAuthority(authority, refuse);
  const ascii = toAscii(host, refuse);
  const secure = `https://${ascii}`;

  if (ascii === 'localhost') {
    if (scheme !== 'http' || !port || port === DEFAULT_PORT.http)
      refuse(`localhost is for development: write ${DEVELOPMENT}`);
    if (!dev) refuse('localhost is for development: add --dev, which a tenant on trial may use');
  } else {
    refuseAddress(ascii, refuse);
    refuseBadLabels(ascii, refuse);
    refuseReservedName(ascii, refuse);
    refuseSharedSuffix(ascii, refuse);
    if (scheme !== 'https') refuse(`use https: write ${secure}`);
  }
  return `${scheme}://${ascii}${port && port !== DEFAULT_PORT[scheme] ? `:${port}` : ''}`;
}

/** Returns whether the origin is one for development, which is valid only while the tenant is on trial. */
export function isDevelopmentOrigin(origin: string): boolean {
  return origin.startsWith('http:');
}

/**
 * Returns the origins whose pages may use a widget token: the token's own list, otherwise the tenant's. Leaves out development origins if
 * the tenant is not on trial.
 */
export function effectiveOrigins(
  own: string[] | null,
  { status, origins }: Pick<Tenant, 'status' | 'origins'>,
): string[] {
  const listed = own ?? origins;
  return status === 'trial' ? listed : listed.filter((origin) => !isDevelopmentOrigin(origin));
}

type Refuse = (reason: string) => never;

function refuseForeignCharacters(text: string, refuse: Refuse): void {
  if (text === '') refuse(`it is empty: write the address of the site, such as ${EXAMPLE}`);
  if (text.includes('*')) refuse(`a wildcard would let any site in: write each site, ${apart(text)}`);
  if (text.toLowerCase() === 'null')
    refuse(`every sandboxed page has the origin null: write the address of the site, such as ${EXAMPLE}`);
  if (/[\s\p{C}]/u.test(text))
    refuse(`it has blanks or invisible characters in it: write ${withoutThem(text, /[\s\p{C}]/gu)}`);
  if (text.includes('\\'))
    refuse(`it has a backslash in it: write scheme and domain alone, such as ${EXAMPLE}`);
  if (text.includes('%'))
    refuse(`it has an escape (%) in it: write the name itself, such as https://münchen.example`);
}

/** Suggests the sites that `https://*.shop.vn` probably means. */
function apart(text: string): string {
  const domain = /^(?:https?:\/\/)?\*\.([^*/:]+)/i.exec(text)?.[1] ?? '';
  const base = isSite(domain) ? domain.toLowerCase() : 'shop.example';
  return `such as https://${base} and https://www.${base}`;
}

function withoutThem(text: string, unwanted: RegExp): string {
  const rest = text.replace(unwanted, '').replace(/^https?:\/\//i, '');
  return isSite(rest) ? `https://${rest.toLowerCase()}` : `scheme and domain alone, such as ${EXAMPLE}`;
}

function splitOrigin(text: string, refuse: Refuse): { scheme: string; authority: string } {
  const [, scheme = 'https', rest = ''] = /^(?:([a-z][a-z0-9+.-]*):\/\/)?(.*)$/i.exec(text) ?? [];
  if (!/^https?$/i.test(scheme)) refuse(`the scheme must be https: write ${siteOf(rest)}`);
  if (rest.includes('@'))
    refuse(`it has a user name in it: write ${siteOf(rest.slice(rest.lastIndexOf('@') + 1))}`);
  const bare = `an origin is scheme, domain and port alone: write ${siteOf(rest)}`;
  if (/[?#]/.test(rest)) refuse(`it has a query or fragment: ${bare}`);
  const authority = rest.replace(/\/$/, '');
  if (authority.includes('/')) refuse(`it has a path: ${bare}`);
  return { scheme: scheme.toLowerCase(), authority };
}

/** Extracts the site from a longer address. Returns an example if there is none. */
function siteOf(rest: string): string {
  const [, host = '', port = ''] = /^([^/?#:]*)(:\d+)?/.exec(rest) ?? [];
  if (!isSite(host)) return `a site such as ${EXAMPLE}`;
  return `https://${domainToASCII(host)}${port === ':443' || !isPort(port.slice(1)) ? '' : port}`;
}

function splitAuthority(authority: string, refuse: Refuse): { host: string; port: string | undefined } {
  if (authority.startsWith('[::1]')) refuse(`${ADDRESS}, or ${DEVELOPMENT}`);
  if (authority.startsWith('[')) refuse(ADDRESS);
  const [host = '', port, ...more] = authority.split(':');
  if (host === '') refuse(`the domain is missing: write a site such as ${EXAMPLE}`);
  if (more.length > 0) refuse(`it is not a domain with a port: write ${siteOf(host)}`);
  if (port !== undefined && !isPort(port)) {
    refuse(
      `the port must be a number from 1 to 65535: write ${siteOf(host)}, or that with a port such as :8443`,
    );
  }
  return { host, port };
}

function isPort(text: string): boolean {
  return /^[1-9]\d{0,4}$/.test(text) && Number(text) <= 65_535;
}

/** Converts the host to lower case and international names to punycode, like a browser. */
function toAscii(host: string, refuse: Refuse): string {
  // domainToASCII reads 0x7f.1 as 127.0.0.1. The caller refuses the result because it is an address.
  const ascii = domainToASCII(host);
  if (ascii === '') refuse(`it is not a domain: write a site such as ${EXAMPLE}`);
  if (ascii.endsWith('.'))
    refuse(`a trailing dot makes it another origin: write ${siteOf(ascii.replace(/\.+$/, ''))}`);
  return ascii;
}

/** Refuses IP addresses. The URL standard reads a host as an IPv4 address if its last label is a number. */
function refuseAddress(ascii: string, refuse: Refuse): void {
  if (isAddress(ascii)) refuse(ascii === '127.0.0.1' ? `${ADDRESS}, or ${DEVELOPMENT}` : ADDRESS);
}

function isAddress(ascii: string): boolean {
  return /^(\d+|0x[0-9a-f]*)$/.test(ascii.split('.').at(-1)!) || ascii.includes(':');
}

function refuseBadLabels(ascii: string, refuse: Refuse): void {
  if (hasBadLabels(ascii))
    refuse(`a domain is labels of letters, digits and inner dashes: write one such as ${EXAMPLE}`);
}

function hasBadLabels(ascii: string): boolean {
  return ascii.length > 253 || ascii.split('.').some((label) => !LABEL.test(label));
}

function refuseReservedName(ascii: string, refuse: Refuse): void {
  const name = reservedNameOf(ascii);
  if (name === 'localhost')
    refuse(`a name below localhost is the visitor's own machine: write ${DEVELOPMENT}`);
  if (name)
    refuse(`.${name} is reserved, and no public site has a name below it: write a domain such as ${EXAMPLE}`);
}

function reservedNameOf(ascii: string): string | undefined {
  return RESERVED.find((name) => `.${ascii}`.endsWith(`.${name}`));
}

function refuseSharedSuffix(ascii: string, refuse: Refuse): void {
  if (getDomain(ascii, { allowPrivateDomains: true })) return;
  const below = `shop.${ascii}`;
  refuse(
    isSite(below)
      ? `${ascii} is a suffix that many sites share: write one site below it, such as https://${below}`
      : `${ascii} is not a complete domain: write one such as ${EXAMPLE}`,
  );
}

/** Returns whether this host can be that of a valid origin. */
function isSite(host: string): boolean {
  const ascii = /[\s\p{C}*%\\]/u.test(host) ? '' : domainToASCII(host);
  return (
    ascii !== '' &&
    !isAddress(ascii) &&
    !hasBadLabels(ascii) &&
    !reservedNameOf(ascii) &&
    getDomain(ascii, { allowPrivateDomains: true }) !== null
  );
}

const ORIGINS_MAX = 20;

/**
 * Replaces the tenant's list of origins. Widget tokens without origins of their own use the new list immediately.
 * @throws OriginRefusedError, TooManyOriginsError
 */
export async function setOrigins(trx: Trx, tenant: Tenant, origins: string[], dev = false): Promise<Tenant> {
  return writeTenant(trx, tenant.id, { origins: allowedOrigins(tenant, origins, dev) });
}

/** @throws OriginRefusedError, TooManyOriginsError */
export async function addOrigins(trx: Trx, tenant: Tenant, origins: string[], dev = false): Promise<Tenant> {
  const added = allowedOrigins(tenant, origins, dev);
  return writeTenant(trx, tenant.id, { origins: sortedSet([...tenant.origins, ...added]) });
}

/**
 * Returns the form in which the list may contain the origin: the given text if the list contains this text, otherwise the canonical form.
 */
export function listedOrigin(listed: readonly string[], origin: string): string {
  return listed.includes(origin) ? origin : canonicalOrigin(origin, { dev: true });
}

/** Removes these origins. Ignores origins that are not in the list. */
export async function removeOrigins(trx: Trx, tenant: Tenant, origins: string[]): Promise<Tenant> {
  const removed = new Set(origins.map((origin) => listedOrigin(tenant.origins, origin)));
  return writeTenant(trx, tenant.id, { origins: tenant.origins.filter((origin) => !removed.has(origin)) });
}

/**
 * Returns the origins in canonical form, sorted and unique. Allows at most twenty, and development origins only for a tenant on trial.
 * @throws OriginRefusedError, TooManyOriginsError
 * @rule which websites may show the widget: test/unit/canonical-origin.test.ts
 */
export function allowedOrigins(tenant: Pick<Tenant, 'status'>, origins: string[], dev: boolean): string[] {
  const canonical = origins.map((origin) => canonicalOrigin(origin, { dev }));
  const development = canonical.find(isDevelopmentOrigin);
  if (development && tenant.status !== 'trial') {
    throw new OriginRefusedError(
      development,
      `only a tenant on trial may have it, and this one is ${tenant.status}`,
    );
  }
  return sortedSet(canonical);
}

function sortedSet(origins: string[]): string[] {
  const set = [...new Set(origins)].sort();
  if (set.length > ORIGINS_MAX) throw new TooManyOriginsError(ORIGINS_MAX);
  return set;
}
