import type { Express, NextFunction, Request, Response } from 'express';
import { TransportError } from './http.errors';

interface Layer {
  match(path: string): boolean;
  route?: { methods: Record<string, boolean> };
}

/** No route took the request: unknown path 404; known path, other method 405 with Allow; OPTIONS 204 with Allow, and no CORS. */
export function refuseUnmatched(request: Request, response: Response, next: NextFunction): void {
  const allowed = allowedMethods(request);
  if (allowed.length === 0) return next(new TransportError('not_found'));
  response.setHeader('Allow', allowed.join(', '));
  if (request.method === 'OPTIONS') {
    response.status(204).end();
    return;
  }
  next(new TransportError('method_not_allowed', `This path takes ${allowed.join(', ')}.`));
}

/** Asked of the router itself, so that no second list of routes can be wrong. */
function allowedMethods(request: Request): string[] {
  const { stack } = (request.app as Express).router as unknown as { stack: Layer[] };
  const methods = new Set<string>();
  for (const layer of stack) {
    if (!layer.route || !layer.match(request.path)) continue;
    for (const method of Object.keys(layer.route.methods)) methods.add(method.toUpperCase());
  }
  if (methods.has('GET')) methods.add('HEAD');
  if (methods.size > 0) methods.add('OPTIONS');
  return [...methods].filter((method) => method !== '_ALL').sort();
}
