import express, { type Express } from 'express';
import { ASSET_ROUTES } from './asset-routes';
import type { Route } from './call';
import { DELIVERY_ACTIONS } from './delivery-actions';
import type { Edge } from './edge';
import { ENDPOINT_ACTIONS } from './endpoint-actions';
import { handleErrors } from './errors';
import { HEALTH_ROUTES } from './health-routes';
import { refuseMalformed } from './malformed-request';
import { PAGE_ROUTES } from './page-routes';
import { notFound } from './refusal';
import { nameRequest } from '../../../platform/request-id';
import { logRequests } from './request-log';
import { keepNothing, securityHeaders } from './security-headers';
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

/** What listens on WEBHOOK_QUEUE_PORT, in the order in which a request passes through it. */
export function createMonitorApp(edge: Edge): Express {
  const app = express();
  // Whatever NODE_ENV says: no stack in an answer.
  app.set('env', 'production');
  app.set('case sensitive routing', true);
  app.set('query parser', 'simple');
  app.set('etag', false);
  app.set('trust proxy', edge.trustProxy);
  app.disable('x-powered-by');

  app.use(nameRequest, logRequests(edge.log), securityHeaders, keepNothing, refuseMalformed);
  registerRoutes(app, edge, ROUTES);
  app.use(() => {
    throw notFound();
  });
  app.use(handleErrors(edge.log));
  return app;
}
