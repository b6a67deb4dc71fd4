import express, { type NextFunction, type Request, type Response } from 'express';
import { BadInputError, TransportError } from './http.errors';

const LIMIT_BYTES = 16 * 1024;
const parse = express.json({ limit: LIMIT_BYTES, strict: true, type: () => true });

/**
 * Reads a JSON body of at most 16 KiB. Runs after authentication and quota, so that strangers cannot make us read.
 * Anything but JSON is 415, where the parser alone would see an empty body.
 */
export function jsonBody(request: Request, response: Response, next: NextFunction): void {
  if (hasBody(request) && !request.is('application/json')) {
    next(new TransportError('unsupported_media_type', 'Send Content-Type: application/json.'));
    return;
  }
  parse(request, response, next);
}

/** For calls that take none: an empty object may come, a field may not. */
export function emptyBody(request: Request, response: Response, next: NextFunction): void {
  jsonBody(request, response, (error?: unknown) => {
    if (error) return next(error);
    if (Array.isArray(request.body)) return next(new BadInputError('validation_failed', [NOT_AN_OBJECT]));
    const fields = Object.keys((request.body as object | undefined) ?? {});
    const faults = fields.map((field) => ({
      in: 'body' as const,
      field: field.slice(0, 100),
      message: 'is not a field of this request',
    }));
    next(faults.length ? new BadInputError('unknown_parameter', faults) : undefined);
  });
}

const NOT_AN_OBJECT = { in: 'body' as const, field: 'body', message: 'must be left out, or an empty object' };

function hasBody(request: Request): boolean {
  return (
    request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length'] ?? 0) > 0
  );
}
