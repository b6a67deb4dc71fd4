import { isUtf8 } from 'node:buffer';
import express, { type NextFunction, type Request, type Response } from 'express';
import type { InputFault } from '../../platform/errors';
import { badInput, BadInputError, TransportError, UNKNOWN_FIELD, fieldName } from './http.errors';

const LIMIT_BYTES = 16 * 1024;
const parse = express.json({ limit: LIMIT_BYTES, strict: true, type: () => true, verify: assertUtf8 });

/**
 * Reads a JSON body of at most 16 KiB. Runs after authentication and quota, so that strangers cannot make us read.
 * Anything but JSON is 415, where the parser alone would see an empty body.
 */
export function jsonBody(request: Request, response: Response, next: NextFunction): void {
  if (hasBody(request) && !request.is('application/json')) {
    next(new TransportError('unsupported_media_type', 'Send Content-Type: application/json.'));
    return;
  }
  parse(request, response, (error?: unknown) =>
    next(isBrokenPacking(error) ? unreadable('must be packed as it says') : error),
  );
}

/** The parser alone takes UTF-16 too, and puts U+FFFD, without a word, for what is not UTF-8. */
function assertUtf8(_request: unknown, _response: unknown, body: Buffer, charset: string): void {
  if (charset !== 'utf-8') throw new TransportError('unsupported_media_type');
  if (!isUtf8(body)) throw unreadable('must be UTF-8');
}

/** zlib's errors are the only ones that the parser passes on without a type. */
function isBrokenPacking(error: unknown): boolean {
  const { status, type } = (error ?? {}) as { status?: number; type?: string };
  return status === 400 && type === undefined;
}

function unreadable(message: string): BadInputError {
  return badInput('malformed_json', 'body', 'body', message);
}

/** For calls that take none: an empty object may come, a field may not. */
export function emptyBody(request: Request, response: Response, next: NextFunction): void {
  jsonBody(request, response, (error?: unknown) => {
    if (error) return next(error);
    if (Array.isArray(request.body)) {
      return next(badInput('validation_failed', 'body', 'body', 'must be left out, or an empty object'));
    }
    const fields = Object.keys((request.body as object | undefined) ?? {});
    const faults = fields.map((field): InputFault => ({
      in: 'body',
      field: fieldName(field),
      message: UNKNOWN_FIELD,
    }));
    next(faults.length ? new BadInputError('unknown_parameter', faults) : undefined);
  });
}

function hasBody(request: Request): boolean {
  return (
    request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length'] ?? 0) > 0
  );
}
