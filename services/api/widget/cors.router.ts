import type { Express, NextFunction, Request, Response } from 'express';
import { setHeaderList } from '../../platform/http/edge';
import { isOriginOfSomeLiveToken } from '../credentials/verify-credential';
import { contextOf } from '../http/api-context';
import { widgetPrincipalOf } from '../http/authentication';
import { TransportError } from '../http/http.errors';
import { isOwnPage, mayReadList, type RequestOrigin } from './allowed-origin';

const LIST = '/api/widget/tours';
const READABLE = [
  'X-Request-Id',
  'X-Sandbox',
  'Retry-After',
  'RateLimit',
  'RateLimit-Policy',
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
].join(', ');
const PREFLIGHT_SECONDS = 600;
const VARY = ['Vary', 'Origin'];

/** Registers the CORS answers of the list that need no token (CONTRACT section 4). */
export function registerWidgetCors(app: Express): void {
  app.use(LIST, (_request: Request, response: Response, next: NextFunction) => {
    setHeaderList(response, VARY);
    next();
  });
  app.options(LIST, answerPreflight);
}

/** Answers a preflight, which carries no token. An origin that no token lists gets the normal answer to OPTIONS: 204 and Allow. */
async function answerPreflight(request: Request, response: Response, next: NextFunction): Promise<void> {
  const origin = request.get('origin');
  if (origin && (await isOriginOfSomeLiveToken(contextOf(request).db, origin))) {
    response.setHeader('Access-Control-Allow-Origin', origin);
    response.setHeader('Access-Control-Allow-Methods', 'GET');
    response.setHeader('Access-Control-Allow-Headers', 'x-svc-widget-token');
    response.setHeader('Access-Control-Max-Age', PREFLIGHT_SECONDS);
  }
  next();
}

/** Allows a listed origin before the other checks, so that its page can read a refusal too. */
export function allowListedOrigin(request: Request, response: Response, next: NextFunction): void {
  setHeaderList(response, headersOfOrigin(request));
  next();
}

/** Returns Vary, and for a listed origin the headers that allow it, alternating names and values. */
export function headersOfOrigin(request: Request): string[] {
  const { origin } = requestOriginOf(request);
  if (origin === undefined || !widgetPrincipalOf(request).origins.includes(origin) || carriesPass(request))
    return VARY;
  return [...VARY, 'Access-Control-Allow-Origin', origin, 'Access-Control-Expose-Headers', READABLE];
}

/** Refuses other origins. Runs after the quota, which counts their requests too. */
export function refuseForeignPage(request: Request, _response: Response, next: NextFunction): void {
  assertOwnPage(request);
  next();
}

/** @throws TransportError origin_not_allowed (403) */
export function assertOwnPage(request: Request): void {
  const from = requestOriginOf(request);
  const allowed = carriesPass(request)
    ? isOwnPage(ownOrigin(request), from)
    : mayReadList(widgetPrincipalOf(request).origins, from);
  if (!allowed) throw new TransportError('origin_not_allowed');
}

export function requestOriginOf({ headers }: Request): RequestOrigin {
  return {
    origin: headers.origin,
    referer: headers.referer,
    fetchSite: headers['sec-fetch-site'],
    fetchDest: headers['sec-fetch-dest'],
  };
}

export function ownOrigin(request: Request): string {
  return new URL(contextOf(request).config.publicBaseUrl).origin;
}

/** A name that may be `pass`. Express parses a query in 7 µs. */
const MAY_BE_PASS = /pass|%/;

function carriesPass(request: Request): boolean {
  return MAY_BE_PASS.test(request.url) && request.query.pass !== undefined;
}
