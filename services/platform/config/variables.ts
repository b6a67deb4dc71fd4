import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { DATABASE_URL_FORM, parseDatabaseUrl, showDatabaseUrl } from '../database/database-url';
import { CONTROL_CHARACTER, isActorName, isSlug, isEmail } from '../forms/text-forms';
import { parseRedisUrl, parseStoreToken, REDIS_FORMS, showRedisAddress } from '../shared-store/store-address';
import {
  baseUrl,
  boolean,
  integer,
  InvalidValueError,
  oneOf,
  port,
  secret,
  url,
  type Variable,
} from '../read-variable';

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
const POSTGRES = { mustBe: DATABASE_URL_FORM, parse: parseDatabaseUrl, show: showDatabaseUrl };

/** Trusted senders of X-Forwarded-*: none, a number of hops, or the proxies' networks. */
export type TrustProxy = false | number | string[];

const perMinute = (fallback: number) => integer(fallback, 1, 1_000_000);

/**
 * Declares every environment variable of the product. The services, `tourctl config` and the test of docs/configuration.md read this
 * list; no other module reads the environment.
 */
export const VARIABLES = {
  HOST: {
    about: 'address that the services listen on',
    mustBe: 'an address such as 127.0.0.1, or a host name',
    default: '127.0.0.1',
    parse: parseHost,
  },
  API_PORT: { about: 'port of the API', ...port(3000) },
  WEBHOOK_QUEUE_PORT: { about: 'port of the webhook queue and its monitoring page', ...port(3001) },
  METRICS_PORT: {
    about: "port of the API's metrics; the queue's are on the next port",
    ...integer(9464, 1, 65_534),
  },
  PUBLIC_BASE_URL: {
    about: 'base URL of links and snippets',
    ...baseUrl('http:', 'https:'),
    default: 'http://127.0.0.1:<API_PORT>',
  },
  DATA_DIR: {
    about: 'directory of the embedded database and of generated secrets',
    mustBe: 'a directory',
    default: '.data',
    parse: (text: string) => text,
  },
  DATABASE_URL: {
    about: 'a PostgreSQL of your own; without it the embedded one is used',
    ...POSTGRES,
  },
  DATABASE_DIRECT_URL: {
    about: 'the same without a pooler, for migrations and this terminal',
    ...POSTGRES,
    default: '<DATABASE_URL>',
  },
  DATABASE_STANDBYS: {
    about: 'number of synchronous standbys that the database should have, for the alert',
    ...integer(0, 0, 100),
  },
  REDIS_URL: {
    about: 'shared cache and quotas, over Redis',
    mustBe: REDIS_FORMS,
    parse: parseRedisUrl,
    show: showRedisAddress,
  },
  CACHE_REST_URL: { about: "the same over the store's REST interface", ...baseUrl('https:', 'http:') },
  CACHE_REST_TOKEN: {
    about: 'its token',
    mustBe: 'visible ASCII characters without spaces',
    parse: parseStoreToken,
    secret: true,
  },
  REPLICAS: {
    about: 'number of API instances, which share the quotas while the store is down',
    ...integer(1, 1, 10_000),
  },
  GATEWAY_AVAILABILITY_RPM: { about: 'availability requests per minute and key', ...perMinute(240) },
  GATEWAY_HOLD_RPM: { about: 'hold requests per minute and key', ...perMinute(60) },
  GATEWAY_BOOKING_RPM: { about: 'booking requests per minute and key', ...perMinute(60) },
  CATALOG_RPM: { about: 'other reads per minute and key', ...perMinute(600) },
  WIDGET_RPM: { about: 'requests per minute and widget token', ...perMinute(600) },
  SUPPLIER_NAME: { about: 'your name for resellers over OCTO', ...line(), default: 'Tour Platform' },
  SUPPLIER_EMAIL: {
    about: 'their e-mail contact',
    mustBe: 'an e-mail address',
    parse: (text: string) => checked(text, isEmail),
  },
  SUPPLIER_PHONE: { about: 'their telephone contact', ...line() },
  SUPPLIER_ADDRESS: { about: 'your postal address', ...line() },
  SUPPLIER_WEBSITE: { about: 'your website', ...url('https:', 'http:') },
  TRUST_PROXY: {
    about: 'proxies whose X-Forwarded-For is trusted',
    mustBe: 'off, a number of hops, or a list of CIDR networks',
    default: 'off',
    parse: parseTrustProxy,
    show: (value: TrustProxy) => (value === false ? 'off' : String(value)),
  },
  LOG_LEVEL: { about: 'lowest level of logged lines', ...oneOf(LOG_LEVELS, 'info') },
  CDN_CACHE: { about: 'let a CDN that checks keys itself cache availability', ...boolean('off') },
  AUTHORIZATION_CACHE: { about: 'cache credentials and catalog for up to a second', ...boolean('on') },
  GROUP_COMMIT: { about: 'write the holds and bookings that wait together', ...boolean('on') },
  PREPARED_STATEMENTS: {
    about: 'keep the plans of statements for sales in each connection of DATABASE_URL',
    ...boolean('off'),
  },
  SECRETS_KEY: { about: 'seals webhook secrets', ...secret() },
  CURSOR_KEY: { about: 'signs cursors and embed passes', ...secret() },
  KEY_PEPPER: { about: 'key of the digests of API keys and tokens', ...secret() },
  WEBHOOK_ALLOW_PRIVATE_TARGETS: { about: 'let webhooks go to private addresses', ...boolean('off') },
  WEBHOOK_RETRY_SCHEDULE: {
    about: 'the wait before each try',
    mustBe: 'steps such as 0s,5s,5m,2h',
    default: '0s,5s,5m,30m,2h,5h,10h,14h,20h,24h',
    parse: parseRetrySchedule,
  },
  WEBHOOK_RETENTION_DAYS: { about: 'how long finished deliveries are kept', ...integer(90, 1, 3650) },
  HOLD_CUSTOMER_DAYS: {
    about: 'days after its end at which a hold without a booking loses its customer',
    ...integer(30, 1, 3650),
  },
  HOLD_RETENTION_DAYS: {
    about: 'days after its end at which a hold without a booking is deleted',
    ...integer(400, 1, 3650),
  },
  ANSWER_DAYS: {
    about: "days after the return at which a booking loses its answers and its travellers' notes",
    ...integer(90, 1, 3650),
  },
  TOURCTL_ACTOR: {
    about: 'who acts at this terminal, for the audit log, where the system user does not say it (containers)',
    mustBe: 'a name of at most 100 printable characters',
    parse: (text: string) => checked(text, isActorName),
  },
  TOURCTL_TENANT: {
    about: 'the tenant of commands whose <slug> alone is missing; tourctl use keeps one in DATA_DIR',
    mustBe: 'the slug of a tenant, such as acme',
    parse: (text: string) => checked(text, isSlug),
  },
} satisfies Record<string, Variable>;

