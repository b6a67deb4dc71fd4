import type { Server } from 'node:http';
import express, { type Express } from 'express';
import { registerCoverPictures } from './demo/cover-pictures.router';
import { registerDocs } from './docs/pages/docs.router';
import { registerEmbed } from './widget/embed.router';
import { RegisterRoutes } from './generated/routes';
import { registerHealth } from './health/health.router';
import type { SalesContext } from './sales-context';
import { handleError, refuseUnmatched } from './http/error-handler';
import { createLoadShedder, type LoadShedder } from './http/load-shedding';
import { refuseMalformedRequest, refuseUnreadableBody } from './http/refuse-malformed';
import { createHttpServer, HTTP_LIMITS, type HttpLimits } from '../platform/http/server';
import { nameRequest } from '../platform/http/request-id';
import { logRequest } from './http/request-log';
import { securityHeaders } from './http/security-headers';
import { measureRequest } from './http/request-metrics';

/** Creates the HTTP service. Handlers run in this order. */
export function createApp(context: SalesContext, shedder: LoadShedder = createLoadShedder()): Express {
  const app = express();
  app.set('case sensitive routing', true);
  app.set('query parser', 'simple');
  app.set('etag', false);
  app.set('trust proxy', context.config.trustProxy);
  app.disable('x-powered-by');
  app.locals.context = context;

  app.use(nameRequest, logRequest, measureRequest, securityHeaders, refuseMalformedRequest);
  registerHealth(app);
  app.use(shedder.middleware);
  registerDocs(app);
  registerCoverPictures(app);
  registerEmbed(app);
  RegisterRoutes(app as never);
  app.use(refuseUnmatched);
  app.use(handleError);
  return app;
}

/** Creates the server of `app` with the limits for one client (platform/http). */
export function createServer(app: Express, limits: HttpLimits = HTTP_LIMITS): Server {
  return createHttpServer(app, limits, refuseUnreadableBody);
}
