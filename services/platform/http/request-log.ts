import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Request, RequestHandler, Response } from 'express';
import { addressOf, shortenedAddress } from './client-address';
import { runsEarly, withEarlyStep } from './early-answer';

/**
 * Matches the ids that callers may give. None holds a credential or an address, because the log has the id of each request.
 * @rule which request ids of a caller are taken: test/api/security-headers.test.ts
 */
const CALLERS_ID = /^(?!.*svc_)[A-Za-z0-9._:+/=-]{1,128}$/;
const ids = new WeakMap<object, string>();

/** Gives every request an id for the response and the log line. */
export const nameRequest: RequestHandler = withEarlyStep(
  (request, response, next) => {
    response.setHeader('X-Request-Id', assignRequestId(request));
    next();
  },
  { run: ({ request, headers }) => void headers.push('X-Request-Id', assignRequestId(request)) },
);

/** Takes the id that the caller or a proxy has sent, if it has the form of one; else creates one. */
function assignRequestId(request: IncomingMessage): string {
  const proposed = request.headers['x-request-id'];
  const isAccepted = typeof proposed === 'string' && CALLERS_ID.test(proposed);
  const id = isAccepted ? proposed : randomUUID();
  ids.set(request, id);
  return id;
}

export function requestIdOf(request: IncomingMessage): string {
  return ids.get(request) ?? 'unknown';
}

/** The fields that the log line of a request has in every service. */
interface RequestLine {
  request_id: string;
  /** The shortened address; undefined if the socket was closed before. */
  client: string | undefined;
  method: string;
  route: string;
  status: number;
  duration_ms: number;
}

/** Writes the line with the service's own fields and level. */
export type WriteRequestLine = (line: RequestLine, request: Request, response: Response) => void;

/** Writes one line per request when its response is closed. */
export function logRequests(write: WriteRequestLine): RequestHandler {
  return runsEarly((request, response, next) => {
    const begun = performance.now();
    // Reads the address before the response: a closed socket has no address.
    const client = shortenedAddress(addressOf(request));
    response.on('close', () => {
      const line = {
        request_id: requestIdOf(request),
        client,
        method: request.method,
        route: routeOf(request),
        status: statusOf(response),
        duration_ms: Math.round((performance.now() - begun) * 10) / 10,
      };
      write(line, request, response);
    });
    next();
  });
}

/** The route templates of requests that Express does not route. */
const templates = new WeakMap<object, string>();

/** Names the route template of a request that is answered without Express. */
export function nameRoute(request: Request, template: string): void {
  templates.set(request, template);
}

/**
 * Returns the route template, such as `/api/gateway/holds/:hold_id`, or "none". Logs and metrics omit the path and the query, because these
 * may contain a tenant, an id, a key or a sign-in token.
 */
export function routeOf(request: Request): string {
  const route = request.route as { path?: string } | undefined;
  return route?.path ?? templates.get(request) ?? 'none';
}

/** Returns the status of a closed response; 499 if the client closed the connection before the answer. */
export function statusOf(response: Response): number {
  return response.writableFinished ? response.statusCode : 499;
}
