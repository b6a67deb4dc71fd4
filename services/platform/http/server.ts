import http from 'node:http';
import type { Socket } from 'node:net';
import type { Express, Request, Response } from 'express';
import { boundConnections, type ConnectionLimits } from './connections';
import { passRequests, type RefuseBody } from './malformed-request';
import { endConnectionOfUnreadBody } from './request-body';
import { answerInTurn } from './requests-in-turn';
import { sendAnswersTogether } from './send-together';
import { closeSlowReaders, type ReaderLimits } from './slow-readers';

/** Limits for one client; times in milliseconds. */
export interface HttpLimits extends ConnectionLimits, ReaderLimits {
  /** Time until the headers are complete, then until the body is complete. Begins with the connection or the first byte. */
  headersMs: number;
  requestMs: number;
  /** Interval at which Node checks these times; Node's default is 30 s. */
  checkEveryMs: number;
  /** Longer than the idle minute of load balancers: the balancer must close first. */
  keepAliveMs: number;
  /** Closes a connection that neither sends nor reads for this time. */
  silentMs: number;
  /** Limits the request line and all headers of a request. */
  headerBytes: number;
}

export const HTTP_LIMITS: HttpLimits = {
  headersMs: 10_000,
  requestMs: 15_000,
  checkEveryMs: 2_000,
  keepAliveMs: 65_000,
  silentMs: 30_000,
  unreadMs: 10_000,
  unreadMaxMs: 180_000,
  readBytesPerSecond: 8 * 1024,
  headerBytes: 16 * 1024,
  connections: 10_000,
  // Above the 1,000 waiting requests at which the API sheds load, so that one tenant's server gets 503 there.
  connectionsPerAddress: 2_000,
  requestsPerConnection: 1_000,
  unanswered: 16,
};

/** Answers a request without Express. Returns false, and has no effect, if the app must answer. */
export type AnswerEarly = (request: Request, response: Response) => boolean;

/** Creates an HTTP server for `app` with limits per client. */
export function createHttpServer(
  app: Express,
  limits: HttpLimits,
  refuseBody: RefuseBody,
  answerEarly: AnswerEarly = () => false,
): http.Server {
  const server = http.createServer({
    ...withPrototypesOf(app),
    headersTimeout: limits.headersMs,
    requestTimeout: limits.requestMs,
    connectionsCheckingInterval: limits.checkEveryMs,
    keepAliveTimeout: limits.keepAliveMs,
    maxHeaderSize: limits.headerBytes,
    // Checked in malformed-request.ts, so that the app answers.
    requireHostHeader: false,
  });
  server.setTimeout(limits.silentMs);
  // Node announces it in Keep-Alive; requests-in-turn.ts enforces it.
  server.maxRequestsPerSocket = limits.requestsPerConnection;
  const trusts = app.get('trust proxy fn') as (address: string | undefined, hop: number) => boolean;
  const connections = boundConnections(server, limits, (address) => trusts(address, 0));
  const answer = (request: http.IncomingMessage, response: http.ServerResponse) => {
    if (!answerEarly(request as Request, response as Response)) app(request, response);
  };
  const requests = answerInTurn(answer, limits, connections);
  server.on('dropRequest', (_request, socket) => requests.endAfterLast(socket as Socket));
  sendAnswersTogether(server);
  closeSlowReaders(server, limits, limits.checkEveryMs);
  endConnectionOfUnreadBody(app);
  passRequests(server, app, requests, refuseBody);
  return server;
}

type Construct = (this: unknown, ...args: unknown[]) => void;

/**
 * Creates requests and responses with Express's prototypes. Express otherwise calls Object.setPrototypeOf on each, which costs
 * most of its time: with the right prototypes, the same app needs a quarter of the CPU (4.2 to 4.6 times less, Node 20).
 */
function withPrototypesOf(app: Express): http.ServerOptions {
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
  return { IncomingMessage: AppRequest as never, ServerResponse: AppResponse as never };
}
