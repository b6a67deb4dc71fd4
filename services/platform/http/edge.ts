import express, {
  type Express,
  type NextFunction,
  type Request,
  type RequestHandler,
  type Response,
} from 'express';
import { once } from 'node:events';
import helmet from 'helmet';
import http from 'node:http';
import type { Socket } from 'node:net';
import type { TrustProxy } from '../config/variables';
import type { Logger } from '../logger';
import { isTrustedProxy, unreadableAddressLogger } from './client-address';
import { malformationOf, type RequestMalformation, passRequests, type RefuseBody } from './malformed-request';
import { nameRequest, logRequests, type WriteRequestLine } from './request-log';
import {
  boundConnections,
  type ConnectionLimits,
  sendAnswersTogether,
  closeSlowReaders,
  type ReaderLimits,
} from './connections';
import { type AnswerEarly, withEarlyStep } from './early-answer';
import { endConnectionOfUnreadBody } from './request-body';
import { answerInTurn } from './requests-in-turn';

/** The settings in which the HTTP servers of the services differ. */
export interface HttpEdge {
  trustProxy: TrustProxy;
  log: Logger;
  writeRequestLine: WriteRequestLine;
  /** Measures every request, malformed ones too. */
  measure?: RequestHandler;
  securityHeaders: ResponseHeader[];
  /** Returns the error for a malformed request; the service's error handler answers it. */
  toRefusal: (malformation: RequestMalformation) => Error;
  /** Requires Host in HTTP/1.0 too. */
  isHostNeeded?: boolean;
}

/** Creates an app with the settings and the first handlers of every service: id, log line, headers, malformed requests. */
export function createHttpApp(edge: HttpEdge): Express {
  const app = express();
  // Never sends a stack trace, even if NODE_ENV is unset.
  app.set('env', 'production');
  app.set('case sensitive routing', true);
  app.set('query parser', 'simple');
  app.set('etag', false);
  app.set('trust proxy', edge.trustProxy);
  app.disable('x-powered-by');
  app.locals.logUnreadableAddress = unreadableAddressLogger(edge.log);
  sendJsonDirectly(app);

  app.use(nameRequest, logRequests(edge.writeRequestLine));
  if (edge.measure) app.use(edge.measure);
  app.use(setSecurityHeaders(edge.securityHeaders), refuseMalformed(edge));
  return app;
}

/**
 * Replaces response.json() for answers whose handler set neither Content-Type nor ETag. Express's own method takes 25 µs more, because it
 * parses the content type and compares ETags.
 */
function sendJsonDirectly(app: Express): void {
  const { json } = express.response;
  app.response.json = function (this: Response, body: unknown) {
    if (this.hasHeader('Content-Type') || this.hasHeader('ETag')) return json.call(this, body);
    const text = JSON.stringify(body);
    this.setHeader('Content-Type', 'application/json; charset=utf-8');
    this.setHeader('Content-Length', Buffer.byteLength(text));
    return this.end(text);
  };
}

/** Name and value. */
export type ResponseHeader = [string, string];

/** The differences between the services' security headers. */
export interface SecurityHeaders {
  /** The sources that pages of the service may load, beside `default-src 'none'`. */
  sources?: Record<string, string[]>;
  referrerPolicy: 'no-referrer' | 'same-origin';
}

const NONE = ["'none'"];

/** Sets the security headers of the responses of all later handlers. A page that may be shown in a frame replaces some of these headers. */
export function setSecurityHeaders(headers: ResponseHeader[]): RequestHandler {
  const list = headers.flat();
  const setHeaders: RequestHandler = (_request, response, next) => {
    setHeaderList(response, list);
    next();
  };
  return withEarlyStep(setHeaders, { run: (call) => void call.headers.push(...list) });
}

/** Sets response headers from a list in which names and values alternate. */
export function setHeaderList(response: Response, headers: string[]): void {
  for (let at = 0; at < headers.length; at += 2) response.setHeader(headers[at]!, headers[at + 1]!);
}

/**
 * Creates the header values once, with helmet. Calling helmet's twelve handlers for each request would take longer than all other handlers
 * together.
 */
export function securityHeadersOf({ sources, referrerPolicy }: SecurityHeaders): ResponseHeader[] {
  const headers: ResponseHeader[] = [];
  const recorder = {
    setHeader: (name: string, value: string) => void headers.push([name, value]),
    removeHeader: () => {},
  };
  const setHeaders = helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: { defaultSrc: NONE, ...sources, frameAncestors: NONE, baseUri: NONE },
    },
    crossOriginResourcePolicy: { policy: 'same-origin' },
    referrerPolicy: { policy: referrerPolicy },
    strictTransportSecurity: { maxAge: 31_536_000, includeSubDomains: false },
    xFrameOptions: { action: 'deny' },
  });
  setHeaders({} as Request, recorder as unknown as Response, () => {});
  return headers;
}

/**
 * The security headers of a response that no browser renders (OWASP REST Security Cheat Sheet). All security headers would take 30 µs more
 * for each response.
 */
const OF_DATA = [
  'Content-Security-Policy',
  'Strict-Transport-Security',
  'X-Content-Type-Options',
  'X-Frame-Options',
];

/** Selects the security headers that a service sends with data, such as JSON. */
export function dataHeadersOf(headers: ResponseHeader[]): ResponseHeader[] {
  return headers.filter(([name]) => OF_DATA.includes(name));
}

