import { isUtf8 } from 'node:buffer';
import express, { type NextFunction, type Request, type RequestHandler, type Response } from 'express';
import type { InputIssue } from '../../platform/errors';
import { BODY_MAX, hasBody, readBody } from '../../platform/http/request-body';
import { badInput, BadInputError, TransportError, UNKNOWN_FIELD, fieldName } from './http.errors';
import { leavePlace } from './load-shedding';
import { authenticateAgain } from './authentication';

/**
 * Creates the handler that reads a JSON body. The handler runs after authentication and quota, so that no body of an unknown caller is
 * read. It answers 415 for any other content type, which the parser would otherwise read as an empty body. The request counts as waiting
 * (load-shedding.ts) from the end of its body on. After the body it verifies the API key again, so that a key that was revoked meanwhile
 * gets 401 and no other answer.
 * @param max the largest accepted body, in bytes
 */
function jsonBodyUpTo(max: number): RequestHandler {
  const parse = readBody(
    express.json({ limit: max, strict: true, type: () => true, verify: assertUtf8 }),
    max,
  );
  return (request, response, next) => {
    const enterAgain = leavePlace(request, response);
    const finish = (error?: unknown) => {
      const issue = enterAgain() ?? error;
      void authenticateAgain(request).then(() => next(issue), next);
    };
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

/** Reads a JSON body of at most 16 KiB. */
export const jsonBody = jsonBodyUpTo(BODY_MAX);

/** Reads a JSON body of at most 64 KiB, for bookings and for OCTO: they name their travellers. */
export const bookingBody = jsonBodyUpTo(64 * 1024);

const PLAIN_TYPE = /^application\/json(?:; ?charset=utf-8)?$/i;

/** Returns whether the body needs no decoding and has an accepted length. This is true of nearly all bodies. */
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

/** Sets the body of the request. @returns the error of a malformed body */
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

/** The decoder also removes a byte order mark. */
const UTF8 = new TextDecoder();

/** Refuses a body that is not UTF-8. Without this check the parser also accepts UTF-16 and replaces invalid UTF-8 by U+FFFD. */
function assertUtf8(_request: unknown, _response: unknown, body: Buffer, charset: string): void {
  if (charset !== 'utf-8') throw new TransportError('unsupported_media_type');
  if (!isUtf8(body)) throw unreadable('must be UTF-8');
}

/** Returns whether the error comes from zlib. The parser sets a type on all other errors. */
function isBrokenCompression(error: unknown): boolean {
  const { status, type } = (error ?? {}) as { status?: number; type?: string };
  return status === 400 && type === undefined;
}

export const NOT_ONE_OBJECT = 'must be one JSON object';

function unreadable(message: string): BadInputError {
  return badInput('malformed_json', 'body', 'body', message);
}

/** Refuses a body, for calls that take none. Accepts an empty object. */
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
