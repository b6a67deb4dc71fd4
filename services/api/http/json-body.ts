import { isUtf8 } from 'node:buffer';
import express, { type NextFunction, type Request, type Response } from 'express';
import type { InputIssue } from '../../platform/errors';
import { BODY_MAX, hasBody, readBody } from '../../platform/http/request-body';
import { badInput, BadInputError, TransportError, UNKNOWN_FIELD, fieldName } from './http.errors';

const parse = readBody(express.json({ limit: BODY_MAX, strict: true, type: () => true, verify: assertUtf8 }));

/**
 * Reads a JSON body of at most 16 KiB. Runs after authentication and quota, so that unknown callers cannot send bodies.
 * Answers 415 for any other content type, which the parser alone would read as an empty body.
 */
export function jsonBody(request: Request, response: Response, next: NextFunction): void {
  if (hasBody(request) && !request.is('application/json')) {
    next(new TransportError('unsupported_media_type', 'Send Content-Type: application/json.'));
    return;
  }
  parse(request, response, (error?: unknown) =>
    next(isBrokenCompression(error) ? unreadable('must be compressed as Content-Encoding says') : error),
  );
}

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
