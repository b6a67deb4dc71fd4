import type { NextFunction, Request, Response } from 'express';
import { contextOf } from './api-context';
import { principalOf } from './authentication';
import { requestIdOf } from './request-id';

/** One line a request. The route's template stands for the path, and no query: keys and tokens can be in either. */
export function logRequest(request: Request, response: Response, next: NextFunction): void {
  const begun = performance.now();
  response.on('close', () => {
    const principal = principalOf(request);
    contextOf(request).log.info(
      {
        request_id: requestIdOf(request),
        method: request.method,
        route: (request.route as { path?: string } | undefined)?.path ?? 'none',
        status: response.writableFinished ? response.statusCode : 499,
        duration_ms: Math.round((performance.now() - begun) * 10) / 10,
        tenant: principal?.tenant.slug,
        credential: principal?.kind === 'api_key' ? principal.keyId : principal?.tokenId,
      },
      'request',
    );
  });
  next();
}