export type VariableName = keyof typeof VARIABLES;

function line() {
  return {
    mustBe: 'one line of at most 200 characters',
    parse: (text: string) => checked(text, (given) => given.length <= 200 && !CONTROL_CHARACTER.test(given)),
  };
}

function checked(text: string, isValid: (text: string) => boolean): string {
  if (!isValid(text)) throw new InvalidValueError();
  return text;
}

/** Accepts an address or a host name. Refuses misspelt addresses such as 999.1.1.1, which would be looked up in DNS. */
function parseHost(text: string): string {
  const isName = /^[a-z0-9-]+(\.[a-z0-9-]+)*$/i.test(text) && !/^[\d.]+$/.test(text);
  if (isIP(text) === 0 && !isName) throw new InvalidValueError();
  return text;
}

/** Refuses `true`, because X-Forwarded-For would then let every client choose its own address. */
function parseTrustProxy(text: string): TrustProxy {
  const value = text.trim();
  if (['', '0', 'false', 'off', 'no'].includes(value.toLowerCase())) return false;
  if (/^[1-9]\d?$/.test(value)) return Number(value);
  const networks = value.split(',').map((item) => item.trim());
  if (!networks.every(isNetwork)) throw new InvalidValueError();
  return networks;
}

/** Refuses `1.5` and `10`: inet_aton accepts them as IPv4 addresses, but they are misspelt hop counts. */
function isNetwork(text: string): boolean {
  const [address = ''] = text.split('/');
  const isCanonical = ipaddr.IPv4.isValidFourPartDecimal(address) || ipaddr.IPv6.isValid(address);
  // Refuses a /0 network, which would trust every client.
  return isCanonical && !text.endsWith('/0') && (ipaddr.isValid(text) || ipaddr.isValidCIDR(text));
}

/** Parses the waits before the attempts, such as "0s,5s,5m,2h". Returns them in seconds. */
function parseRetrySchedule(text: string): number[] {
  const seconds = { s: 1, m: 60, h: 3600 };
  return text.split(',').map((step) => {
    const match = /^(\d{1,6}(?:\.\d{1,3})?)(s|m|h)$/.exec(step.trim());
    if (!match) throw new InvalidValueError();
    return Number(match[1]) * seconds[match[2] as keyof typeof seconds];
  });
}
