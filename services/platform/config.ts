import { isIP } from 'node:net';
import {
  ConfigError,
  type Environment,
  readBoolean,
  readInteger,
  readList,
  readOneOf,
  readPort,
  readUrl,
} from './read-variable';

import { readStoreAddress, type StoreAddress } from './shared-store/store-address';
import ipaddr from 'ipaddr.js';

export interface Config {
  host: string;
  apiPort: number;
  webhookQueuePort: number;
  metricsPort: number;
  publicBaseUrl: string;
  dataDir: string;
  /** Undefined: the service uses the embedded database of dataDir. */
  databaseUrl: string | undefined;
  databaseDirectUrl: string | undefined;
  /** Undefined: quotas and cache are in memory, for one instance. */
  sharedStore: StoreAddress | undefined;
  replicas: number;
  quotas: Quotas;
  trustProxy: TrustProxy;
  logLevel: string;
  cdnCache: boolean;
  /** false: every request reads credentials and catalog from the database. */
  remember: boolean;
  webhooks: { allowPrivateTargets: boolean; retryScheduleSeconds: number[]; retentionDays: number };
  /** The given values. secrets.ts refuses or generates missing ones. */
  secrets: { secretsKey?: string; cursorKey?: string; keyPepper?: string };
}

/** Requests a minute (CONTRACT section 3, Quotas). */
export interface Quotas {
  availability: number;
  hold: number;
  booking: number;
  catalog: number;
  widget: number;
}

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
const RETRY_STEPS = ['0s', '5s', '5m', '30m', '2h', '5h', '10h', '14h', '20h', '24h'];

/**
 * Reads the environment once. No other module reads it.
 * @throws ConfigError with one line that names the variable and what it must be (CONTRACT section 7)
 */
export function loadConfig(env: Environment = process.env): Config {
  const apiPort = readPort(env, 'API_PORT', 3000);
  const databaseUrl = readUrl(env, 'DATABASE_URL', ['postgres:', 'postgresql:']);
  const secrets = {
    secretsKey: readSecret(env, 'SECRETS_KEY'),
    cursorKey: readSecret(env, 'CURSOR_KEY'),
    keyPepper: readSecret(env, 'KEY_PEPPER'),
  };
  return {
    host: readHost(env),
    apiPort,
    webhookQueuePort: readPort(env, 'WEBHOOK_QUEUE_PORT', 3001),
    // The queue's metrics are on the port after it.
    metricsPort: readInteger(env, 'METRICS_PORT', 9464, 1, 65_534),
    publicBaseUrl: readPublicBaseUrl(env, apiPort),
    dataDir: env.DATA_DIR || '.data',
    databaseUrl,
    databaseDirectUrl: readUrl(env, 'DATABASE_DIRECT_URL', ['postgres:', 'postgresql:']) ?? databaseUrl,
    sharedStore: readStoreAddress(env),
    replicas: readInteger(env, 'REPLICAS', 1, 1, 10_000),
    quotas: readQuotas(env),
    trustProxy: readTrustProxy(env),
    logLevel: readOneOf(env, 'LOG_LEVEL', LOG_LEVELS, 'info'),
    cdnCache: readBoolean(env, 'CDN_CACHE', false),
    remember: readBoolean(env, 'AUTHORIZATION_CACHE', true),
    webhooks: {
      allowPrivateTargets: readBoolean(env, 'WEBHOOK_ALLOW_PRIVATE_TARGETS', false),
      retryScheduleSeconds: readRetrySchedule(env),
      retentionDays: readInteger(env, 'WEBHOOK_RETENTION_DAYS', 90, 1, 3650),
    },
    secrets,
  };
}

