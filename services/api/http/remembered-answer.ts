import { createHash } from 'node:crypto';
import type { Request } from 'express';

interface Body {
  text: string;
  etag: string;
}

/** By what the answer is made of, and then by the route that made it. */
const bodies = new WeakMap<object, Map<string, Body>>();

/**
 * Answers a read with JSON that is made and serialised once for as long as `source` is remembered (recall-catalog.ts), and with 304
 * where the client has just that. The ETag is a digest of the body: the same on every instance, and a change to something else
 * leaves it alone.
 * @param source what `make` reads beside the route: the same object means the same answer. Its owner forgets it when it changes
 * @returns nothing to send: tsoa leaves an answer alone that has been sent
 */
export function answerRemembered<T>(request: Request, source: object, make: () => T): T {
  const body = bodyOf(source, (request.route as { path: string }).path, make);
  const response = request.res!;
  response.setHeader('ETag', body.etag);
  if (request.fresh) {
    response.writeHead(304).end();
  } else {
    response.setHeader('Content-Type', 'application/json; charset=utf-8');
    response.setHeader('Content-Length', Buffer.byteLength(body.text));
    response.writeHead(200).end(body.text);
  }
  return undefined as T;
}

function bodyOf(source: object, route: string, make: () => unknown): Body {
  const made = bodies.get(source) ?? new Map<string, Body>();
  bodies.set(source, made);
  let body = made.get(route);
  if (!body) {
    const text = JSON.stringify(make());
    made.set(route, (body = { text, etag: `"${createHash('sha256').update(text).digest('base64url')}"` }));
  }
  return body;
}
