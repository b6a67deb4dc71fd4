import { assertPasswordEncoded, InvalidValueError } from '../read-variable';

export type StoreAddress = RedisAddress | RestAddress;

export interface RedisAddress {
  kind: 'redis';
  form: 'single' | 'sentinel' | 'cluster';
  /** The server, the sentinels, or some nodes of the cluster. */
  hosts: { host: string; port: number }[];
  tls: boolean;
  username: string | undefined;
  password: string | undefined;
  database: number;
  /** The name of the group in the sentinels. */
  master: string | undefined;
  sentinelUsername: string | undefined;
  sentinelPassword: string | undefined;
}

export interface RestAddress {
  kind: 'rest';
  url: string;
  token: string;
}

const SINGLE = 'redis://[user:password@]host[:port][/database]';
const SENTINEL = 'redis+sentinel://[user:password@]host[:port],…/group[/database]';
const CLUSTER = 'redis+cluster://[user:password@]host[:port],…';
export const REDIS_FORMS = `${SINGLE}, ${SENTINEL} or ${CLUSTER}, with rediss for TLS; a user's name and password percent-encoded`;
const URL_PARTS = /^(rediss?)(?:\+(sentinel|cluster))?:\/\/(?:([^@/?#]*)@)?([^@/?#]+)(\/[^?#]*)?(\?[^#]*)?$/;
const HOST = /^(?:\[([0-9a-f:.]+)\]|([a-z0-9._-]+))(?::(\d{1,5}))?$/i;

/** Parses CACHE_REST_TOKEN. Refuses characters that are invalid in the Authorization header. */
export function parseStoreToken(text: string): string {
  if (!/^[\x21-\x7e]+$/.test(text)) throw new InvalidValueError();
  return text;
}

/**
 * Parses REDIS_URL with a pattern, because `new URL` refuses several hosts with ports.
 * @throws InvalidValueError
 */
export function parseRedisUrl(url: string): RedisAddress {
  assertPasswordEncoded(url);
  const parts = URL_PARTS.exec(url);
  if (!parts) throw new InvalidValueError();
  const [, scheme, form = 'single', user, hosts, path = '', query = ''] = parts;
  const address = {
    kind: 'redis' as const,
    form: form as RedisAddress['form'],
    hosts: hosts!.split(',').map((host) => parseHost(host, form)),
    tls: scheme === 'rediss',
    ...parseUser(user),
    ...parsePath(path, form),
    ...parseQuery(query, form),
  };
  if (form === 'single' && address.hosts.length > 1) throw new InvalidValueError();
  return address;
}

function parseHost(text: string, form: string): { host: string; port: number } {
  const [, v6, name, digits] = HOST.exec(text) ?? [];
  const port = Number(digits ?? (form === 'sentinel' ? 26_379 : 6379));
  if (!(v6 ?? name) || port < 1 || port > 65_535) throw new InvalidValueError();
  return { host: (v6 ?? name)!, port };
}

function parseUser(text: string | undefined): Pick<RedisAddress, 'username' | 'password'> {
  if (text === undefined) return { username: undefined, password: undefined };
  const [username, password, ...more] = text.split(':').map(decode);
  if (!password || more.length > 0) throw new InvalidValueError();
  return { username: username || undefined, password };
}

function parsePath(path: string, form: string): Pick<RedisAddress, 'master' | 'database'> {
  const segments = path.split('/').slice(1).map(decode);
  const master = form === 'sentinel' ? segments.shift() : undefined;
  const database = segments.shift() || '0';
  if (segments.length > 0 || !/^\d{1,4}$/.test(database)) throw new InvalidValueError();
  if (form === 'sentinel' && !master) throw new InvalidValueError();
  if (form === 'cluster' && database !== '0') throw new InvalidValueError();
  return { master, database: Number(database) };
}

function parseQuery(
  query: string,
  form: string,
): Pick<RedisAddress, 'sentinelUsername' | 'sentinelPassword'> {
  const parameters = new URLSearchParams(query);
  const known = form === 'sentinel' ? ['sentinel_username', 'sentinel_password'] : [];
  if ([...parameters.keys()].some((name) => !known.includes(name))) throw new InvalidValueError();
  return {
    sentinelUsername: parameters.get('sentinel_username') ?? undefined,
    sentinelPassword: parameters.get('sentinel_password') ?? undefined,
  };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new InvalidValueError();
  }
}

/** Returns the form and the hosts, without user and password. */
export function showRedisAddress({ form, hosts }: RedisAddress): string {
  return `${form}: ${hosts.map(({ host, port }) => `${host}:${port}`).join(', ')}`;
}
