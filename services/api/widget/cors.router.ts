import type { Express, NextFunction, Request, Response } from 'express';
import { isOriginOfSomeLiveToken } from '../credentials/verify-widget-token';
import { contextOf } from '../http/api-context';
import { widgetPrincipalOf } from '../http/authentication';
import { TransportError } from '../http/http.errors';
import { isOwnPage, mayReadList, type Place } from './judge-place';

const LIST = '/api/widget/tours';
const READABLE = [
  'X-Request-Id',
  'Retry-After',
  'RateLimit',
  'RateLimit-Policy',
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
];
const PREFLIGHT_SECONDS = 600;

/** What the list says to browsers before its token is known (CONTRACT section 4). */
export function registerWidgetCors(app: Express): void {
  app.use(LIST, (_request: Request, response: Response, next: NextFunction) => {
    response.vary('Origin');
    next();
  });
  app.options(LIST, answerPreflight);
}

/** A preflight carries no token. An origin that no token lists gets what OPTIONS gets on any path: 204 and Allow. */
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

/** Right after the token is known, so that a page that may ask can read a refusal of its request too. */
export function allowListedOrigin(request: Request, response: Response, next: NextFunction): void {
  const { origin } = placeOf(request);
  if (origin !== undefined && widgetPrincipalOf(request).origins.includes(origin) && !carriesPass(request)) {
    response.setHeader('Access-Control-Allow-Origin', origin);
    response.setHeader('Access-Control-Expose-Headers', READABLE.join(', '));
  }
  next();
}

/** After the quota, which counts the requests of a foreign page too. */
export function refuseForeignPage(request: Request, _response: Response, next: NextFunction): void {
  const place = placeOf(request);
  const allowed = carriesPass(request)
    ? isOwnPage(ownOrigin(request), place)
    : mayReadList(widgetPrincipalOf(request).origins, place);
  next(allowed ? undefined : new TransportError('origin_not_allowed'));
}

export function placeOf(request: Request): Place {
  return {
    origin: request.get('origin'),
    referer: request.get('referer'),
    fetchSite: request.get('sec-fetch-site'),
    fetchDest: request.get('sec-fetch-dest'),
  };
}

export function ownOrigin(request: Request): string {
  return new URL(contextOf(request).config.publicBaseUrl).origin;
}

function carriesPass(request: Request): boolean {
  return request.query.pass !== undefined;
}
