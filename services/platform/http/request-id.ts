import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';

interface NamedRequest extends IncomingMessage {
  app: { get(setting: string): unknown };
}

const FOREIGN_ID = /^[A-Za-z0-9_-]{8,64}$/;
const ids = new WeakMap<object, string>();

/** Gives every request an id for the response and the log line. */
export function nameRequest(request: NamedRequest, response: ServerResponse, next: () => void): void {
  response.setHeader('X-Request-Id', assignRequestId(request));
  next();
}

/** Accepts the id of a trusted proxy. */
export function assignRequestId(request: NamedRequest): string {
  const proposed = request.headers['x-request-id'];
  const isAccepted = typeof proposed === 'string' && FOREIGN_ID.test(proposed) && comesFromProxy(request);
  const id = isAccepted ? proposed : randomUUID();
  ids.set(request, id);
  return id;
}

function comesFromProxy({ app, socket }: NamedRequest): boolean {
  const trust = app.get('trust proxy fn') as (address: string | undefined, hop: number) => boolean;
  return trust(socket.remoteAddress, 0);
}

export function requestIdOf(request: IncomingMessage): string {
  return ids.get(request) ?? 'unknown';
}
