import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';

/** A request as both services' edges know it; typed by what is asked of it, because the platform knows no framework. */
interface NamedRequest extends IncomingMessage {
  app: { get(setting: string): unknown };
}

const FOREIGN_ID = /^[A-Za-z0-9_-]{8,64}$/;
const ids = new WeakMap<object, string>();

/** Names every request, in its answer and its log line. A proxy that we trust may have named it already. */
export function nameRequest(request: NamedRequest, response: ServerResponse, next: () => void): void {
  const trust = request.app.get('trust proxy fn') as (address: string | undefined, hop: number) => boolean;
  const offered = request.headers['x-request-id'];
  const accepted =
    typeof offered === 'string' && FOREIGN_ID.test(offered) && trust(request.socket.remoteAddress, 0);
  const id = accepted ? offered : randomUUID();
  ids.set(request, id);
  response.setHeader('X-Request-Id', id);
  next();
}

export function requestIdOf(request: IncomingMessage): string {
  return ids.get(request) ?? 'unknown';
}
