import type { RequestHandler } from 'express';
import type { Logger } from '../../../platform/logger';
import { requestIdOf } from '../../../platform/request-id';

/** Asked every few seconds by a balancer. */
const PROBES = ['/healthz', '/readyz'];

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
