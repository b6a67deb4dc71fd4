import { ConfigError, type Environment, readUrl } from '../read-variable';

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
const FORMS = `${SINGLE}, ${SENTINEL} or ${CLUSTER}, with rediss for TLS`;
const URL_PARTS = /^(rediss?)(?:\+(sentinel|cluster))?:\/\/(?:([^@/?#]*)@)?([^@/?#]+)(\/[^?#]*)?(\?[^#]*)?$/;
const HOST = /^(?:\[([0-9a-f:.]+)\]|([a-z0-9._-]+))(?::(\d{1,5}))?$/i;

/**
 * Reads REDIS_URL, or CACHE_REST_URL and CACHE_REST_TOKEN. Returns undefined where neither is set.
 * @throws ConfigError without the value
 */
export function readStoreAddress(env: Environment): StoreAddress | undefined {
  const { REDIS_URL, CACHE_REST_URL, CACHE_REST_TOKEN } = env;
  if (REDIS_URL && (CACHE_REST_URL || CACHE_REST_TOKEN)) {
    throw new ConfigError('REDIS_URL', 'unset where CACHE_REST_URL is set: name one shared store, not two');
  }
  if (REDIS_URL) return readRedisUrl(REDIS_URL);
  if (CACHE_REST_URL || CACHE_REST_TOKEN) return readRestAddress(env);
  return undefined;
}

function readRestAddress(env: Environment): RestAddress {
  const url = readUrl(env, 'CACHE_REST_URL', ['https:', 'http:']);
  const token = env.CACHE_REST_TOKEN;
  if (!url) throw new ConfigError('CACHE_REST_URL', 'set where CACHE_REST_TOKEN is set');
  if (!token) throw new ConfigError('CACHE_REST_TOKEN', 'set where CACHE_REST_URL is set');
  const { search, hash, username, password } = new URL(url);
  if (search || hash || username || password)
    throw new ConfigError('CACHE_REST_URL', 'an address without query, # and user');
  // Other characters are invalid in the Authorization header.
  if (!/^[\x21-\x7e]+$/.test(token))
    throw new ConfigError('CACHE_REST_TOKEN', 'visible ASCII characters without spaces');
  return { kind: 'rest', url: url.replace(/\/+$/, ''), token };
}

/** Parses with a pattern: `new URL` refuses several hosts with ports. */
function readRedisUrl(url: string): RedisAddress {
  const parts = URL_PARTS.exec(url);
  if (!parts) throw wrong();
  const [, scheme, form = 'single', user, hosts, path = '', query = ''] = parts;
  const address = {
    kind: 'redis' as const,
    form: form as RedisAddress['form'],
    hosts: hosts!.split(',').map((host) => readHost(host, form)),
    tls: scheme === 'rediss',
    ...readUser(user),
    ...readPath(path, form),
    ...readQuery(query, form),
  };
  if (form === 'single' && address.hosts.length > 1) throw wrong();
  return address;
}

function readHost(text: string, form: string): { host: string; port: number } {
  const [, v6, name, digits] = HOST.exec(text) ?? [];
  const port = digits ? Number(digits) : form === 'sentinel' ? 26_379 : 6379;
  if (!(v6 ?? name) || port < 1 || port > 65_535) throw wrong();
  return { host: (v6 ?? name)!, port };
}

function readUser(text: string | undefined): Pick<RedisAddress, 'username' | 'password'> {
  if (text === undefined) return { username: undefined, password: undefined };
  const [username, password, ...more] = text.split(':').map(decode);
  if (!password || more.length > 0) throw wrong();
  return { username: username || undefined, password };
}

function readPath(path: string, form: string): Pick<RedisAddress, 'master' | 'database'> {
  const segments = path.split('/').slice(1).map(decode);
  const master = form === 'sentinel' ? segments.shift() : undefined;
  const database = segments.shift() || '0';
  if (segments.length > 0 || !/^\d{1,4}$/.test(database)) throw wrong();
  if (form === 'sentinel' && !master) throw wrong();
  if (form === 'cluster' && database !== '0') throw wrong();
  return { master, database: Number(database) };
}

function readQuery(query: string, form: string): Pick<RedisAddress, 'sentinelUsername' | 'sentinelPassword'> {
  const parameters = new URLSearchParams(query);
  const known = form === 'sentinel' ? ['sentinel_username', 'sentinel_password'] : [];
  if ([...parameters.keys()].some((name) => !known.includes(name))) throw wrong();
  return {
    sentinelUsername: parameters.get('sentinel_username') ?? undefined,
    sentinelPassword: parameters.get('sentinel_password') ?? undefined,
  };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw wrong();
  }
}

function wrong(): ConfigError {
  return new ConfigError('REDIS_URL', `${FORMS}; a user's name and password percent-encoded`);
}
