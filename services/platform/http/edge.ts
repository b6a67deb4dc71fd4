import express, {
  type Express,
  type NextFunction,
  type Request,
  type RequestHandler,
  type Response,
} from 'express';
import helmet from 'helmet';
import type { TrustProxy } from '../config/variables';
import { malformationOf, type RequestMalformation } from './malformed-request';
import { nameRequest } from './request-id';
import { logRequests, type WriteRequestLine } from './request-log';

/** The decisions of one service about its HTTP edge. */
export interface HttpEdge {
  trustProxy: TrustProxy;
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
  // Never sends a stack trace, also where NODE_ENV is unset.
  app.set('env', 'production');
  app.set('case sensitive routing', true);
  app.set('query parser', 'simple');
  app.set('etag', false);
  app.set('trust proxy', edge.trustProxy);
  app.disable('x-powered-by');
  sendJsonDirectly(app);

  app.use(nameRequest, logRequests(edge.writeRequestLine));
  if (edge.measure) app.use(edge.measure);
  app.use(setSecurityHeaders(edge.securityHeaders), refuseMalformed(edge));
  return app;
}

/**
 * Replaces response.json() for answers without headers of their own about the content. Express's takes 25 µs more, because it
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

/** Sets the security headers of the responses of all later handlers. A route whose page may be framed replaces them. */
export function setSecurityHeaders(headers: ResponseHeader[]): RequestHandler {
  return (_request, response, next) => {
    for (const [name, value] of headers) response.setHeader(name, value);
    next();
  };
}

/** Sets headers of a list of alternating names and values. */
export function setHeaderList(response: Response, headers: string[]): void {
  for (let at = 0; at < headers.length; at += 2) response.setHeader(headers[at]!, headers[at + 1]!);
}

/** Creates the headers with helmet once. For each request its twelve handlers would take longer than all other common ones. */
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

/** The headers of an answer that no browser renders (OWASP REST Security Cheat Sheet). The others take 30 µs a response. */
const OF_DATA = [
  'Content-Security-Policy',
  'Strict-Transport-Security',
  'X-Content-Type-Options',
  'X-Frame-Options',
];

/** Returns those of a service's security headers that its data needs. */
export function dataHeadersOf(headers: ResponseHeader[]): ResponseHeader[] {
  return headers.filter(([name]) => OF_DATA.includes(name));
}

function refuseMalformed({ toRefusal, isHostNeeded }: HttpEdge): RequestHandler {
  return (request: Request, _response: Response, next: NextFunction) => {
    const malformation = malformationOf(request, { isHostNeeded });
    next(malformation && toRefusal(malformation));
  };
}
