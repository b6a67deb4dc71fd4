import type { IncomingMessage, ServerResponse } from 'node:http';
import { NO_STORE } from './answer.ts';
import { newestBooking, type VisitorBooking } from './bookings.ts';
import type { CallName } from './calls.ts';
import { fastifyPlugin, type FastifyRequestLike } from './fastify-plugin.ts';
import { readFetchRequest, toFetchResponse } from './fetch-server.ts';
import { type HandlerParts, handleRequest } from './handle-request.ts';
import { createKeptAnswers } from './kept-answers.ts';
import { createLimits, type LimitOptions } from './limits.ts';
import { mountOf } from './mount.ts';
import { type NodeRequest, readNodeRequest, writeNodeAnswer } from './node-server.ts';
import { platformCaller, type PlatformOptions } from './platform.ts';
import { Refusal } from './problems.ts';
import { readOrigins } from './same-origin.ts';
import { createTurns } from './turns.ts';
import { createVisitorCookies, type VisitorOptions } from './visitor.ts';

/** The request that the site's server gave: of node:http and Express, of Fastify, or of fetch. */
export type ServerRequest = NodeRequest | FastifyRequestLike | Request;

/** The answer that the site's server writes: the response of node:http or Express, Fastify's reply, or the headers of a fetch-style answer. */
export type SiteAnswer =
  Pick<ServerResponse, 'setHeader'> | { header(name: string, value: string): unknown } | Pick<Headers, 'set'>;

export interface TourProxyOptions extends PlatformOptions, VisitorOptions, LimitOptions {
  /**
   * The path of the proxy on the site, such as `/tours`. Needed where the server leaves it in the request's address: node:http, Next, Hono.
   * Express's `app.use('/tours', proxy)` and Fastify's `prefix` need none.
   */
  path?: string;
  /** Further origins of the site's own pages, such as `https://www.example.com`, where a reverse proxy changes Host. */
  origins?: readonly string[];
  /**
   * Limits more than a cookie, such as an address, or asks for a proof of a person. False: the visitor gets 429 and may try again in a
   * minute. An error refuses too.
   * @param request as the site's server gave it: Express's has `ip`
   */
  allow?(request: ServerRequest, call: CallName): boolean | Promise<boolean>;
  /**
   * Gets the errors that a visitor does not see: the platform is away, or refuses the key. Gets once each refusal (403) that the setup of
   * the site may cause: a reverse proxy that changes Host, or pages without TLS. By default they go to the console.
   */
  onError?(error: unknown): void;
}

export interface TourProxy {
  /** For node:http, Express and Connect. Calls `next` for an address outside `path`. */
  (request: IncomingMessage, response: ServerResponse, next?: (error?: unknown) => void): Promise<void>;
  /** For servers in the style of fetch: Hono, Next, Deno. */
  (request: Request): Promise<Response>;
  /** For Fastify: `app.register(proxy.fastify, { prefix: '/tours' })`. */
  fastify(instance: unknown, options?: object): Promise<void>;
  /**
   * Returns the newest booking of the visitor who sent the request, for the site's own payment page. Undefined: the visitor has none, or no
   * valid cookie. Sets `Cache-Control: no-store`, so that no cache shows one visitor's booking to another.
   * @param answer gets that header. Express needs none, because its request has the response
   * @throws TypeError without an answer; TourPlatformError
   */
  bookingOf(request: ServerRequest, answer?: SiteAnswer): Promise<VisitorBooking | undefined>;
}

/**
 * Creates the proxy through which the pages of a site read tours, hold seats and book, without a key in the browser. Its paths and answers
 * are those of the guide's page about the proxy.
 * @throws TypeError for a secret with fewer than 32 characters, for other options out of their range, and for a name that is no option
 */
