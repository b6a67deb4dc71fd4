import type { NextFunction, Request, Response } from 'express';
import { contextOf } from './api-context';
import { credentialIdOf, principalOf } from './authentication';
import { shortenedAddress } from '../../platform/http/client-address';
import { requestIdOf } from '../../platform/http/request-id';
import { routeOf, statusOf } from './request-metrics';
import { traceFields } from './trace-context';

/** One line a request. The route's template stands for the path, and no query: keys and tokens can be in either. */
export function logRequest(request: Request, response: Response, next: NextFunction): void {
  const begun = performance.now();
  // A closed socket has no address.
  const client = shortenedAddress(request.ip);
  response.on('close', () => {
    const principal = principalOf(request);
    contextOf(request).log.info(
      {
        request_id: requestIdOf(request),
        ...traceFields(request),
        client,
        method: request.method,
        route: routeOf(request),
        status: statusOf(response),
        code: response.locals.problemCode as string | undefined,
        duration_ms: Math.round((performance.now() - begun) * 10) / 10,
        tenant: principal?.tenant.slug,
        credential: credentialIdOf(request),
      },
      'request',
    );
  });
  next();
}
