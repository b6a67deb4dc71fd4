import { domainToASCII } from 'node:url';
import { getDomain } from 'tldts';
import { OriginRefusedError } from './tenant.errors';

const LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;
const DEFAULT_PORT: Record<string, string> = { https: '443', http: '80' };

/**
 * The canonical form of an origin that may embed the widget, as a browser sends it (CONTRACT section 4). Nothing is
 * left to the URL parser, which strips and decodes what it does not like: `exam\tple.com`, `ex%61mple.com` (seen).
 * @param dev also http://localhost, for a tenant on trial
 * @throws OriginRefusedError why, and what to write instead
 */
export function canonicalOrigin(text: string, { dev = false }: { dev?: boolean } = {}): string {
  const refuse = (reason: string): never => {
    throw new OriginRefusedError(text, reason);
  };
  refuseForeignCharacters(text, refuse);
  const { scheme, authority } = splitOrigin(text, refuse);
  const { host, port } = splitAuthority(authority, refuse);
  const ascii = toAscii(host, refuse);

  if (ascii === 'localhost') {
    if (!dev || scheme !== 'http' || !port || port === DEFAULT_PORT.http)
      refuse('localhost is for development: http://localhost:PORT with --dev, for a tenant on trial');
  } else {
    if (scheme !== 'https') refuse(`pages must come over https: write https://${ascii}`);
    refuseAddress(ascii, refuse);
    refuseBadLabels(ascii, refuse);
    if (!getDomain(ascii, { allowPrivateDomains: true })) {
      refuse(
        `${ascii} is a suffix that many sites share: write one site below it, such as https://shop.${ascii}`,
      );
    }
  }
  return `${scheme}://${ascii}${port && port !== DEFAULT_PORT[scheme] ? `:${port}` : ''}`;
}

/** An origin that only development may have, and only while the tenant is on trial. */
export function isDevelopmentOrigin(origin: string): boolean {
  return origin.startsWith('http:');
}

type Refuse = (reason: string) => never;

function refuseForeignCharacters(text: string, refuse: Refuse): void {
  if (text === '') refuse('it is empty');
  if (text.includes('*')) refuse('a wildcard would let any site in: list each site, www apart');
  if (text.toLowerCase() === 'null') refuse('every sandboxed page has the origin null');
  if (/[\s\p{C}]/u.test(text)) refuse('it has blanks or invisible characters in it');
  if (text.includes('\\')) refuse('it has a backslash in it');
  if (text.includes('%')) refuse('it has an escape (%) in it: write the name itself');
}

function splitOrigin(text: string, refuse: Refuse): { scheme: string; authority: string } {
  const [, scheme = 'https', rest = ''] = /^(?:([a-z][a-z0-9+.-]*):\/\/)?(.*)$/i.exec(text) ?? [];
  if (!/^https?$/i.test(scheme)) refuse('it must begin with https://');
  if (rest.includes('@')) refuse('it has a user name in it');
  if (/[?#]/.test(rest)) refuse('it has a query or fragment: an origin is scheme, domain and port alone');
  const authority = rest.replace(/\/$/, '');
  if (authority.includes('/')) refuse('it has a path: an origin is scheme, domain and port alone');
  return { scheme: scheme.toLowerCase(), authority };
}

function splitAuthority(authority: string, refuse: Refuse): { host: string; port: string | undefined } {
  if (authority.startsWith('[')) refuse('it is an IP address: write a domain');
  const [host = '', port, ...more] = authority.split(':');
  if (host === '') refuse('the domain is missing');
  if (more.length > 0) refuse('it is not a domain with a port');
  if (port !== undefined && !(/^[1-9]\d{0,4}$/.test(port) && Number(port) <= 65_535)) {
    refuse('the port must be a number from 1 to 65535');
  }
  return { host, port };
}

/** Case folded, and international names as punycode: the form in which a browser sends them. */
function toAscii(host: string, refuse: Refuse): string {
  // domainToASCII is lenient too: it reads 0x7f.1 as 127.0.0.1, which the caller refuses as an address.
  const ascii = domainToASCII(host);
  if (ascii === '') refuse('it is not a domain');
  if (ascii.endsWith('.'))
    refuse(`a trailing dot makes it another origin: write https://${ascii.slice(0, -1)}`);
  return ascii;
}

/** As the URL standard has it: a host whose last label is a number is an IPv4 address, in whatever spelling. */
function refuseAddress(ascii: string, refuse: Refuse): void {
  const last = ascii.split('.').at(-1)!;
  if (/^(\d+|0x[0-9a-f]*)$/.test(last) || ascii.includes(':')) refuse('it is an IP address: write a domain');
}

function refuseBadLabels(ascii: string, refuse: Refuse): void {
  const bad = ascii.split('.').find((label) => !LABEL.test(label));
  if (bad !== undefined || ascii.length > 253)
    refuse('a domain is labels of letters, digits and inner dashes');
}
