import type { Express } from 'express';
import type { Params } from '../queries/read-query';
import { findSession, type MonitorSession } from '../sign-in/session';
import { goTo, type Call, type Exchange, type Route, type SignedInCall } from './call';
import { readSessionToken } from './cookies';
import type { Edge } from './edge';
import { refuseMethod } from './errors';
import { plainParams, readForm } from './params';
import { notThere, Refusal } from './refusal';
import { refuseForeign } from './same-origin';
import { sameMac, sessionMac } from './session-mac';

/** Puts each route behind the same questions, and its path's other methods behind a 405. */
export function registerRoutes(app: Express, edge: Edge, routes: Route[]): void {
  for (const route of routes) {
    app[route.method](route.path, (request, response) => serve(route, { edge, request, response }));
  }
  for (const path of new Set(routes.map((route) => route.path))) {
    app.all(path, refuseMethod(routes.filter((route) => route.path === path).map(({ method }) => method)));
  }
}

/** Is the database there, did a page of ours send it, who asks, may the form be believed. */
async function serve(route: Route, exchange: Exchange): Promise<void> {
  if (route.access === 'always') return route.answer(exchange);
  const { edge, request, response } = exchange;
  const monitor = edge.monitor();
  if (!monitor) throw notThere();
  const call = { ...exchange, monitor };
  const isLive = route.access === 'session' && route.strangers === 'refused';
  if (route.method === 'post' || isLive) refuseForeign(request);
  if (route.access === 'anyone') return route.answer(call);
  const session = await findSession(monitor.db, readSessionToken(request));
  if (session) return route.answer(await signedIn(call, session));
  if (isLive) throw new Refusal(401, 'Nobody is signed in.');
  goTo(response, '/sign-in');
}

async function signedIn(call: Call, session: MonitorSession): Promise<SignedInCall> {
  const { request, response } = call;
  const viewer = { operator: session.operator, csrfToken: sessionMac(session.token, 'csrf') };
  // For the page of an error.
  response.locals.viewer = viewer;
  const isPost = request.method === 'POST';
  const given = isPost ? await readForm(request, response) : plainParams(request.query);
  return { ...call, session, viewer, params: isPost ? believed(given, viewer.csrfToken) : given };
}

function believed({ csrf = '', ...fields }: Params, expected: string): Params {
  if (!sameMac(csrf, expected))
    throw new Refusal(403, 'This form is of another session, so nothing was done. Load its page again.');
  return fields;
}
