import type { Express, NextFunction, Request, Response } from 'express';
import { badInput, RateLimitedError, TransportError } from './http.errors';
import { AppError, isDatabaseAway, LOCK_NOT_AVAILABLE, sqlState } from '../../platform/errors';
import {
  CredentialError,
  InsufficientScopeError,
  InvalidWidgetTokenError,
} from '../credentials/credential.errors';
import { contextOf } from './api-context';
import { countProblem, traceFields } from './request-log';
import { describeProblem, isProblemCode, type ProblemCode, PROBLEMS } from './problems';
import { NOT_ONE_OBJECT } from './json-body';
import { BODY_MAX } from '../../platform/http/request-body';
import { requestIdOf } from '../../platform/http/request-log';

/** Answers an error with a problem document (RFC 9457), or in the ErrorForm or the ProblemPage of its path. */
export function handleError(
  thrown: unknown,
  request: Request,
  response: Response,
  _next: NextFunction,
): void {
  const error = toAppError(thrown);
  if (response.headersSent) {
    request.socket.destroy();
    return;
  }
  const { config, log } = contextOf(request);
  const requestId = requestIdOf(request);
  const problem = describeProblem(error, config.publicBaseUrl, requestId);
  const { code, status } = problem;
  if (status === 500) log.error({ err: thrown, request_id: requestId, ...traceFields(request) }, code);
  countProblem(request, code);
  response.statusCode = status;
  response.setHeader('Cache-Control', 'no-store');
  setErrorHeaders(error, code, request, response);
  (request.app.locals.setCorsOfError as SetCorsOfError | undefined)?.(error, request, response);
  if (isDatabaseAway(thrown)) response.setHeader('Retry-After', 1);
  const form = errorFormOf(request);
  if (form) return void sendInForm(form, problem, error, request, response);
  const page = problemPages.get(response);
  if (page) response.vary('Accept');
  const isHtml = request.accepts(['application/problem+json', 'text/html']) === 'text/html';
  const text = isHtml ? page?.(status, requestId, error) : undefined;
  if (text !== undefined) sendText(response, 'text/html', text);
  else sendText(response, 'application/problem+json', JSON.stringify(problem));
}

/** Sends a text. Also answers requests that Express has not seen (cached-answers.ts), so it uses the methods of Node alone. */
function sendText(response: Response, type: string, text: string): void {
  response.setHeader('Content-Type', `${type}; charset=utf-8`);
  response.setHeader('Content-Length', Buffer.byteLength(text));
  response.end(text);
}

/**
 * Sets the headers with which a page of another origin may read an error. app.ts gives this function to the error handler, because the folder
 * `http` does not import the widget.
 */
export type SetCorsOfError = (error: AppError | undefined, request: Request, response: Response) => void;

/** The form of errors on paths below a prefix, if it is not the problem document. app.ts registers the forms. */
export interface ErrorForm {
  /** Such as `/octo`. */
  prefix: string;
  /**
   * @param problem its `code` is the problem code, from which the form derives its own code
   * @param error undefined: an internal error, whose details stay hidden
   */
  toAnswer: (
    problem: { code: ProblemCode; status: number; detail: string },
    error: AppError | undefined,
    sent: { path: string; body: unknown },
  ) => { status: number; body: object };
}

function errorFormOf({ app, path }: Request): ErrorForm | undefined {
  const forms = (app.locals.errorForms ?? []) as ErrorForm[];
  return forms.find(({ prefix }) => path === prefix || path.startsWith(`${prefix}/`));
}

function sendInForm(
  form: ErrorForm,
  problem: { code: ProblemCode; status: number; detail: string },
  error: AppError | undefined,
  { path, body }: Request,
  response: Response,
): void {
  const answer = form.toAnswer(problem, error, { path, body: body as unknown });
  // Removes the languages of the content, because errors are in English.
  response.removeHeader('Content-Language');
  response.removeHeader('Available-Languages');
  response.statusCode = answer.status;
  sendText(response, 'application/json', JSON.stringify(answer.body));
}

const UNREADABLE_BODY = badInput('validation_failed', 'body', 'body', 'could not be read');

