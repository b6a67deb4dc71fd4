import { randomUUID } from 'node:crypto';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import type { Logger } from '../../../platform/logger';

const FOREIGN_ID = /^[A-Za-z0-9_-]{8,64}$/;
/** Asked every few seconds by a balancer. */
const PROBES = ['/healthz', '/readyz'];

const ids = new WeakMap<object, string>();

/** Names every request, in its answer and its log line. A proxy that we trust may have named it already. */
export function nameRequest(request: Request, response: Response, next: NextFunction): void {
  const trust = request.app.get('trust proxy fn') as (address: string | undefined, hop: number) => boolean;
  const offered = request.get('x-request-id');
  const accepted = offered && FOREIGN_ID.test(offered) && trust(request.socket.remoteAddress, 0);
  const id = accepted ? offered : randomUUID();
  ids.set(request, id);
  response.setHeader('X-Request-Id', id);
  next();
}

export function requestIdOf(request: Request): string {
  return ids.get(request) ?? 'unknown';
}

/** One line a request. The route's template stands for the path, and no query: one path holds a link's token. */
export function logRequests(log: Logger): RequestHandler {
  return (request, response, next) => {
    const begun = performance.now();
    response.on('close', () => {
      const route = (request.route as { path?: string } | undefined)?.path ?? 'none';
      const line = {
        request_id: requestIdOf(request),
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
