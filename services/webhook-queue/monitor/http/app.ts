import express, { type Express } from 'express';
import { ASSET_ROUTES, HEALTH_ROUTES } from './public-routes';
import type { MonitorContext, Route } from './call';
import { DELIVERY_ACTIONS } from './delivery-actions';

import { ENDPOINT_ACTIONS } from './endpoint-actions';
import { handleErrors, notFound, refuseMalformed, refuseMethod } from './errors';

import { PAGE_ROUTES } from './page-routes';

import { nameRequest } from '../../../platform/http/request-id';
import { logRequests } from './request-log';
import { forbidCaching, securityHeaders } from './security-headers';
import { registerRoutes } from './serve';
import { SIGN_IN_ROUTES } from './sign-in-routes';

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
