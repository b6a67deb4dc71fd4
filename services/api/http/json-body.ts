import { isUtf8 } from 'node:buffer';
import express, { type NextFunction, type Request, type RequestHandler, type Response } from 'express';
import type { InputIssue } from '../../platform/errors';
import { BODY_MAX, hasBody, readBody } from '../../platform/http/request-body';
import { badInput, BadInputError, TransportError, UNKNOWN_FIELD, fieldName } from './http.errors';

/**
 * Creates the handler that reads a JSON body. It runs after authentication and quota, so that unknown callers cannot send bodies.
 * Answers 415 for any other content type, which the parser alone would read as an empty body.
 * @param max bytes of the largest accepted body
 */
export function jsonBodyUpTo(max: number): RequestHandler {
  const parse = readBody(
    express.json({ limit: max, strict: true, type: () => true, verify: assertUtf8 }),
    max,
  );
  return (request, response, next) => {
    const finish = (error?: unknown) => next(error ?? longListIssue(request.body));
    if (isPlain(request, max)) return readPlain(request, finish);
    if (hasBody(request) && !request.is('application/json')) {
      next(new TransportError('unsupported_media_type', 'Send Content-Type: application/json.'));
      return;
    }
    void parse(request, response, (error?: unknown) =>
      finish(isBrokenCompression(error) ? unreadable('must be compressed as Content-Encoding says') : error),
    );
  };
}

/** The longest list of a call has 366 items. */
const LIST_MAX = 500;

/**
 * Returns the refusal of a list that is longer than any call accepts. tsoa checks a list of objects in quadratic time: 16 KiB of
 * items without the right type took 3.6 s of CPU.
 */
function longListIssue(body: unknown): BadInputError | undefined {
  const isLong = (value: unknown) => Array.isArray(value) && value.length > LIST_MAX;
  const field = Object.entries((body as object | undefined) ?? {}).find(([, value]) => isLong(value))?.[0];
  return field === undefined
    ? undefined
    : badInput('validation_failed', 'body', fieldName(field), `must have at most ${LIST_MAX} items`);
}

/** Reads a JSON body of at most 16 KiB. */
export const jsonBody = jsonBodyUpTo(BODY_MAX);

const PLAIN_TYPE = /^application\/json(?:; ?charset=utf-8)?$/i;

/** Checks for a body that needs no decoding and has an accepted length. Nearly all are such. */
function isPlain({ headers }: Request, max: number): boolean {
  const { expect, 'content-encoding': encoding, 'content-length': length, 'content-type': type } = headers;
  if (expect !== undefined || encoding !== undefined || Number(length ?? 0) === 0) return false;
  return Number(length) <= max && PLAIN_TYPE.test(type ?? '');
}

/** Reads a plain body with the same result as express.json, which takes 70 µs more. */
function readPlain(request: Request, next: (error?: unknown) => void): void {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => void chunks.push(chunk));
  request.once('end', () => next(parsePlain(request, Buffer.concat(chunks))));
  request.once('close', () => {
    if (!request.complete) next(unreadable('must be complete'));
  });
}

/** Sets the body. @returns the error of a malformed one */
function parsePlain(request: Request, bytes: Buffer): BadInputError | undefined {
  if (!isUtf8(bytes)) return unreadable('must be UTF-8');
  try {
    const body: unknown = JSON.parse(UTF8.decode(bytes));
    if (typeof body !== 'object' || body === null) return unreadable(NOT_ONE_OBJECT);
    request.body = body;
    return undefined;
  } catch {
    return unreadable(NOT_ONE_OBJECT);
  }
}

/** Removes a byte order mark. */
const UTF8 = new TextDecoder();

/** Refuses a body that is not UTF-8. Without this check the parser also accepts UTF-16 and replaces invalid UTF-8 by U+FFFD. */
function assertUtf8(_request: unknown, _response: unknown, body: Buffer, charset: string): void {
  if (charset !== 'utf-8') throw new TransportError('unsupported_media_type');
  if (!isUtf8(body)) throw unreadable('must be UTF-8');
}

/** Checks for an error of zlib. The parser sets a type on all other errors. */
function isBrokenCompression(error: unknown): boolean {
  const { status, type } = (error ?? {}) as { status?: number; type?: string };
  return status === 400 && type === undefined;
}

export const NOT_ONE_OBJECT = 'must be one JSON object';

function unreadable(message: string): BadInputError {
  return badInput('malformed_json', 'body', 'body', message);
}

/** Refuses a body with fields, for calls without a body. Accepts an empty object. */
export function emptyBody(request: Request, response: Response, next: NextFunction): void {
  jsonBody(request, response, (error?: unknown) => {
    if (error) return next(error);
    if (Array.isArray(request.body)) {
      return next(badInput('validation_failed', 'body', 'body', 'must be left out, or an empty object'));
    }
    const fields = Object.keys((request.body as object | undefined) ?? {});
    const issues = fields.map((field): InputIssue => ({
      in: 'body',
      field: fieldName(field),
      message: UNKNOWN_FIELD,
    }));
    next(issues.length ? new BadInputError('unknown_parameter', issues) : undefined);
  });
}
