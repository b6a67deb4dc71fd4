import type { Config } from '../../../services/platform/config';
import { formatDuration } from '../../engine/values';

export interface Variable {
  /** Purpose. */
  about: string;
  /** Valid values, as in the error for a wrong value. */
  mustBe: string;
  /** Effective value; undefined if there is none. */
  value: (config: Config) => string | undefined;
  /** Its value is never shown. */
  secret?: true;
  /** Generated once and kept in DATA_DIR if unset and the database is embedded. */
  generated?: true;
}

const BOOLEAN = 'one of 1 true on yes, or 0 false off no';
const POSTGRES = 'an address that begins with postgres:// or postgresql://';
const PORT = 'a whole number from 1 to 65535';
const PER_MINUTE = 'a whole number from 1 to 1000000';
const SECRET = 'at least 32 characters, for example 64 random hex digits';

const onOff = (value: boolean) => (value ? 'on' : 'off');

/** All that services/platform/config.ts reads, in the order of CONTRACT section 7. */
export const VARIABLES = {
  HOST: {
    about: 'address that the services listen on',
    mustBe: 'an address such as 127.0.0.1, or a host name',
    value: (c) => c.host,
  },
  API_PORT: { about: 'port of the API', mustBe: PORT, value: (c) => String(c.apiPort) },
  WEBHOOK_QUEUE_PORT: {
    about: 'port of the webhook queue and its monitoring page',
    mustBe: PORT,
    value: (c) => String(c.webhookQueuePort),
  },
  METRICS_PORT: {
    about: "port of the API's metrics; the queue's are on the next",
    mustBe: 'a whole number from 1 to 65534',
    value: (c) => String(c.metricsPort),
  },
  PUBLIC_BASE_URL: {
    about: 'what links and snippets begin with',
    mustBe: 'an address that begins with http:// or https://',
    value: (c) => c.publicBaseUrl,
  },
  DATA_DIR: {
    about: 'directory of the embedded database and of generated secrets',
    mustBe: 'a directory',
    value: (c) => c.dataDir,
  },
  DATABASE_URL: {
    about: 'a PostgreSQL of your own; without it the embedded one is used',
    mustBe: POSTGRES,
    value: (c) => hidePassword(c.databaseUrl),
  },
  DATABASE_DIRECT_URL: {
    about: 'the same past a pooler, for LISTEN, migrations and this terminal',
    mustBe: POSTGRES,
    value: (c) => hidePassword(c.databaseDirectUrl),
  },
  REDIS_URL: {
    about: 'shared cache and quotas, over Redis',
    mustBe:
      'redis://[user:password@]host[:port][/database], redis+sentinel://[user:password@]host[:port],…/group[/database] or ' +
      "redis+cluster://[user:password@]host[:port],…, with rediss for TLS; a user's name and password percent-encoded",
    value: ({ sharedStore: store }) =>
      store?.kind === 'redis'
        ? `${store.form}: ${store.hosts.map(({ host, port }) => `${host}:${port}`).join(', ')}`
        : undefined,
  },
  CACHE_REST_URL: {
    about: "the same over the store's REST interface",
    mustBe: 'an address that begins with https:// or http://',
    value: ({ sharedStore: store }) => (store?.kind === 'rest' ? store.url : undefined),
  },
  CACHE_REST_TOKEN: {
    about: 'its token',
    mustBe: 'visible ASCII characters without spaces',
    secret: true,
    value: ({ sharedStore: store }) => (store?.kind === 'rest' ? store.token : undefined),
  },
  REPLICAS: {
    about: 'instances of the API, which share the quotas while the store is away',
    mustBe: 'a whole number from 1 to 10000',
    value: (c) => String(c.replicas),
  },
  GATEWAY_AVAILABILITY_RPM: {
    about: 'availability requests a minute and key',
    mustBe: PER_MINUTE,
    value: (c) => String(c.quotas.availability),
  },
  GATEWAY_HOLD_RPM: {
    about: 'hold requests a minute and key',
    mustBe: PER_MINUTE,
    value: (c) => String(c.quotas.hold),
  },
  GATEWAY_BOOKING_RPM: {
    about: 'booking requests a minute and key',
    mustBe: PER_MINUTE,
    value: (c) => String(c.quotas.booking),
  },
  CATALOG_RPM: {
    about: 'other reads a minute and key',
    mustBe: PER_MINUTE,
    value: (c) => String(c.quotas.catalog),
  },
  WIDGET_RPM: {
    about: 'requests a minute and widget token',
    mustBe: PER_MINUTE,
    value: (c) => String(c.quotas.widget),
  },
  TRUST_PROXY: {
    about: 'proxies whose X-Forwarded-For is believed',
    mustBe: 'off, a number of hops, or a list of CIDR networks',
    value: (c) => (c.trustProxy === false ? 'off' : String(c.trustProxy)),
  },
  LOG_LEVEL: {
    about: 'what is logged',
    mustBe: 'one of fatal error warn info debug trace silent',
    value: (c) => c.logLevel,
  },
  CDN_CACHE: {
    about: 'let a CDN that checks keys itself keep availability',
    mustBe: BOOLEAN,
    value: (c) => onOff(c.cdnCache),
  },
  AUTHORIZATION_CACHE: {
    about: 'remember credentials and catalog for a moment',
    mustBe: BOOLEAN,
    value: (c) => onOff(c.remember),
  },
  SECRETS_KEY: {
    about: 'seals webhook secrets',
    mustBe: SECRET,
    secret: true,
    generated: true,
    value: (c) => c.secrets.secretsKey,
  },
  CURSOR_KEY: {
    about: 'signs cursors and embed passes',
    mustBe: SECRET,
    secret: true,
    generated: true,
    value: (c) => c.secrets.cursorKey,
  },
  KEY_PEPPER: {
    about: 'keyed digest of keys and tokens',
    mustBe: SECRET,
    secret: true,
    generated: true,
    value: (c) => c.secrets.keyPepper,
  },
  WEBHOOK_ALLOW_PRIVATE_TARGETS: {
    about: 'let webhooks go to private addresses',
    mustBe: BOOLEAN,
    value: (c) => onOff(c.webhooks.allowPrivateTargets),
  },
  WEBHOOK_RETRY_SCHEDULE: {
    about: 'the wait before each try',
    mustBe: 'steps such as 0s,5s,5m,2h',
    value: (c) => c.webhooks.retryScheduleSeconds.map((seconds) => formatDuration(seconds, 'h')).join(','),
  },
  WEBHOOK_RETENTION_DAYS: {
    about: 'how long finished deliveries are kept',
    mustBe: 'a whole number from 1 to 3650',
    value: (c) => String(c.webhooks.retentionDays),
  },
} satisfies Record<string, Variable>;

export type VariableName = keyof typeof VARIABLES;

/** Hides the password; user and host stay visible. */
function hidePassword(url: string | undefined): string | undefined {
  if (url === undefined) return undefined;
  const shown = new URL(url);
  if (shown.password) shown.password = '***';
  // A password may stand among the parameters too.
  for (const name of shown.searchParams.keys()) if (/pass/i.test(name)) shown.searchParams.set(name, '***');
  return shown.href;
}
