import { assertPasswordEncoded, hidePassword, InvalidValueError } from '../read-variable';
import { readTls, type Tls, TLS_PARAMETERS } from './tls';

/** The content of a database URL. The parameters of the URL mean the same as in libpq. */
interface DatabaseServers {
  /** One URL for each host, in the order of the list, without the parameters of TLS. */
  urls: string[];
  /** Undefined: the URL does not name TLS. */
  tls: Tls | undefined;
  /**
   * The required role of the server. Undefined for a URL with one host and no target_session_attrs: a new connection then queries the role
   * of the server only if the server reports that it is a standby.
   */
  target: Target | undefined;
  requiresScram: boolean;
}

/** primary: a server that is not in recovery. read-write: a primary whose transactions may write by default. */
export type Target = 'primary' | 'read-write';

/** The parameter of a database URL that accepts only servers with SCRAM-SHA-256, as in libpq. */
export const REQUIRE_SCRAM = 'require_auth=scram-sha-256';

export const DATABASE_URL_FORM =
  'an address that begins with postgres:// or postgresql://, such as postgres://user:password@host1:5432,host2:5432/database; ' +
  'its target_session_attrs, if it has one, must be primary or read-write, because the services write';

const FORM = /^(postgres(?:ql)?:\/\/)([^/?#]*)(.*)$/is;
const TARGETS: readonly string[] = ['primary', 'read-write'] satisfies Target[];

/** The parameters that a URL may have. pg obeys all of them but the first two, which this file reads. */
const PARAMETERS = [
  'target_session_attrs',
  'require_auth',
  ...TLS_PARAMETERS,
  'sslnegotiation',
  'host',
  'port',
  'user',
  'password',
  'application_name',
  'client_encoding',
  'options',
];

/**
 * Reads a URL with one host, or with several hosts separated by commas. For several hosts without target_session_attrs, the target is the
 * primary.
 * @throws InvalidValueError
 */
export function readDatabaseUrl(text: string): DatabaseServers {
  const urls = splitHosts(text);
  const { searchParams } = new URL(urls[0]!);
  // Refuses other parameters, because pg ignores them: a misspelt one would turn a protection off unnoticed.
  const unknown = [...searchParams.keys()].find((name) => !PARAMETERS.includes(name));
  if (unknown !== undefined)
    throw new InvalidValueError(`must have no other parameters than ${PARAMETERS.join(', ')}`);
  const auth = searchParams.get('require_auth');
  if (auth !== null && auth !== 'scram-sha-256')
    throw new InvalidValueError(`must have ${REQUIRE_SCRAM} or no require_auth`);
  const target = searchParams.get('target_session_attrs') ?? (urls.length > 1 ? 'primary' : undefined);
  if (target !== undefined && !TARGETS.includes(target)) throw new InvalidValueError();
  // Refuses a list of hosts in the parameter `host`, because pg would look up the whole list as one name.
  if (searchParams.get('host')?.includes(',')) throw new InvalidValueError();
  return {
    urls: urls.map(withoutTls),
    tls: readTls(searchParams),
    target: target as Target | undefined,
    requiresScram: auth !== null,
  };
}

/** Removes the parameters of TLS, which pg would read in its own way. Leaves the rest of the URL as it is written. */
function withoutTls(url: string): string {
  const [base, query] = url.split('?', 2);
  if (query === undefined) return url;
  const kept = query.split('&').filter((pair) => !TLS_PARAMETERS.includes(pair.split('=', 1)[0]!));
  return kept.length > 0 ? `${base}?${kept.join('&')}` : base!;
}

/** Returns a URL for each host. @throws InvalidValueError */
function splitHosts(text: string): string[] {
  const [, scheme, authority, rest] = FORM.exec(text) ?? [];
  if (authority === undefined) throw new InvalidValueError();
  assertPasswordEncoded(text);
  // Takes the last @ as the end of the password, because the password itself may contain an @ and commas.
  const userEnd = authority.lastIndexOf('@') + 1;
  const hosts = authority.slice(userEnd).split(',');
  const isNamed = hosts.length === 1 || hosts.every((host) => /^[^:]/.test(host));
  const urls = hosts.map((host) => `${scheme}${authority.slice(0, userEnd)}${host}${rest}`);
  if (!isNamed || !urls.every((url) => URL.canParse(url))) throw new InvalidValueError();
  return urls;
}

/** Returns the text unchanged if readDatabaseUrl accepts it. @throws InvalidValueError */
export function parseDatabaseUrl(text: string): string {
  readDatabaseUrl(text);
  return text;
}

/** Hides the password; user and hosts stay visible. */
export function showDatabaseUrl(text: string): string {
  const shown = splitHosts(text).map((url) => new URL(hidePassword(url)));
  const { protocol, username, password, pathname, search } = shown[0]!;
  const user = [username, password].filter(Boolean).join(':');
  const hosts = shown.map(({ host }) => host).join(',');
  return `${protocol}//${user}${user && '@'}${hosts}${pathname}${search}`;
}
