import { isIP } from 'node:net';
import {
  readBoolean,
  readInteger,
  readList,
  readOneOf,
  readPort,
  readUrl,
  type Environment,
} from './read-variable';
import { ConfigError } from './config-error';
import { readStoreAddress, type StoreAddress } from './shared-store/store-address';
import { readTrustProxy, type TrustProxy } from './trust-proxy';

export interface Config {
  host: string;
  apiPort: number;
  webhookQueuePort: number;
  metricsPort: number;
  publicBaseUrl: string;
  dataDir: string;
  /** Undefined: the embedded database of dataDir. */
  databaseUrl: string | undefined;
  databaseDirectUrl: string | undefined;
  /** Undefined: quotas and cache in memory, for one instance. */
  sharedStore: StoreAddress | undefined;
  replicas: number;
  quotas: Quotas;
  trustProxy: TrustProxy;
  logLevel: string;
  cdnCache: boolean;
  /** Off: credentials and catalog are read from the database on every request. */
  remember: boolean;
  webhooks: { allowPrivateTargets: boolean; retryScheduleSeconds: number[]; retentionDays: number };
  /** As given; what is missing is generated into dataDir by secrets.ts. */
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
 * Reads the environment once; nothing else in the product looks at it.
 * @throws ConfigError one line that names the variable and what it must be (CONTRACT section 7)
 */
export function loadConfig(env: Environment = process.env): Config {
  const apiPort = readPort(env, 'API_PORT', 3000);
  const databaseUrl = readUrl(env, 'DATABASE_URL', ['postgres:', 'postgresql:']);
  const secrets = {
    secretsKey: readSecret(env, 'SECRETS_KEY'),
    cursorKey: readSecret(env, 'CURSOR_KEY'),
    keyPepper: readSecret(env, 'KEY_PEPPER'),
  };
  if (databaseUrl && !secrets.secretsKey) throw required('SECRETS_KEY');
  if (databaseUrl && !secrets.cursorKey) throw required('CURSOR_KEY');
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

/** An address, or a name that is not a misspelt one: 999.1.1.1 would be asked of the DNS. */
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

/** Steps such as "0s,5s,5m,2h": the wait before each try. */
function readRetrySchedule(env: Environment): number[] {
  const seconds = { s: 1, m: 60, h: 3600 };
  return readList(env, 'WEBHOOK_RETRY_SCHEDULE', RETRY_STEPS).map((step) => {
    const match = /^(\d{1,6}(?:\.\d{1,3})?)(s|m|h)$/.exec(step);
    if (!match) throw new ConfigError('WEBHOOK_RETRY_SCHEDULE', 'steps such as 0s,5s,5m,2h');
    return Number(match[1]) * seconds[match[2] as keyof typeof seconds];
  });
}

function required(name: string): ConfigError {
  return new ConfigError(
    name,
    'set where DATABASE_URL is set: at least 32 characters, the same for every process',
  );
}
