import type { Express, NextFunction, Request, Response } from 'express';
import { createHttpApp, type SecurityHeaders, securityHeadersOf } from '../../../platform/http/edge';
import { sendFavicon, createFixedBody } from '../../../platform/http/fixed-body';
import type { WriteRequestLine } from '../../../platform/http/request-log';
import type { Logger } from '../../../platform/logger';
import { deliveriesPage } from '../pages/deliveries-page';
import { deliveryPage } from '../pages/delivery-page';
import { endpointPage } from '../pages/endpoint-page';
import { endpointsPage } from '../pages/endpoints-page';
import { type Asset, type Notice, SCRIPT, signInPage, STYLE } from '../pages/layout';
import { overviewPage } from '../pages/overview-page';
import { replayPage } from '../pages/replay-page';
import {
  parseDeliveriesQuery,
  parseEndpointsQuery,
  parseOverviewQuery,
  parseReplayQuery,
} from '../queries/read-query';
import { endSession, isSessionToken, LINK_MINUTES, openSession } from '../session';
import { ACTION_ROUTES } from './actions';
import { dropNotice, dropSessionToken, keepSessionToken, readNotice } from './cookies';
import { handleErrors, notFound, refusalOfMalformed, refuseMethod, RequestRefusal } from './errors';
import {
  type Call,
  type Exchange,
  type MonitorContext,
  pathParameter,
  registerRoutes,
  type Route,
  seeOther,
  type SignedInCall,
} from './serve';

/** Renders a complete document; undefined if the record does not exist. */
type Render = (call: SignedInCall, notice: Notice | undefined) => Promise<string | undefined>;

function page(path: string, render: Render): Route {
  return { method: 'get', path, access: 'session', answer: (call) => show(call, render) };
}

export const ROUTES: Route[] = [
  {
    method: 'get',
    path: '/healthz',
    access: 'always',
    answer: ({ response }) => void response.json({ status: 'ok' }),
  },
  { method: 'get', path: '/readyz', access: 'always', answer: answerReadiness },
  assetRoute(STYLE),
  assetRoute(SCRIPT),
  {
    method: 'get',
    path: '/favicon.ico',
    access: 'always',
    answer: ({ request, response }) => sendFavicon(request, response),
  },
  {
    method: 'get',
    path: '/sign-in',
    access: 'anyone',
    answer: ({ response }) => void response.send(signInPage()),
  },
  // Only the POST uses the one-time link: link previews and mail scanners send the GET before the operator does.
  { method: 'get', path: '/sign-in/:token', access: 'anyone', answer: offerLink },
  { method: 'post', path: '/sign-in/:token', access: 'anyone', answer: spendLink },
  { method: 'post', path: '/sign-out', access: 'session', answer: signOut },
  page('/', ({ monitor, params, viewer }, notice) =>
    overviewPage(monitor.db, parseOverviewQuery(params), viewer, notice),
  ),
  page('/endpoints', ({ monitor, params, viewer }, notice) =>
    endpointsPage(monitor.db, parseEndpointsQuery(params), viewer, notice),
  ),
  page('/endpoints/:id', (call, notice) =>
    endpointPage(call.monitor.db, pathParameter(call, 'id'), call.viewer, notice),
  ),
  page('/deliveries', ({ monitor, params, viewer }, notice) =>
    deliveriesPage(monitor.db, parseDeliveriesQuery(params), viewer, notice),
  ),
  page('/deliveries/:id', (call, notice) =>
    deliveryPage(call.monitor.db, pathParameter(call, 'id'), { revealed: false }, call.viewer, notice),
  ),
  page('/replay', ({ monitor, params, viewer }, notice) =>
    replayPage(monitor.db, parseReplayQuery(params), viewer, notice),
  ),
  { method: 'get', path: '/live', access: 'session', answer: live, withoutSession: 'refused' },
  ...ACTION_ROUTES,
];

