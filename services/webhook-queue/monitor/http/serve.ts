import express, { type Express, type NextFunction, type Request, type Response } from 'express';
import { BODY_MAX, readBody } from '../../../platform/http/request-body';
import { CONTROL_CHARACTER } from '../../../platform/text-forms';
import type { Params } from '../queries/read-query';
import { databaseUnavailable, refuseMethod, RequestRefusal } from './errors';
import { findSession, type MonitorSession } from '../sign-in/session';
import {
  type Call,
  type Exchange,
  type MonitorContext,
  type Route,
  seeOther,
  type SignedInCall,
} from './call';
import { readSessionToken, sameMac, sessionMac } from './cookies';
import { refuseCrossSite } from './request-origin';

/** Registers each route behind the same checks, and answers 405 to the other methods of its path. */
export function registerRoutes(app: Express, context: MonitorContext, routes: Route[]): void {
  for (const route of routes) {
    app[route.method](route.path, (request, response) => serve(route, { context, request, response }));
  }
  for (const path of new Set(routes.map((route) => route.path))) {
    app.all(path, refuseMethod(routes.filter((route) => route.path === path).map(({ method }) => method)));
  }
}

/** Checks the database, the origin, the session and the CSRF token, in this order; then answers. */
async function serve(route: Route, exchange: Exchange): Promise<void> {
  if (route.access === 'always') return route.answer(exchange);
  const { context, request, response } = exchange;
  const monitor = context.monitor();
  if (!monitor) throw databaseUnavailable();
  const call = { ...exchange, monitor };
  const isLive = route.access === 'session' && route.strangers === 'refused';
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
  // Used by error pages.
  response.locals.viewer = viewer;
  const isPost = request.method === 'POST';
  const given = isPost ? await readForm(request, response) : plainParams(request.query);
  return { ...call, session, viewer, params: isPost ? checkCsrf(given, viewer.csrfToken) : given };
}

function checkCsrf({ csrf = '', ...fields }: Params, expected: string): Params {
  if (!sameMac(csrf, expected))
    throw new RequestRefusal(
      403,
      'This form belongs to another session, so nothing was done. Reload the page and try again.',
    );
  return fields;
}

const parseForm = readBody(express.urlencoded({ extended: false, limit: BODY_MAX, parameterLimit: 50 }));

/** Accepts each parameter once, as one line of text without control characters: PostgreSQL refuses NUL. */
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