function refuseMalformed({ toRefusal, isHostNeeded }: HttpEdge): RequestHandler {
  const malformation = (request: Request) => malformationOf(request, { isHostNeeded });
  const refuse = (request: Request, _response: Response, next: NextFunction) => {
    const found = malformation(request);
    next(found && toRefusal(found));
  };
  return withEarlyStep(refuse, { accepts: (request) => malformation(request) === undefined });
}

/** Limits for one client; times in milliseconds. */
export interface HttpLimits extends ConnectionLimits, ReaderLimits {
  /** Time until the headers of a request are complete. It starts with the connection, or with the first byte of a later request. */
  headersMs: number;
  /** Time until the headers and the body of a request are complete, counted from the same moment as `headersMs`. */
  requestMs: number;
  /** Interval at which Node checks these times; Node's default is 30 s. */
  checkEveryMs: number;
  /**
   * Time for which an idle connection is kept. It is longer than the 60 s of load balancers, because the load balancer must close the
   * connection first.
   */
  keepAliveMs: number;
  /** Closes a connection that neither sends nor reads for this time. */
  silentMs: number;
  /** Maximum size of the request line and all headers together. */
  headerBytes: number;
}

export const HTTP_LIMITS: HttpLimits = {
  headersMs: 10_000,
  requestMs: 15_000,
  checkEveryMs: 2_000,
  keepAliveMs: 65_000,
  silentMs: 30_000,
  unreadMs: 10_000,
  unreadMaxMs: 180_000,
  readBytesPerSecond: 8 * 1024,
  headerBytes: 16 * 1024,
  connections: 10_000,
  // More than the 1,000 waiting requests at which the API refuses further requests. So the server of one tenant gets a 503, not a closed
  // connection.
  connectionsPerAddress: 2_000,
  requestsPerConnection: 1_000,
  unanswered: 16,
};

/** Creates an HTTP server for `app` with limits per client. */
export function createHttpServer(
  app: Express,
  limits: HttpLimits,
  refuseBody: RefuseBody,
  answerEarly: AnswerEarly = () => false,
): http.Server {
  const server = http.createServer({
    ...withPrototypesOf(app),
    headersTimeout: limits.headersMs,
    requestTimeout: limits.requestMs,
    connectionsCheckingInterval: limits.checkEveryMs,
    keepAliveTimeout: limits.keepAliveMs,
    maxHeaderSize: limits.headerBytes,
    // malformed-request.ts checks the Host header, so that the app answers.
    requireHostHeader: false,
  });
  server.setTimeout(limits.silentMs);
  // Node announces this limit in the Keep-Alive header. requests-in-turn.ts enforces the limit.
  server.maxRequestsPerSocket = limits.requestsPerConnection;
  const connections = boundConnections(server, limits, (peer) => isTrustedProxy(app, peer));
  const answer = (request: http.IncomingMessage, response: http.ServerResponse) => {
    if (!answerEarly(request as Request, response as Response)) app(request, response);
  };
  const requests = answerInTurn(answer, limits, connections);
  server.on('dropRequest', (_request, socket) => requests.endAfterLast(socket as Socket));
  sendAnswersTogether(server);
  closeSlowReaders(server, limits, limits.checkEveryMs);
  endConnectionOfUnreadBody(app);
  passRequests(server, app, requests, refuseBody);
  return server;
}

/** Listens on the port. @throws the system's error if the port is taken; HostNotFoundError */
export async function listen(server: http.Server, host: string, port: number): Promise<void> {
  server.listen(port, host);
  await once(server, 'listening').catch((error: NodeJS.ErrnoException) => {
    throw NO_HOST.has(error.code!) ? new HostNotFoundError(error) : error;
  });
}

const NO_HOST = new Set(['ENOTFOUND', 'EAI_AGAIN', 'EADDRNOTAVAIL']);

/** HOST is no address of this machine, and no name of one. */
class HostNotFoundError extends Error {
  constructor({ message }: Error) {
    super(`HOST must be an address or a name of this machine (${message})`);
  }
}

/** Closes the server, and the connections whose requests are not answered after `graceMs`. */
export async function closeServer(server: http.Server, graceMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  const cut = setTimeout(() => server.closeAllConnections(), graceMs);
  await closed;
  clearTimeout(cut);
}

type Construct = (this: unknown, ...args: unknown[]) => void;

/**
 * Creates requests and responses with Express's prototypes. Otherwise Express calls Object.setPrototypeOf for each, which takes most of its
 * time. With the right prototypes the same app needs a quarter of the CPU (4.2 to 4.6 times less, Node 20).
 */
function withPrototypesOf(app: Express): http.ServerOptions {
  const { request, response } = app as unknown as { request: object; response: object };
  function AppRequest(this: http.IncomingMessage, ...args: unknown[]) {
    (http.IncomingMessage as unknown as Construct).apply(this, args);
  }
  AppRequest.prototype = request;
  Object.setPrototypeOf(AppRequest, http.IncomingMessage);
  function AppResponse(this: http.ServerResponse, ...args: unknown[]) {
    (http.ServerResponse as unknown as Construct).apply(this, args);
  }
  AppResponse.prototype = response;
  Object.setPrototypeOf(AppResponse, http.ServerResponse);
  return { IncomingMessage: AppRequest as never, ServerResponse: AppResponse as never };
}