function readQuotas(env: Environment): Quotas {
  const perMinute = (name: string, fallback: number) => readInteger(env, name, fallback, 1, 1_000_000);
  return {
    availability: perMinute('GATEWAY_AVAILABILITY_RPM', 240),
    hold: perMinute('GATEWAY_HOLD_RPM', 60),
    booking: perMinute('GATEWAY_BOOKING_RPM', 60),
    catalog: perMinute('CATALOG_RPM', 600),
    widget: perMinute('WIDGET_RPM', 600),
  };
}

/** Accepts an address or a host name. Refuses misspelt addresses such as 999.1.1.1, which would be looked up in DNS. */
function readHost(env: Environment): string {
  const host = env.HOST || '127.0.0.1';
  const isName = /^[a-z0-9-]+(\.[a-z0-9-]+)*$/i.test(host) && !/^[\d.]+$/.test(host);
  if (isIP(host) === 0 && !isName)
    throw new ConfigError('HOST', 'an address such as 127.0.0.1, or a host name');
  return host;
}

function readPublicBaseUrl(env: Environment, apiPort: number): string {
  const url = readUrl(env, 'PUBLIC_BASE_URL', ['http:', 'https:']) ?? `http://127.0.0.1:${apiPort}`;
  const { search, hash, username } = new URL(url);
  if (search || hash || username)
    throw new ConfigError('PUBLIC_BASE_URL', 'an address without query, # and user');
  return url.replace(/\/+$/, '');
}

function readSecret(env: Environment, name: string): string | undefined {
  const value = env[name];
  if (!value) return undefined;
  if (value.length < 32)
    throw new ConfigError(name, 'at least 32 characters, for example 64 random hex digits');
  return value;
}

/** Parses steps such as "0s,5s,5m,2h": the wait before each attempt. */
function readRetrySchedule(env: Environment): number[] {
  const seconds = { s: 1, m: 60, h: 3600 };
  return readList(env, 'WEBHOOK_RETRY_SCHEDULE', RETRY_STEPS).map((step) => {
    const match = /^(\d{1,6}(?:\.\d{1,3})?)(s|m|h)$/.exec(step);
    if (!match) throw new ConfigError('WEBHOOK_RETRY_SCHEDULE', 'steps such as 0s,5s,5m,2h');
    return Number(match[1]) * seconds[match[2] as keyof typeof seconds];
  });
}

/** Lists the secrets that services need and this configuration lacks. */
export function missingSecrets({ databaseUrl, secrets }: Config): ConfigError[] {
  if (!databaseUrl) return [];
  return [
    ...(secrets.secretsKey ? [] : [missingSecret('SECRETS_KEY')]),
    ...(secrets.cursorKey ? [] : [missingSecret('CURSOR_KEY')]),
  ];
}

export function missingSecret(name: string): ConfigError {
  return new ConfigError(
    name,
    'set where DATABASE_URL is set: at least 32 characters, the same for every process',
  );
}

/** Trusted senders of X-Forwarded-*: none, a number of hops, or the proxies' networks. */
export type TrustProxy = false | number | string[];

/** Refuses `true`, which would trust every client (CONTRACT section 7). */
function readTrustProxy(env: Environment): TrustProxy {
  const value = env.TRUST_PROXY?.trim();
  if (!value || ['0', 'false', 'off', 'no'].includes(value.toLowerCase())) return false;
  if (/^[1-9]\d?$/.test(value)) return Number(value);
  const networks = value.split(',').map((item) => item.trim());
  if (!networks.every(isNetwork))
    throw new ConfigError('TRUST_PROXY', 'off, a number of hops, or a list of CIDR networks');
  return networks;
}

/** Refuses `1.5` and `10`: inet_aton accepts them as IPv4 addresses, but they are misspelt hop counts. */
function isNetwork(text: string): boolean {
  const [address = ''] = text.split('/');
  const isCanonical = ipaddr.IPv4.isValidFourPartDecimal(address) || ipaddr.IPv6.isValid(address);
  // A /0 network would trust every client.
  return isCanonical && !text.endsWith('/0') && (ipaddr.isValid(text) || ipaddr.isValidCIDR(text));
}
