import express, { type Express, type NextFunction, type Request, type Response } from 'express';
import type { TrustProxy } from '../../../platform/config/variables';
import type { Db } from '../../../platform/database/database';
import { BODY_MAX, readBody } from '../../../platform/http/request-body';
import type { Logger } from '../../../platform/logger';
import { CONTROL_CHARACTER } from '../../../platform/forms/text-forms';
import type { Viewer } from '../pages/layout';
import type { Params } from '../queries/read-query';
import { findSession, type MonitorSession } from '../session';
import { readSessionToken, sameMac, sessionMac } from './cookies';
import { databaseUnavailable, refuseMethod, RequestRefusal } from './errors';
import type { Streams } from './live';

export interface Exchange {
  request: Request;
  response: Response;
  context: MonitorContext;
}

export interface Call extends Exchange {
  monitor: Monitor;
}

export interface SignedInCall extends Call {
  session: MonitorSession;
  viewer: Viewer;
  /** The query of a GET, or the fields of a POST without the CSRF token. */
  params: Params;
}

type Handler<C> = (call: C) => Promise<void> | void;

/**
 * A line of the route table. GET routes answer HEAD too. `always`: the route answers even while the monitoring page is closed. `anyone`:
 * the route needs no session. `session`: without a session, the route redirects to /sign-in, or answers 401 if `withoutSession` is 'refused'.
 */
export type Route = { method: 'get' | 'post'; path: string } & (
  | { access: 'always'; answer: Handler<Exchange> }
  | { access: 'anyone'; answer: Handler<Call> }
  | { access: 'session'; answer: Handler<SignedInCall>; withoutSession?: 'refused' }
);

/** Returns a parameter of the path by its name in the route. */
export function pathParameter({ request }: Exchange, name: string): string {
  return (request.params as Record<string, string>)[name]!;
}

/** Redirects with 303, so that the browser does not repeat a POST. */
export function seeOther(response: Response, path: string): void {
  response.redirect(303, path);
}

/** Dependencies of the monitoring page, available from the end of the migration until the shutdown begins. */
export interface Monitor {
  db: Db;
  /** SECRETS_KEY, which encrypts a new secret after a rotation. */
  secretsKey: string;
  streams: Streams;
}

export interface MonitorContext {
  log: Logger;
  trustProxy: TrustProxy;
  /** Returns a short reason, or undefined when the service is ready. */
  whyNotReady: () => Promise<string | undefined>;
  /** Undefined before the schema is migrated, and again once the shutdown has begun. */
  monitor: () => Monitor | undefined;
}

/** Registers all routes with the same checks, and answers 405 to other methods on the path of a route. */
export function registerRoutes(app: Express, context: MonitorContext, routes: Route[]): void {
  for (const route of routes) {
    app[route.method](route.path, (request, response) => serve(route, { context, request, response }));
  }
  for (const path of new Set(routes.map((route) => route.path))) {
    app.all(path, refuseMethod(routes.filter((route) => route.path === path).map(({ method }) => method)));
  }
}

/** Checks that the database is available. Then checks the origin, the session and the CSRF token, if the route needs them. Then answers. */
async function serve(route: Route, exchange: Exchange): Promise<void> {
  if (route.access === 'always') return route.answer(exchange);
  const { context, request, response } = exchange;
  const monitor = context.monitor();
  if (!monitor) throw databaseUnavailable();
  const call = { ...exchange, monitor };
  const isLive = route.access === 'session' && route.withoutSession === 'refused';
  if (route.method === 'post' || isLive) refuseCrossSite(request);
  if (route.access === 'anyone') return route.answer(call);
  const session = await findSession(monitor.db, readSessionToken(request));
  if (session) return route.answer(await signedIn(call, session));
  if (isLive) throw new RequestRefusal(401, 'Sign in first.');
  seeOther(response, '/sign-in');
}

async function signedIn(call: Call, session: MonitorSession): Promise<SignedInCall> {
  const { request, response } = call;
  const viewer = { operator: session.operator, csrfToken: sessionMac(session.token, 'csrf') };
  // Stores the viewer for error pages.
  response.locals.viewer = viewer;
  if (request.method !== 'POST') return { ...call, session, viewer, params: plainParams(request.query) };
  const { csrf = '', ...params } = await readForm(request, response);
  if (!sameMac(csrf, viewer.csrfToken))
    throw new RequestRefusal(
      403,
      'This form belongs to another session, so nothing was done. Reload the page and try again.',
    );
  return { ...call, session, viewer, params };
}

const parseForm = readBody(express.urlencoded({ extended: false, limit: BODY_MAX, parameterLimit: 50 }));

/** Accepts each parameter only once, as one line of text without control characters, because PostgreSQL refuses NUL. */
function plainParams(given: Record<string, unknown>): Params {
  for (const [name, value] of Object.entries(given)) {
    if (typeof value !== 'string') throw new RequestRefusal(400, 'A parameter is given more than once.');
    if (CONTROL_CHARACTER.test(name + value))
      throw new RequestRefusal(400, 'A parameter holds a control character, such as a line break.');
  }
  return { ...given } as Params;
}

/** Reads the fields of a form. Returns no fields for an empty body. */
async function readForm(request: Request, response: Response): Promise<Params> {
  const isEmpty = request.get('content-length') === '0';
  if (!isEmpty && request.is('urlencoded') === false)
    throw new RequestRefusal(415, 'Send the fields of a form.');
  await new Promise<void>((resolve, reject) => {
    const done = (error?: Error) => (error ? reject(error) : resolve());
    void parseForm(request, response, done as NextFunction);
  });
  return plainParams((request.body ?? {}) as Record<string, unknown>);
}

/**
 * Refuses requests from pages of another origin. SameSite cookies alone would allow another port of the same host. A client that sends
 * neither Sec-Fetch-Site nor Origin is not a browser, so no foreign page can use its cookie.
 */
function refuseCrossSite(request: Request): void {
  if (!isSameOrigin(request))
    throw new RequestRefusal(
      403,
      'A page of another origin sent this, so nothing was done. Open the monitoring page and try again.',
    );
}

/** Prefers Sec-Fetch-Site, because no page can set this header, and a proxy that changes the host does not affect it. */
function isSameOrigin(request: Request): boolean {
  const site = request.get('sec-fetch-site');
  if (site !== undefined) return site === 'same-origin';
  const origin = request.get('origin');
  return origin === undefined || isOwnOrigin(origin, request.host);
}

/** Compares host and port only: behind a proxy that ends TLS, the scheme is unknown. */
function isOwnOrigin(origin: string, ownHost: string): boolean {
  if (!URL.canParse(origin)) return false;
  const { protocol, host } = new URL(origin);
  const own = `${protocol}//${ownHost}`;
  return URL.canParse(own) && new URL(own).host === host;
}

/** Matches the pages to which an action may return. */
const PAGE = /^\/(endpoints(\/[0-9a-f-]{36})?|deliveries(\/[0-9a-f-]{36})?|replay)?$/i;

/**
 * Returns the path and query of the page that sent the form. Undefined if there is no Referer, or if the Referer is not a page of this
 * service.
 */
export function cameFrom(request: Request): string | undefined {
  const referer = request.get('referer') ?? '';
  if (!URL.canParse(referer)) return undefined;
  const { host, pathname, search } = new URL(referer);
  return host === request.host && PAGE.test(pathname) ? pathname + search : undefined;
}
