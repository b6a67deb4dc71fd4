import type { Express, NextFunction, Request, Response } from 'express';
import { TransportError } from './http.errors';

interface Layer {
  match(path: string): boolean;
  route?: { methods: Record<string, boolean> };
}

/** Answers requests without a route: 404 for an unknown path, 405 with Allow for another method, 204 with Allow and no CORS for OPTIONS. */
export function refuseUnmatched(request: Request, response: Response, next: NextFunction): void {
  const allowed = allowedMethods(request);
  if (allowed.length === 0) return next(new TransportError('not_found'));
  response.setHeader('Allow', allowed.join(', '));
  if (request.method === 'OPTIONS') {
    response.status(204).end();
    return;
  }
  next(new TransportError('method_not_allowed', `This path accepts ${allowed.join(', ')}.`));
}

/** Reads the methods of a path from the router itself. */
function allowedMethods(request: Request): string[] {
  const { stack } = (request.app as Express).router as unknown as { stack: Layer[] };
  const methods = new Set<string>();
  // CONNECT names a host and no path: Allow lists the methods of all paths.
  const hasPath = request.method !== 'CONNECT';
  for (const layer of stack) {
    if (!layer.route || (hasPath && !layer.match(request.path))) continue;
    for (const method of Object.keys(layer.route.methods)) methods.add(method.toUpperCase());
  }
  if (methods.has('GET')) methods.add('HEAD');
  if (methods.size > 0) methods.add('OPTIONS');
  return [...methods].filter((method) => method !== '_ALL').sort();
}
