import type { Request, Response } from 'express';
import { createHash } from 'node:crypto';

/** The result of a controller's method that has sent its answer already. controller-route.ts then sends nothing more. */
export const ALREADY_SENT = undefined as never;

/** Sets Cache-Control. The answer to a request with api_key in its address must never be stored. */
export function setCaching(request: Request, value: string): void {
  request.res!.setHeader('Cache-Control', cacheControl(request, value));
}

/** Returns the value of Cache-Control: the given value, or no-store for a request with api_key in its address. */
export function cacheControl(request: Request, value: string): string {
  return request.query.api_key === undefined ? value : NO_STORE;
}

/** For answers of the catalog, which depend on the key: no shared cache may store them, and clients must revalidate them. */
export const PRIVATE = 'private, no-cache';
export const NO_STORE = 'no-store';

/** An answer as JSON text, with its own headers. */
export interface AnswerContent {
  text: string;
  /** Length of the text in bytes. */
  length: number;
  etag?: string;
  /** A request header on which the answer depends, for Vary. */
  vary?: string;
  /** Alternating names and values. */
  headers: (string | number)[];
}

export function jsonContent(answer: unknown, headers: string[]): AnswerContent {
  const text = JSON.stringify(answer);
  return { text, length: Buffer.byteLength(text), headers };
}

/** Adds an ETag: a digest of the text, which is the same on every instance. */
export function withETag(content: AnswerContent): AnswerContent {
  const etag = `"${createHash('sha256').update(content.text).digest('base64url')}"`;
  return { ...content, etag, headers: ['ETag', etag, ...content.headers] };
}

/**
 * Sends 200, or 304 if the client has the same ETag. Headers and text are one write to the socket.
 * @param more further headers. Pass them here instead of setting them on the response, which takes twice as long
 */
export function sendContent(
  request: Request,
  response: Response,
  content: AnswerContent,
  more: string[] = [],
): void {
  const { text, length, etag, vary } = content;
  const headers =
    vary === undefined ? content.headers : [...content.headers, 'Vary', varyOf(response, more, vary)];
  const known = request.headers['if-none-match'];
  if (etag !== undefined && known !== undefined && namesTag(known, etag))
    return void response.writeHead(304, [...more, ...headers] as string[]).end();
  const ofText = ['Content-Type', 'application/json; charset=utf-8', 'Content-Length', length];
  response.writeHead(200, [...more, ...headers, ...ofText] as string[]).end(text);
}

/** Returns the value of Vary with a further header. writeHead would replace the value that a handler has set. */
function varyOf(response: Response, more: string[], header: string): string {
  const at = more.indexOf('Vary');
  const earlier = at < 0 ? response.getHeader('Vary') : more.splice(at, 2)[1];
  return earlier === undefined ? header : `${String(earlier)}, ${header}`;
}

/**
 * Returns true if the value of If-None-Match names the ETag (RFC 9110, 13.1.2). Unlike Express's `request.fresh`, does not look at the
 * request's Cache-Control: Node's fetch sends no-cache with each If-None-Match, and would never get a 304.
 */
function namesTag(ifNoneMatch: string, etag: string): boolean {
  if (ifNoneMatch === etag || ifNoneMatch.trim() === '*') return true;
  return ifNoneMatch.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag);
}
