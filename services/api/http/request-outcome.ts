import type { Request, Response } from 'express';

/** As the route was written down, `/api/gateway/holds/:hold_id`: a path may name a tenant, an id or a secret. */
export function routeOf(request: Request): string {
  return (request.route as { path?: string } | undefined)?.path ?? 'none';
}

/** Of a response that is closed; 499 where the client left before its answer. */
export function statusOf(response: Response): number {
  return response.writableFinished ? response.statusCode : 499;
}