export function tourProxy(options: TourProxyOptions): TourProxy {
  const parts = createParts(options);
  const mount = readMount(options.path);
  const handle = async (request: IncomingMessage | Request, response?: ServerResponse, next?: () => void) => {
    if (isFetchRequest(request))
      return toFetchResponse(await handleRequest(parts, readFetchRequest(request, mount)));
    const read = readNodeRequest(request as NodeRequest, request as NodeRequest, mount);
    if (read.path === undefined && next) return next();
    const answer = await handleRequest(parts, read);
    try {
      writeNodeAnswer(response!, answer);
    } catch (error) {
      parts.onError(error);
      response!.destroy();
    }
  };
  const proxy = handle as TourProxy;
  proxy.fastify = fastifyPlugin((request) => handleRequest(parts, request));
  proxy.bookingOf = (request, answer) => bookingOf(parts, request, answer);
  return proxy;
}

function createParts(options: TourProxyOptions): HandlerParts<ServerRequest> {
  assertOptionNames(options);
  const call = platformCaller(options);
  const { allow, onError = (error) => console.error(error) } = options;
  return {
    call,
    kept: createKeptAnswers(call),
    limits: createLimits(options, call),
    cookies: createVisitorCookies(options),
    turns: createTurns(),
    origins: readOrigins(options.origins),
    allow,
    onError: withoutRepeats(safely(onError)),
  };
}

/** An error in the hook of the site must not end its server. */
function safely(onError: (error: unknown) => void): (error: unknown) => void {
  return (error) => {
    try {
      onError(error);
    } catch (thrown) {
      console.error(thrown);
    }
  };
}

/** Reports each refusal once, because everyone can repeat a refused request and fill the log of the site. */
function withoutRepeats(onError: (error: unknown) => void): (error: unknown) => void {
  const reported = new Set<string>();
  return (error) => {
    if (error instanceof Refusal) {
      if (reported.has(error.message)) return;
      reported.add(error.message);
    }
    onError(error);
  };
}

const OPTION_NAMES = {
  baseUrl: true,
  apiKey: true,
  timeoutMs: true,
  secret: true,
  cookieName: true,
  secure: true,
  holdsPerHour: true,
  seats: true,
  maxHoldMinutes: true,
  path: true,
  origins: true,
  allow: true,
  onError: true,
} satisfies Record<keyof TourProxyOptions, true>;

/** Refuses a name that is no option: a limit with a misspelt name would not limit. @throws TypeError */
function assertOptionNames(options: TourProxyOptions): void {
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(OPTION_NAMES, name));
  if (unknown !== undefined) throw new TypeError(`tourProxy: there is no option ${unknown}.`);
}

/** @throws TypeError for a path that does not begin with a slash */
function readMount(path: string | undefined): string | undefined {
  if (path === undefined) return undefined;
  if (!/^\/[^?#]*$/.test(path)) throw new TypeError('tourProxy: path must begin with a slash.');
  return mountOf(path);
}

function isFetchRequest(request: IncomingMessage | ServerRequest): request is Request {
  return typeof (request.headers as Headers).get === 'function';
}

async function bookingOf(
  { call, cookies }: HandlerParts<ServerRequest>,
  request: ServerRequest,
  answer: SiteAnswer | undefined,
): Promise<VisitorBooking | undefined> {
  forbidStoring(answer ?? (request as NodeRequest).res);
  const { host, header } = isFetchRequest(request)
    ? readFetchRequest(request, undefined)
    : readNodeRequest('raw' in request ? request.raw : request, undefined, undefined);
  try {
    return await newestBooking(call, cookies.read(host, header('cookie')));
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}

/** @throws TypeError without an answer */
function forbidStoring(answer: SiteAnswer | undefined): void {
  if (answer === undefined)
    throw new TypeError(
      'tourProxy: bookingOf needs the response, so that no cache keeps the booking: bookingOf(request, response).',
    );
  if ('setHeader' in answer) answer.setHeader('Cache-Control', NO_STORE);
  else if ('header' in answer) answer.header('Cache-Control', NO_STORE);
  else answer.set('Cache-Control', NO_STORE);
}
