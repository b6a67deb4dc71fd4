import type { Express, NextFunction, Request, Response } from 'express';
import type { AppError } from '../../platform/errors';
import { runsEarly } from '../../platform/http/early-answer';
import { setHeaderList } from '../../platform/http/edge';
import { isTargetKnown } from '../../platform/http/malformed-request';
import { UnusableWidgetTokenError } from '../credentials/credential.errors';
import { isOriginOfSomeLiveToken } from '../credentials/verify-credential';
import { contextOf } from '../http/api-context';
import { principalOf, widgetPrincipalOf } from '../http/authentication';
import { TransportError } from '../http/http.errors';

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

/** Answers preflight requests for the list of tours, which need no token. */
export function registerWidgetCors(app: Express): void {
  app.options(LIST, answerPreflight);
}

/** Answers a preflight. An origin that no token lists gets the normal answer to OPTIONS: 204 and Allow. */
async function answerPreflight(request: Request, response: Response, next: NextFunction): Promise<void> {
  const origin = request.get('origin');
  setHeaderList(response, VARY);
  if (origin && (await isOriginOfSomeLiveToken(contextOf(request).db, origin))) {
    response.setHeader('Access-Control-Allow-Origin', origin);
    response.setHeader('Access-Control-Allow-Methods', 'GET');
    response.setHeader('Access-Control-Allow-Headers', 'x-svc-widget-token');
    response.setHeader('Access-Control-Max-Age', PREFLIGHT_SECONDS);
  }
  next();
}

/** Sets the CORS headers for a listed origin before the other checks, so that a page of this origin can also read a refusal. */
export const allowListedOrigin = runsEarly((request, response, next) => {
  setHeaderList(response, headersFor(widgetPrincipalOf(request).origins, request));
  next();
});

/**
 * Sets the same headers on every error of the list. A token that was proven and may not be used has origins too: its own pages can read the
 * reason, and other pages learn nothing. An error of a request whose path could not be read has Vary, because the path may be that of the list.
 * @rule which pages can read an error of the widget's list: test/widget/cors.test.ts
 */
export function setCorsOfError(error: AppError | undefined, request: Request, response: Response): void {
  if (request.path !== LIST && !request.path.startsWith(`${LIST}/`)) {
    if (!isTargetKnown(request)) setHeaderList(response, VARY);
    return;
  }
  const caller = principalOf(request);
  const proven = error instanceof UnusableWidgetTokenError ? error.origins : [];
  setHeaderList(response, headersFor(caller?.kind === 'widget_token' ? caller.origins : proven, request));
}

/** Returns Vary, and for a listed origin the headers that allow it to read the answer. Names and values alternate. */
function headersFor(listed: string[], request: Request): string[] {
  const { origin } = requestOriginOf(request);
  if (origin === undefined || !listed.includes(origin) || carriesPass(request)) return VARY;
  return [...VARY, 'Access-Control-Allow-Origin', origin, 'Access-Control-Expose-Headers', READABLE];
}

/** Refuses origins that are not listed. Runs after the quota, so that the quota also counts the requests from these origins. */
export const refuseForeignPage = runsEarly((request, _response, next) => {
  assertOwnPage(request);
  next();
});

/** @throws TransportError origin_not_allowed (403) */
function assertOwnPage(request: Request): void {
  const from = requestOriginOf(request);
  const allowed = carriesPass(request)
    ? isOwnPage(ownOrigin(request), from)
    : mayReadList(widgetPrincipalOf(request).origins, from);
  if (!allowed) throw new TransportError('origin_not_allowed');
}

/** The headers with which a browser names the origin of a request. Other programs can send any value. */
export interface RequestOrigin {
  origin?: string;
  referer?: string;
  /** Sec-Fetch-Site. Some browsers send it, and only over https. */
  fetchSite?: string;
  /** Sec-Fetch-Dest. Some browsers send it, and only over https. */
  fetchDest?: string;
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

/** Matches a URL that may have the parameter `pass`. Most URLs do not match, so Express need not parse their query, which takes 7 µs. */
const MAY_BE_PASS = /pass|%/;

function carriesPass(request: Request): boolean {
  return MAY_BE_PASS.test(request.url) && request.query.pass !== undefined;
}

/**
 * Returns whether this page may read the list. A request without Origin is accepted, unless Sec-Fetch-Site names another site or origin.
 */
function mayReadList(listed: string[], { origin, fetchSite }: RequestOrigin): boolean {
  if (origin !== undefined) return listed.includes(origin);
  return fetchSite !== 'cross-site' && fetchSite !== 'same-site';
}

/** Returns whether the request comes from the embed page itself. A pass is valid only for such requests. */
export function isOwnPage(own: string, { origin, fetchSite }: RequestOrigin): boolean {
  return (origin ?? own) === own && (fetchSite ?? 'same-origin') === 'same-origin';
}

const FRAMES = ['iframe', 'frame', 'document'];

/** Returns whether this site may show the embed page in a frame. Browsers also enforce frame-ancestors; this is a second check. */
export function mayFrame(listed: string[], own: string, { referer, fetchDest }: RequestOrigin): boolean {
  if (fetchDest !== undefined && !FRAMES.includes(fetchDest)) return false;
  if (!referer) return true;
  const origin = URL.canParse(referer) ? new URL(referer).origin : 'null';
  return origin === own || listed.includes(origin);
}
