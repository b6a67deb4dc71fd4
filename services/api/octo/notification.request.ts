import { InvalidInputError } from '../../platform/errors';
import { lineForm } from '../../platform/forms/texts';
import { bodyInput, readAll } from '../http/input';
import { NOTIFICATION_TYPES, type OctoNotificationType } from './notification.dto';

/**
 * @example {"url": "https://reseller.example/octo", "notificationTypes": ["PRODUCT_UPDATE", "AVAILABILITY_UPDATE", "BOOKING_UPDATE"], "headers": {"Api-Key": "secret"}}
 */
export interface OctoSubscriptionBody {
  /** The address to which notifications are sent: https, a public host, port 443 or from 1024 on. */
  url: string;
  /**
   * At least one of `PRODUCT_UPDATE`, `AVAILABILITY_UPDATE` and `BOOKING_UPDATE`. `BOOKING_UPDATE` needs the scope `booking:read`.
   * @maxItems 50
   */
  notificationTypes: string[];
  /** The headers that each request gets: at most 20, with at most 4096 characters in total. They are encrypted, and no answer shows their values. */
  headers?: { [name: string]: unknown } | null;
  [field: string]: unknown;
}

/** Fields that are left out stay as they are. @example {"notificationTypes": ["BOOKING_UPDATE"]} */
export interface OctoSubscriptionChangeBody {
  /**
   * The new address. A disabled subscription becomes active with it. With another scheme, host or port, the headers are removed unless the
   * request sends `headers`.
   */
  url?: string | null;
  /**
   * The new types.
   * @maxItems 50
   */
  notificationTypes?: string[] | null;
  /** All headers that each request gets from now on. Null keeps the present ones, and `{}` removes them. */
  headers?: { [name: string]: unknown } | null;
  [field: string]: unknown;
}

/** The fields of a subscription as a request sends them. Undefined: the field was left out. */
export interface SentSubscription {
  url: string | undefined;
  types: OctoNotificationType[] | undefined;
  headers: Record<string, string> | undefined;
}

/**
 * Reads the fields of a subscription, also of a body that its schema refuses.
 * @throws BadInputError with all issues of the body (400)
 */
export function readSubscription(body: OctoSubscriptionChangeBody): SentSubscription {
  const { url, notificationTypes, headers } = body;
  return readAll({
    url: () => (url == null ? undefined : bodyInput('url', url, lineForm(2048))),
    types: () => (notificationTypes == null ? undefined : typesInput(notificationTypes)),
    headers: () => (headers == null ? undefined : headersInput(headers)),
  });
}

function typesInput(given: unknown): OctoNotificationType[] {
  const named = Array.isArray(given)
    ? given.map((type) => typeof type === 'string' && type.toUpperCase())
    : [];
  const known = NOTIFICATION_TYPES.filter((type) => named.includes(type));
  if (known.length === 0 || !named.every((type) => (NOTIFICATION_TYPES as unknown[]).includes(type)))
    throw new InvalidInputError(
      'body',
      'notificationTypes',
      `must name at least one of ${NOTIFICATION_TYPES.join(', ')}, and no other`,
    );
  return known;
}

const HEADERS_MAX = 20;
const HEADERS_LENGTH_MAX = 4096;
/** Names of headers that the request needs itself, or that the connection owns. */
const RESERVED =
  /^(webhook-.*|host|content-.*|transfer-encoding|connection|keep-alive|upgrade|expect|te|trailer|proxy-.*|user-agent)$/i;
/** The form of a header's name (RFC 9110). */
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/;
const HEADER_VALUE = /^[\x20-\x7e]{1,2000}$/;

function headersInput(given: unknown): Record<string, string> {
  const refuse = (message: string) => new InvalidInputError('body', 'headers', message);
  if (typeof given !== 'object' || Array.isArray(given)) throw refuse('must be an object');
  const entries = Object.entries(given as object);
  for (const [name, value] of entries) {
    if (!HEADER_NAME.test(name)) throw refuse('must have names of HTTP headers');
    if (RESERVED.test(name))
      throw refuse(`must not have ${name.toLowerCase()}, because the platform sets it`);
    if (typeof value !== 'string' || !HEADER_VALUE.test(value))
      throw refuse(`must have for ${name} a text of 1 to 2000 visible ASCII characters`);
  }
  const length = entries.reduce((sum, [name, value]) => sum + name.length + (value as string).length, 0);
  if (entries.length > HEADERS_MAX || length > HEADERS_LENGTH_MAX)
    throw refuse(`must have at most ${HEADERS_MAX} headers and ${HEADERS_LENGTH_MAX} characters in total`);
  const lower = new Set(entries.map(([name]) => name.toLowerCase()));
  if (lower.size < entries.length) throw refuse('must name each header once');
  return given as Record<string, string>;
}
