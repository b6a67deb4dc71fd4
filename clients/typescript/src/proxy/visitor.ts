import { createHmac, randomInt, timingSafeEqual } from 'node:crypto';
import { invalidField, Refusal } from './problems.ts';
import { foreignHost, pageWithoutTls } from './same-origin.ts';

/** A visitor of the site, as the signed cookie names it. */
export interface Visitor {
  /** `visitor-` and 22 characters of base62. The `external_ref` of the visitor's holds and bookings. */
  id: string;
  /** The id of the visitor's newest hold. Null: none yet. */
  holdId: string | null;
  /** Seconds until the visitor's cookie ends. */
  secondsLeft: number;
}

export interface VisitorOptions {
  /**
   * Signs the cookie: at least 32 characters, known to the site's servers alone. To change it, give a list: the first one signs, and all
   * verify.
   */
  secret: string | readonly string[];
  /**
   * By default `__Host-tour_visitor`, and `tour_visitor` where the cookie is not Secure. Another name needs the prefix `__Host-` too, so that
   * no other host of the domain can set it.
   */
  cookieName?: string;
  /** True: cookies are Secure. By default they are, except on localhost, *.localhost, 127.0.0.1 and [::1], unless the prefix of cookieName asks for it. */
  secure?: boolean;
}

/** Reads and writes the cookies of visitors. */
export interface VisitorCookies {
  /**
   * Refuses a request whose cookie would lack Secure, because a reverse proxy has forwarded it under the name of this machine, and one whose
   * browser would drop the cookie, because the page has no TLS.
   * @throws Refusal origin_not_allowed (403), of which the operator of the site learns
   * @rule which setup of a site would lose the visitor's cookie: test/client/proxy-addresses.test.ts
   */
  assertCookieFits(host: string, origin: string | undefined): void;
  /**
   * Returns the visitor of a request. Undefined: the request has no cookie.
   * @throws Refusal invalid_visitor for a cookie that is malformed, expired, or there twice, which is removed, and for one with an unknown
   * signature, which stays: another process of the site may have the secret already
   */
  read(host: string, cookieHeader: string | undefined): Visitor | undefined;
  /** Returns the value of Set-Cookie that names the visitor. */
  write(host: string, visitor: Pick<Visitor, 'id' | 'holdId'>): string;
  /** Returns the value of Set-Cookie that tells the page's script whether to ask for a hold or a booking. */
  writeState(host: string, state: VisitorState, seconds: number): string;
  /** Returns the value of Set-Cookie that removes the state. */
  removeState(host: string): string;
}

/** `held`: the visitor has a live hold. `booked`: a booking. */
export type VisitorState = 'held' | 'booked';

export const COOKIE_SECONDS = 86_400;
const SECRET_MIN = 32;
const STATE_COOKIE = 'tour_state';
const COOKIE_NAME = /^[A-Za-z0-9_-]{1,64}$/;
/** A browser drops a cookie with such a name that is not Secure. */
const SECURE_PREFIX = /^__(Host|Secure)-/i;
const COOKIE_VALUE = /^([A-Za-z0-9_-]{1,400})\.([A-Za-z0-9_-]{43})$/;
const VISITOR_ID = /^visitor-[A-Za-z0-9]{22}$/;
const HOLD_ID = /^[0-9a-f-]{36}$/;

