import { randomUUID } from 'node:crypto';
import type { NextFunction, Request, Response } from 'express';

const FOREIGN_ID = /^[A-Za-z0-9_-]{8,64}$/;
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