/** Creates the app of WEBHOOK_QUEUE_PORT. A request passes through the handlers in this order. */
export function createMonitorApp(context: MonitorContext): Express {
  const app = createHttpApp({
    trustProxy: context.trustProxy,
    log: context.log,
    writeRequestLine: requestLineWriter(context.log),
    securityHeaders: securityHeadersOf(SECURITY_HEADERS),
    toRefusal: refusalOfMalformed,
    // Requires Host in HTTP/1.0 too, because Host decides whether a form comes from the same origin.
    isHostNeeded: true,
  });
  app.use(forbidCaching);
  registerRoutes(app, context, ROUTES);
  const refuseConnect = refuseMethod([...new Set(ROUTES.map(({ method }) => method))]);
  app.use((request, response, next) => {
    // Refuses CONNECT here, because it has no path and so matches no route.
    if (request.method === 'CONNECT') return refuseConnect(request, response, next);
    throw notFound();
  });
  app.use(handleErrors(context.log));
  return app;
}

/** Load balancers request these paths every few seconds, so these request lines are logged at debug level. */
const PROBES = ['/healthz', '/readyz'];

function requestLineWriter(log: Logger): WriteRequestLine {
  return (line) => log[PROBES.includes(line.route) ? 'debug' : 'info'](line, 'request');
}

/**
 * Sets Referrer-Policy to same-origin. With no-referrer, browsers send `Origin: null` with the page's own forms (Fetch, "append a request
 * Origin header"). On plain http browsers send no Sec-Fetch-Site, so these forms would look like forms of another origin.
 */
const SECURITY_HEADERS: SecurityHeaders = {
  sources: {
    styleSrc: ["'self'"],
    scriptSrc: ["'self'"],
    imgSrc: ["'self'"],
    connectSrc: ["'self'"],
    formAction: ["'self'"],
  },
  referrerPolicy: 'same-origin',
};

/** Forbids caching: a page may show personal data. Assets override this. */
function forbidCaching(_request: Request, response: Response, next: NextFunction): void {
  response.setHeader('Cache-Control', 'no-store');
  next();
}

async function show(call: SignedInCall, render: Render): Promise<void> {
  const { request, response, session } = call;
  const notice = readNotice(request, session.token);
  const document = await render(call, notice);
  if (document === undefined) throw notFound();
  if (notice && request.method === 'GET') dropNotice(response);
  response.type('html').send(document);
}

function live({ monitor, params, request, response, session }: SignedInCall): void {
  if (request.method === 'HEAD') response.type('text/event-stream').end();
  else monitor.streams.open(response, session, parseOverviewQuery(params).range);
}

function assetRoute({ path, body, type }: Asset): Route {
  const fixed = createFixedBody(type, body);
  return {
    method: 'get',
    path: path.split('?')[0]!,
    access: 'always',
    answer({ request, response }) {
      // Lets browsers cache only the URL of this version. While two versions run, this server may also get the URL of the other version,
      // and its body would be cached under the wrong URL.
      const isCurrent = request.originalUrl === path;
      response.setHeader('Cache-Control', isCurrent ? 'public, max-age=31536000, immutable' : 'no-cache');
      return fixed.send(request, response);
    },
  };
}

/** Answers whether the service can work. /healthz answers only that the process runs. */
async function answerReadiness({ context: edge, response }: Exchange): Promise<void> {
  const reason = await edge.whyNotReady();
  response.status(reason ? 503 : 200).json(reason ? { status: 'not ready', reason } : { status: 'ready' });
}

function offerLink(call: Call): void {
  const token = pathParameter(call, 'token');
  if (!isSessionToken(token)) throw invalidLink();
  call.response.send(signInPage({ action: `/sign-in/${token}` }));
}

async function spendLink(call: Call): Promise<void> {
  const session = await openSession(call.monitor.db, pathParameter(call, 'token'));
  if (!session) throw invalidLink();
  keepSessionToken(call.response, session.token);
  seeOther(call.response, '/');
}

async function signOut({ monitor, response, session }: SignedInCall): Promise<void> {
  await endSession(monitor.db, session);
  monitor.streams.endSession(session.id);
  dropSessionToken(response);
  dropNotice(response);
  seeOther(response, '/sign-in');
}

function invalidLink(): RequestRefusal {
  return new RequestRefusal(
    410,
    `This link was used already, or is older than ${LINK_MINUTES} minutes. Run tourctl monitor for a new one.`,
  );
}
