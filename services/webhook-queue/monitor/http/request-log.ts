import type { RequestHandler } from 'express';
import type { Logger } from '../../../platform/logger';
import { shortenedAddress } from '../../../platform/http/client-address';
import { requestIdOf } from '../../../platform/http/request-id';

/** Requested by a load balancer every few seconds. */
const PROBES = ['/healthz', '/readyz'];

/** Logs one line per request. Logs the route's template without path and query: a path may hold a sign-in token. */
export function logRequests(log: Logger): RequestHandler {
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
