import type { Request } from 'express';
import { createHash } from 'node:crypto';

/** Sets Cache-Control. Answers to a request with api_key in its address are never stored. */
export function setCaching(request: Request, value: string): void {
  request.res!.setHeader('Cache-Control', request.query.api_key === undefined ? value : 'no-store');
}

/** Catalog answers depend on the key: no shared cache stores them, and clients revalidate them. */
export const PRIVATE = 'private, no-cache';
export const NO_STORE = 'no-store';

interface Body {
  text: string;
  etag: string;
}

/** Serialised answers by their source object and route. */
const bodies = new WeakMap<object, Map<string, Body>>();

/**
 * Answers a read with JSON that is serialised once per `source` (list-catalog.ts), or with 304 if the client has the same
 * ETag. The ETag is a digest of the body, so it is the same on every instance.
 * @param source the input of `make`. The same object means the same answer; its owner drops it when the data changes
 * @returns undefined, because the answer is already sent
 */
export function answerCached<T>(request: Request, source: object, make: () => T): T {
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