/** Answers a request whose body is incomplete or came too late. */
export function refuseUnreadableBody(request: Request, response: Response): void {
  handleError(UNREADABLE_BODY, request, response, () => {});
}

export function problemCodeOf(thrown: unknown): ProblemCode {
  const code = toAppError(thrown)?.code;
  return code !== undefined && isProblemCode(code) ? code : 'internal_error';
}

const problemPages = new WeakMap<Response, ProblemPage>();

/** Answers an error of this request with a page, if the client prefers HTML. */
export function showProblemsAs(response: Response, page: ProblemPage): void {
  problemPages.set(response, page);
}

/**
 * Renders an error as a page. Undefined: the answer is the problem document.
 * @param error undefined: an internal error, whose details stay hidden
 */
export type ProblemPage = (
  status: number,
  requestId: string,
  error: AppError | undefined,
) => string | undefined;

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

/** Returns the value of WWW-Authenticate. It has no error attribute if the request had no credential (RFC 6750 section 3). */
function challenge(error: CredentialError, request: Request): string {
  const realm = `Bearer realm="${error instanceof InvalidWidgetTokenError ? 'widget' : 'api'}"`;
  if (error instanceof InsufficientScopeError)
    return `${realm}, error="insufficient_scope", scope="${error.scope}"`;
  const sent = request.headers.authorization ?? (request.query.api_key || request.query.token);
  return sent ? `${realm}, error="invalid_token"` : realm;
}

/** Converts errors of the framework, its parsers and the database to AppErrors. Undefined: an internal error. */
function toAppError(error: unknown): AppError | undefined {
  if (error instanceof AppError) return error;
  const { status, limit = BODY_MAX, name } = (error ?? {}) as ParserError;
  if (error instanceof URIError || status === 400) return fromParser(error as ParserError);
  if (status === 413)
    return new TransportError('body_too_large', `The body may have ${limit / 1024} KiB at most.`);
  if (status === 415) return new TransportError('unsupported_media_type');
  if (sqlState(error) === LOCK_NOT_AVAILABLE) return new TransportError('departure_busy');
  if (name === 'KnexTimeoutError') return new TransportError('overloaded');
  return undefined;
}

/** The properties that express's body parsers set on their errors. */
interface ParserError extends Error {
  status?: number;
  type?: string;
  /** The most bytes that the body may have. */
  limit?: number;
}

function fromParser(error: ParserError): AppError {
  if (error.type === 'entity.parse.failed') return badInput('malformed_json', 'body', 'body', NOT_ONE_OBJECT);
  if (error.type) return UNREADABLE_BODY;
  return badInput('validation_failed', 'path', 'path', 'must be percent-encoded UTF-8');
}

interface Layer {
  match(path: string): boolean;
  route?: { methods: Record<string, boolean> };
}

/**
 * Answers requests without a route. An unknown path gets 404. A known path gets 405 with Allow for another method, and for OPTIONS 204 with
 * Allow and without CORS headers.
 */
export function refuseUnmatched(request: Request, response: Response, next: NextFunction): void {
  const allowed = allowedMethods(request);
  if (allowed.length === 0) return next(new TransportError('not_found'));
  response.setHeader('Allow', allowed.join(', '));
  if (request.method === 'OPTIONS') {
    response.status(204).end();
    return;
  }
  next(new TransportError('method_not_allowed', `This path accepts ${allowed.join(', ')}.`));
}

/** Returns the methods of a path. Reads them from the router, so that the list is always right. */
function allowedMethods(request: Request): string[] {
  const { stack } = (request.app as Express).router as unknown as { stack: Layer[] };
  const methods = new Set<string>();
  // CONNECT names a host instead of a path, so Allow lists the methods of all paths.
  const hasPath = request.method !== 'CONNECT';
  for (const layer of stack) {
    if (!layer.route || (hasPath && !layer.match(request.path))) continue;
    for (const method of Object.keys(layer.route.methods)) methods.add(method.toUpperCase());
  }
  if (methods.has('GET')) methods.add('HEAD');
  if (methods.size > 0) methods.add('OPTIONS');
  return [...methods].filter((method) => method !== '_ALL').sort();
}
