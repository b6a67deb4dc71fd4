import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';

interface NamedRequest extends IncomingMessage {
  app: { get(setting: string): unknown };
}

const FOREIGN_ID = /^[A-Za-z0-9_-]{8,64}$/;
const ids = new WeakMap<object, string>();

/** Gives every request an id for the response and the log line. Accepts the id of a trusted proxy. */
export function nameRequest(request: NamedRequest, response: ServerResponse, next: () => void): void {
  const trust = request.app.get('trust proxy fn') as (address: string | undefined, hop: number) => boolean;
  const proposed = request.headers['x-request-id'];
  const accepted =
    typeof proposed === 'string' && FOREIGN_ID.test(proposed) && trust(request.socket.remoteAddress, 0);
  const id = accepted ? proposed : randomUUID();
  ids.set(request, id);
  response.setHeader('X-Request-Id', id);
  next();
}

export function requestIdOf(request: IncomingMessage): string {
  return ids.get(request) ?? 'unknown';
}
