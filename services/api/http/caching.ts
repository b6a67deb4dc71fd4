import type { Request, Response } from 'express';
import { createHash } from 'node:crypto';

/** Sets Cache-Control. Answers to a request with api_key in its address are never stored. */
export function setCaching(request: Request, value: string): void {
  request.res!.setHeader('Cache-Control', cacheControl(request, value));
}

/** Returns the value of Cache-Control: no-store for a request with api_key in its address. */
export function cacheControl(request: Request, value: string): string {
  return request.query.api_key === undefined ? value : NO_STORE;
}

/** Catalog answers depend on the key: no shared cache stores them, and clients revalidate them. */
export const PRIVATE = 'private, no-cache';
export const NO_STORE = 'no-store';

/** An answer as JSON text, with its own headers. */
export interface AnswerContent {
  text: string;
  /** Length of the text in bytes. */
  length: number;
  etag?: string;
  /** Alternating names and values. */
  headers: (string | number)[];
}

export function jsonContent(answer: unknown, headers: string[]): AnswerContent {
  const text = JSON.stringify(answer);
  return { text, length: Buffer.byteLength(text), headers };
}

/** Adds an ETag. It is a digest of the text, so it is the same on every instance. */
export function withETag(content: AnswerContent): AnswerContent {
  const etag = `"${createHash('sha256').update(content.text).digest('base64url')}"`;
  return { ...content, etag, headers: ['ETag', etag, ...content.headers] };
}

/**
 * Sends 200, or 304 if the client has the same ETag. Headers and text are one write to the socket.
 * @param more further headers. Do not set them on the response before: that takes twice as long
 */
export function sendContent(
  request: Request,
  response: Response,
  content: AnswerContent,
  more: string[] = [],
): void {
  const { text, length, etag, headers } = content;
  if (etag !== undefined && request.headers['if-none-match'] !== undefined) {
    response.setHeader('ETag', etag);
    if (request.fresh) return void response.writeHead(304, [...more, ...headers] as string[]).end();
  }
  const ofText = ['Content-Type', 'application/json; charset=utf-8', 'Content-Length', length];
  response.writeHead(200, [...more, ...headers, ...ofText] as string[]).end(text);
}