/** @throws TypeError for a secret with fewer than 32 characters, and for a name that no cookie of these options may have */
export function createVisitorCookies({ secret, cookieName, secure }: VisitorOptions): VisitorCookies {
  const secrets = [secret].flat();
  if (secrets.length === 0 || secrets.some((one) => typeof one !== 'string' || one.length < SECRET_MIN))
    throw new TypeError(`tourProxy: secret must have at least ${SECRET_MIN} characters.`);
  if (cookieName !== undefined && !COOKIE_NAME.test(cookieName))
    throw new TypeError('tourProxy: cookieName must have 1 to 64 of A-Z, a-z, 0-9, _ and -.');
  const needsSecure = SECURE_PREFIX.test(cookieName ?? '');
  if (needsSecure && secure === false)
    throw new TypeError('tourProxy: a cookieName that begins with __Host- or __Secure- needs secure.');
  const isSecure = (host: string) => secure ?? (needsSecure || !isThisMachine(host));
  const nameOn = (host: string) => cookieName ?? (isSecure(host) ? '__Host-tour_visitor' : 'tour_visitor');
  const attributes = (host: string, seconds: number) =>
    `; Path=/; Max-Age=${seconds}; SameSite=Lax${isSecure(host) ? '; Secure' : ''}`;
  return {
    assertCookieFits: (host, origin) => {
      if (origin === undefined || isThisMachine(origin.replace(/^https?:\/\//, ''))) return;
      if (secure === undefined && isThisMachine(host)) throw foreignHost();
      if (isSecure(host) && origin.startsWith('http:')) throw pageWithoutTls();
    },
    read: (host, cookieHeader) => {
      const name = nameOn(host);
      const values = cookieValues(cookieHeader, name);
      if (values.length === 0) return undefined;
      const visitor = values.length === 1 ? verified(values[0]!, name, secrets) : undefined;
      if (visitor === 'unknown signature') throw invalidVisitor();
      if (visitor) return visitor;
      throw invalidVisitor([
        `${name}=${attributes(host, 0)}; HttpOnly`,
        `${STATE_COOKIE}=${attributes(host, 0)}`,
      ]);
    },
    write: (host, visitor) => {
      const name = nameOn(host);
      return `${name}=${signed(visitor, name, secrets[0]!)}${attributes(host, COOKIE_SECONDS)}; HttpOnly`;
    },
    writeState: (host, state, seconds) =>
      `${STATE_COOKIE}=${state}${attributes(host, Math.max(1, Math.ceil(seconds)))}`,
    removeState: (host) => `${STATE_COOKIE}=${attributes(host, 0)}`,
  };
}

function invalidVisitor(cookies?: string[]): Refusal {
  return new Refusal('invalid_visitor', 'The cookie of the visitor is not valid.', { cookies });
}

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Creates a visitor without a hold: 131 random bits. */
export function newVisitor(): Visitor {
  const characters = Array.from({ length: 22 }, () => BASE62[randomInt(BASE62.length)]);
  return { id: `visitor-${characters.join('')}`, holdId: null, secondsLeft: COOKIE_SECONDS };
}

/** Returns whether the value of Host names the machine of the browser itself, where sites are often without TLS. */
function isThisMachine(host: string): boolean {
  return /^(([\w-]+\.)*localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/i.test(host);
}

/** Removes spaces and tabs alone: a browser accepts a cookie whose name begins with another white space, from any subdomain. */
function cookieValues(header: string | undefined, name: string): string[] {
  if (!header?.includes(name)) return [];
  return header
    .split(';')
    .map((pair) => pair.replace(/^[ \t]+|[ \t]+$/g, ''))
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1));
}

/** The content of the cookie. `e`: expiry in seconds since 1970, by the clock of the site's server. */
interface Payload {
  v: string;
  h: string | null;
  e: number;
}

function signed({ id, holdId }: Pick<Visitor, 'id' | 'holdId'>, name: string, secret: string): string {
  const payload: Payload = { v: id, h: holdId, e: Math.floor(Date.now() / 1000) + COOKIE_SECONDS };
  const text = Buffer.from(JSON.stringify(payload)).toString('base64url');
  return `${text}.${signatureOf(text, name, secret)}`;
}

/** Signs the name of the cookie too, so that a cookie of another name and the same secret is a forged one. */
function signatureOf(text: string, name: string, secret: string): string {
  return createHmac('sha256', secret).update(`${name}.${text}`).digest('base64url');
}

/**
 * Returns the visitor of a cookie's value. Undefined: it is malformed or expired.
 * @rule which cookie names a visitor: test/client/proxy-forgeries.long.test.ts
 */
function verified(
  value: string,
  name: string,
  secrets: readonly string[],
): Visitor | 'unknown signature' | undefined {
  const [, text, signature] = COOKIE_VALUE.exec(value) ?? [];
  if (text === undefined || signature === undefined) return undefined;
  // Compares texts: the last character of base64 has spare bits, and so the same bytes have several spellings.
  const given = Buffer.from(signature);
  const isSigned = secrets.some((secret) =>
    timingSafeEqual(given, Buffer.from(signatureOf(text, name, secret))),
  );
  if (!isSigned) return 'unknown signature';
  const { v, h, e } = payloadOf(text);
  if (!isText(v, VISITOR_ID) || typeof e !== 'number' || e <= Date.now() / 1000) return undefined;
  const secondsLeft = e - Date.now() / 1000;
  if (h === null) return { id: v, holdId: null, secondsLeft };
  return isText(h, HOLD_ID) ? { id: v, holdId: h, secondsLeft } : undefined;
}

function isText(value: unknown, form: RegExp): value is string {
  return typeof value === 'string' && form.test(value);
}

/** Reads a signed payload. A program of the site with the same secret may have signed something else. */
function payloadOf(text: string): Partial<Record<keyof Payload, unknown>> {
  try {
    return (JSON.parse(Buffer.from(text, 'base64url').toString()) as Partial<Payload> | null) ?? {};
  } catch {
    return {};
  }
}

/** Refuses the fields of a body that only the site sets. @throws Refusal (400) */
export function refuseSiteFields(body: Record<string, unknown>): void {
  if (body.external_ref !== undefined) throw invalidField('body', 'external_ref', 'is set by the site');
}
