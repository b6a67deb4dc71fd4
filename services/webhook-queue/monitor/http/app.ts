import express, {
  type Express,
  type NextFunction,
  type Request,
  type RequestHandler,
  type Response,
} from 'express';
import helmet from 'helmet';
import type { Logger } from '../../../platform/logger';
import { shortenedAddress } from '../../../platform/http/client-address';
import { nameRequest, requestIdOf } from '../../../platform/http/request-id';
import { ASSET_ROUTES, HEALTH_ROUTES, SIGN_IN_ROUTES } from './public-routes';
import type { MonitorContext, Route } from './call';
import { DELIVERY_ACTIONS } from './delivery-actions';
import { ENDPOINT_ACTIONS } from './endpoint-actions';
import { handleErrors, notFound, refuseMalformed, refuseMethod } from './errors';
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
  const app = express();
  // Never sends a stack trace, also where NODE_ENV is unset.
  app.set('env', 'production');
  app.set('case sensitive routing', true);
  app.set('query parser', 'simple');
  app.set('etag', false);
  app.set('trust proxy', context.trustProxy);
  app.disable('x-powered-by');

  app.use(nameRequest, logRequests(context.log), securityHeaders, forbidCaching, refuseMalformed);
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

/** Logs one line per request. Logs the route's template without path and query: a path may hold a sign-in token. */
function logRequests(log: Logger): RequestHandler {
  return (request, response, next) => {
    const begun = performance.now();
    // A closed socket has no address.
    const client = shortenedAddress(request.ip);
    response.on('close', () => {
      const route = (request.route as { path?: string } | undefined)?.path ?? 'none';
      const line = {
        request_id: requestIdOf(request),
        client,
        method: request.method,
        route,
        status: response.writableFinished ? response.statusCode : 499,
        duration_ms: Math.round((performance.now() - begun) * 10) / 10,
      };
      if (PROBES.includes(route)) log.debug(line, 'request');
      else log.info(line, 'request');
    });
    next();
  };
}

/**
 * Sets the security headers of every response. Referrer-Policy is same-origin: with no-referrer, browsers send `Origin: null`
 * with the page's own forms (Fetch, "append a request Origin header"). On plain http, where no Sec-Fetch-Site is sent, these
 * forms would look like forms of another origin.
 */
const securityHeaders = helmet({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: {
      defaultSrc: ["'none'"],
      styleSrc: ["'self'"],
      scriptSrc: ["'self'"],
      imgSrc: ["'self'", 'data:'],
      connectSrc: ["'self'"],
      formAction: ["'self'"],
      frameAncestors: ["'none'"],
      baseUri: ["'none'"],
    },
  },
  crossOriginResourcePolicy: { policy: 'same-origin' },
  crossOriginOpenerPolicy: { policy: 'same-origin' },
  referrerPolicy: { policy: 'same-origin' },
  strictTransportSecurity: { maxAge: 31_536_000, includeSubDomains: false },
  xFrameOptions: { action: 'deny' },
});

/** Forbids caching: a page may show personal data. Assets override this. */
function forbidCaching(_request: Request, response: Response, next: NextFunction): void {
  response.setHeader('Cache-Control', 'no-store');
  next();
}
