import type { Express, NextFunction, Request, Response } from 'express';
import { createHttpApp, securityHeadersOf, type SecurityHeaders } from '../../../platform/http/edge';
import type { WriteRequestLine } from '../../../platform/http/request-log';
import type { Logger } from '../../../platform/logger';
import { ASSET_ROUTES, HEALTH_ROUTES, SIGN_IN_ROUTES } from './public-routes';
import type { MonitorContext, Route } from './call';
import { DELIVERY_ACTIONS } from './delivery-actions';
import { ENDPOINT_ACTIONS } from './endpoint-actions';
import { handleErrors, refusalOfMalformed, notFound, refuseMethod } from './errors';
import { PAGE_ROUTES } from './page-routes';
import { registerRoutes } from './serve';

export const ROUTES: Route[] = [
  ...HEALTH_ROUTES,
  ...ASSET_ROUTES,
  ...SIGN_IN_ROUTES,
  ...PAGE_ROUTES,
  ...DELIVERY_ACTIONS,
  ...ENDPOINT_ACTIONS,
];

/** Creates the app of WEBHOOK_QUEUE_PORT. A request passes through the handlers in this order. */
export function createMonitorApp(context: MonitorContext): Express {
  const app = createHttpApp({
    trustProxy: context.trustProxy,
    writeRequestLine: requestLineWriter(context.log),
    securityHeaders: securityHeadersOf(SECURITY_HEADERS),
    toRefusal: refusalOfMalformed,
    // HTTP/1.0 needs a Host too: it decides whether a form has the same origin.
    isHostNeeded: true,
  });
  app.use(forbidCaching);
  registerRoutes(app, context, ROUTES);
  const refuseConnect = refuseMethod([...new Set(ROUTES.map(({ method }) => method))]);
  app.use((request, response, next) => {
    // CONNECT has no path, so it matches no route.
    if (request.method === 'CONNECT') return refuseConnect(request, response, next);
    throw notFound();
  });
  app.use(handleErrors(context.log));
  return app;
}

/** Requested by a load balancer every few seconds. */
const PROBES = ['/healthz', '/readyz'];

function requestLineWriter(log: Logger): WriteRequestLine {
  return (line) => log[PROBES.includes(line.route) ? 'debug' : 'info'](line, 'request');
}

/**
 * Referrer-Policy is same-origin: with no-referrer, browsers send `Origin: null` with the page's own forms (Fetch, "append a
 * request Origin header"). On plain http, where no Sec-Fetch-Site is sent, these forms would look like forms of another origin.
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
