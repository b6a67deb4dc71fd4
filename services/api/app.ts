import http from 'node:http';
import express, { type Express } from 'express';
import { registerCoverPictures } from './demo/cover-pictures.router';
import { registerDocs } from './docs/pages/docs.router';
import { registerEmbed } from './widget/embed.router';
import { RegisterRoutes } from './generated/routes';
import { registerHealth } from './health/health.router';
import type { SeatsContext } from './departures/seats-context';
import { handleError } from './http/error-handler';
import { createLoadShedder, type LoadShedder } from './http/load-shedding';
import { answerMalformedRequests, refuseMalformedRequest } from './http/malformed-request';
import { nameRequest } from '../platform/request-id';
import { logRequest } from './http/request-log';
import { securityHeaders } from './http/security-headers';
import { measureRequest } from './http/measure-request';
import { refuseUnmatched } from './http/unmatched';

/** The HTTP service, in the order in which a request passes through it. */
export function createApp(context: SeatsContext, shedder: LoadShedder = createLoadShedder()): Express {
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

/** What a client may take of us; milliseconds. */
export interface ServerLimits {
  /** From the connection, or the request's first byte, to the end of the headers; then to the end of the body. */
  headersMs: number;
  requestMs: number;
  /** How often Node looks for such a client; by default only every half minute. */
  checkEveryMs: number;
  /** Longer than a balancer's idle minute: it must be the one that closes. */
  keepAliveMs: number;
  /** Nothing sent and nothing read: a client that does not read its answer is cut too. */
  silentMs: number;
  connections: number;
}

const LIMITS: ServerLimits = {
  headersMs: 10_000,
  requestMs: 15_000,
  checkEveryMs: 2_000,
  keepAliveMs: 65_000,
  silentMs: 30_000,
  connections: 10_000,
};

type Construct = (this: unknown, ...args: unknown[]) => void;

/**
 * Express re-parents every request and response by Object.setPrototypeOf, which costs it most of its time; made with the
 * right prototype from the start, the same app takes a quarter of the CPU (4.2 to 4.6 times, reference measurement on Node 20).
 */
export function createServer(app: Express, limits: ServerLimits = LIMITS): http.Server {
  const { request, response } = app as unknown as { request: object; response: object };
  function AppRequest(this: http.IncomingMessage, ...args: unknown[]) {
    (http.IncomingMessage as unknown as Construct).apply(this, args);
  }
  AppRequest.prototype = request;
  Object.setPrototypeOf(AppRequest, http.IncomingMessage);
  function AppResponse(this: http.ServerResponse, ...args: unknown[]) {
    (http.ServerResponse as unknown as Construct).apply(this, args);
  }
  AppResponse.prototype = response;
  Object.setPrototypeOf(AppResponse, http.ServerResponse);
  const server = http.createServer(
    {
      IncomingMessage: AppRequest as never,
      ServerResponse: AppResponse as never,
      headersTimeout: limits.headersMs,
      requestTimeout: limits.requestMs,
      connectionsCheckingInterval: limits.checkEveryMs,
      keepAliveTimeout: limits.keepAliveMs,
      // Judged in http/malformed-request.ts, which answers in our words.
      requireHostHeader: false,
    },
    app,
  );
  server.setTimeout(limits.silentMs);
  server.maxConnections = limits.connections;
  answerMalformedRequests(server, app);
  return server;
}
