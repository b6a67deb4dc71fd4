import type { Server } from 'node:http';
import type { Express } from 'express';
import { reduceCachedPreference } from './catalog/catalog-languages';
import { registerCoverPictures } from './demo/cover-pictures.router';
import { registerDocs } from './docs/pages/docs.router';
import { registerWidgetCors, setCorsOfError } from './widget/cors.router';
import { registerEmbed } from './widget/embed.router';
import { RegisterRoutes } from './generated/routes';
import { registerHealth } from './health/health.router';
import { OCTO_ERROR_FORM } from './octo/octo.errors';
import { registerOcto } from './octo/octo.router';
import type { SalesContext } from './sales-context';
import { answerFromCache, type ReduceWish } from './http/cached-answers';
import {
  type ErrorForm,
  handleError,
  refuseUnmatched,
  refuseUnreadableBody,
  type SetCorsOfError,
} from './http/error-handler';
import { malformedInput } from './http/http.errors';
import { createLoadShedder, type LoadShedder } from './http/load-shedding';
import {
  createHttpApp,
  dataHeadersOf,
  securityHeadersOf,
  setSecurityHeaders,
  createHttpServer,
  HTTP_LIMITS,
  type HttpLimits,
} from '../platform/http/edge';
import { writeRequestLine, measureRequest } from './http/request-log';

const PAGE_HEADERS = securityHeadersOf({ referrerPolicy: 'no-referrer' });
const DATA_HEADERS = dataHeadersOf(PAGE_HEADERS);

/** Creates the HTTP service. The handlers run in the order in which they are registered here. */
export function createApp(context: SalesContext, shedder: LoadShedder = createLoadShedder()): Express {
  const app = createHttpApp({
    trustProxy: context.config.trustProxy,
    log: context.log,
    writeRequestLine,
    measure: measureRequest,
    securityHeaders: DATA_HEADERS,
    toRefusal: malformedInput,
  });
  app.locals.context = context;
  app.locals.errorForms = [OCTO_ERROR_FORM] satisfies ErrorForm[];
  app.locals.setCorsOfError = setCorsOfError satisfies SetCorsOfError;
  app.locals.reducePreference = reduceCachedPreference satisfies ReduceWish;
  app.locals.shedder = shedder;

  registerHealth(app);
  app.use(shedder.middleware);
  registerWidgetCors(app);
  registerOcto(app);
  RegisterRoutes(app as never);
  app.use(setSecurityHeaders(PAGE_HEADERS));
  registerDocs(app);
  registerCoverPictures(app);
  registerEmbed(app);
  app.use(refuseUnmatched);
  app.use(handleError);
  return app;
}

/** Creates the server of `app` with the limits for one client (platform/http). */
export function createServer(app: Express, limits: HttpLimits = HTTP_LIMITS): Server {
  return createHttpServer(app, limits, refuseUnreadableBody, answerFromCache);
}
