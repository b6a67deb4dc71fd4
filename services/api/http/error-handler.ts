import { ValidateError } from '@tsoa/runtime';
import type { NextFunction, Request, Response } from 'express';
import { AppError, type InputFault, type InputPlace } from '../../platform/errors';
import {
  CredentialError,
  InsufficientScopeError,
  InvalidWidgetTokenError,
} from '../credentials/credential.errors';
import { contextOf } from './api-context';
import { BadInputError, RateLimitedError, TransportError } from './http.errors';
import { isProblemCode, PROBLEMS, type ProblemCode } from './problems';
import { requestIdOf } from './request-id';

/** Every refusal and every fault ends here, and becomes one problem document (RFC 9457). */
export function handleError(
  thrown: unknown,
  request: Request,
  response: Response,
  _next: NextFunction,
): void {
  const error = understand(thrown);
  if (response.headersSent) {
    request.socket.destroy();
    return;
  }
  const { code, status, body } = describe(error, request);
  if (status >= 500) contextOf(request).log.error({ err: thrown, request_id: requestIdOf(request) }, code);
  response.status(status);
  response.setHeader('Cache-Control', 'no-store');
  setErrorHeaders(error, code, request, response);
  const page = response.locals.problemPage as ProblemPage | undefined;
  if (page) response.vary('Accept');
  if (page && request.accepts(['application/problem+json', 'text/html']) === 'text/html') {
    response.type('html').send(page(status, requestIdOf(request)));
  } else {
    response.type('application/problem+json').send(JSON.stringify(body));
  }
}

/** What a person sees instead of a problem document, on a route that set `response.locals.problemPage`. */
export type ProblemPage = (status: number, requestId: string) => string;

function describe(
  error: AppError | undefined,
  request: Request,
): { code: ProblemCode; status: number; body: object } {
  const code = error && isProblemCode(error.code) ? error.code : 'internal_error';
  const { status, title, retryable } = PROBLEMS[code];
  const requestId = requestIdOf(request);
  const body = {
    type: `${contextOf(request).config.publicBaseUrl}/docs/errors/${code}`,
    title,
    status,
    detail:
      code === 'internal_error' ? 'Something went wrong on our side. Retry with backoff.' : error!.message,
    instance: `urn:request:${requestId}`,
    ok: false,
    code,
    request_id: requestId,
    retryable,
    ...(code === 'internal_error' ? {} : error!.facts),
  };
  return { code, status, body };
}

function setErrorHeaders(
  error: AppError | undefined,
  code: ProblemCode,
  request: Request,
  response: Response,
): void {
  if (error instanceof CredentialError) response.setHeader('WWW-Authenticate', challenge(error, request));
  if (error instanceof RateLimitedError) response.setHeader('Retry-After', error.retryAfterSeconds);
  else if (PROBLEMS[code].retryable && PROBLEMS[code].status !== 500) response.setHeader('Retry-After', 1);
}

/** RFC 6750 section 3: no error attribute where no credential was sent. */
function challenge(error: CredentialError, request: Request): string {
  const realm = `Bearer realm="${error instanceof InvalidWidgetTokenError ? 'widget' : 'api'}"`;
  if (error instanceof InsufficientScopeError)
    return `${realm}, error="insufficient_scope", scope="${error.scope}"`;
  const sent = request.headers.authorization ?? (request.query.api_key || request.query.token);
  return sent ? `${realm}, error="invalid_token"` : realm;
}

/** What the framework and its parsers throw, in our words; undefined is a fault of ours. */
function understand(error: unknown): AppError | undefined {
  if (error instanceof AppError) return error;
  if (error instanceof ValidateError) return inputFaults(error);
  if (error instanceof URIError || (error as { status?: number })?.status === 400)
    return fromParser(error as ParserError);
  const status = (error as { status?: number })?.status;
  if (status === 413) return new TransportError('body_too_large', 'The body may have 16 KiB at most.');
  if (status === 415) return new TransportError('unsupported_media_type', 'The body must be JSON in UTF-8.');
  if ((error as Error)?.name === 'KnexTimeoutError')
    return new TransportError('overloaded', 'Too much to do right now.');
  return undefined;
}

interface ParserError extends Error {
  type?: string;
}

function fromParser(error: ParserError): AppError {
  if (error.type === 'entity.parse.failed') {
    return new BadInputError('malformed_json', [
      { in: 'body', field: 'body', message: 'must be one JSON object' },
    ]);
  }
  if (error.type)
    return new BadInputError('validation_failed', [
      { in: 'body', field: 'body', message: 'could not be read' },
    ]);
  const message = 'must be percent-encoded UTF-8';
  return new BadInputError('validation_failed', [{ in: 'path', field: 'path', message }]);
}

const UNKNOWN_FIELD = 'is not a field of this request';

/** tsoa's fields carry the client's value too: only names and messages go on. A path without `body` is a query parameter's. */
function inputFaults(error: ValidateError): BadInputError {
  const faults = Object.entries(error.fields).map(([path, { message }]): InputFault => {
    const place: InputPlace = path === 'body' || path.startsWith('body.') ? 'body' : 'query';
    const field = path.replace(/^body\./, '').slice(0, 100);
    const excess = /^"(.+)" is an excess property/s.exec(message);
    if (excess) return { in: place, field: excess[1]!.slice(0, 100), message: UNKNOWN_FIELD };
    return { in: place, field, message: plainMessage(message) };
  });
  const onlyUnknown = faults.every((fault) => fault.message === UNKNOWN_FIELD);
  return new BadInputError(onlyUnknown ? 'unknown_parameter' : 'validation_failed', faults);
}

function plainMessage(message: string): string {
  if (/^'.*' is required$/.test(message)) return 'is required';
  return message.replace(/^invalid (\w+)(?: value| number)?$/, 'must be of type $1').slice(0, 200);
}
