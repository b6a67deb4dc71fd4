import { isUtf8 } from 'node:buffer';
import express, { type NextFunction, type Request, type RequestHandler, type Response } from 'express';
import type { FieldErrors } from '@tsoa/runtime';
import { type InputIssue, InvalidInputError, type InputPlace } from '../../platform/errors';
import { BODY_MAX, hasBody, readBody } from '../../platform/http/request-body';
import { badInput, BadInputError, ISSUES_MAX, TransportError, UNKNOWN_FIELD, fieldName } from './http.errors';
import { longListIssue } from './list-limits';
import { leavePlace } from './load-shedding';
import type { ApiKeyPrincipal } from '../credentials/credential';
import { requestIdOf } from '../../platform/http/request-log';
import { contextOf } from './api-context';
import { apiKeyPrincipalOf, authenticateAgain } from './authentication';

/**
 * Creates the handler that reads a JSON body. The handler runs after authentication and quota, so that no body of an unknown caller is
 * read. It answers 415 for any other content type, which the parser would otherwise read as an empty body. The request counts as waiting
 * (load-shedding.ts) from the end of its body on. After the body it verifies the API key again, so that a key that was revoked meanwhile
 * gets 401 and no other answer.
 * @param max the largest accepted body, in bytes
 */
export function jsonBodyUpTo(max: number): RequestHandler {
  const parse = readBody(
    express.json({ limit: max, strict: true, type: () => true, verify: assertUtf8 }),
    max,
  );
  return (request, response, next) => {
    const enterAgain = leavePlace(request, response);
    const finish = (error?: unknown) => {
      const issue = enterAgain() ?? error ?? longListIssue(request);
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

/** Reads a JSON body of at most 64 KiB: a booking names its travellers. */
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

/**
 * Converts the result of tsoa's validation to one error. The issues of tsoa may contain values of the client, in `value` and in some
 * messages. The error contains only field names and rules.
 * @param fields tsoa's issues by path; a path without `body` is a query parameter, unless it names a list item
 * @param others the issues that the route's own reader found. Leaves out the issues of a field for which tsoa also found an issue
 */
export function validationIssues(fields: FieldErrors, others: InputIssue[] = []): BadInputError {
  const found = Object.entries(withoutNull(fields))
    .slice(0, ISSUES_MAX)
    .map(([path, { message, value }]): InputIssue => {
      const isOfList = LIST_INDEX.test(path);
      const place: InputPlace = path === 'body' || path.startsWith('body.') || isOfList ? 'body' : 'query';
      const field = path.replace(/^body\./, '').replace(LIST_INDEX, '.$1');
      const excess = /^"(.+)" is an excess property/s.exec(message)?.[1];
      if (excess !== undefined) {
        return { in: place, field: fieldName(nested(field, excess)), message: UNKNOWN_FIELD };
      }
      return {
        in: place,
        field: fieldName(field),
        message: value === undefined ? 'is required' : plain(message),
      };
    });
  const isNamed = ({ field }: InputIssue) =>
    found.some((issue) => issue.in === 'body' && issue.field === field);
  const issues = [...found, ...others.filter((other) => !isNamed(other))];
  const onlyUnknown = issues.every((issue) => issue.message === UNKNOWN_FIELD);
  return new BadInputError(onlyUnknown ? 'unknown_parameter' : 'validation_failed', issues);
}

const UNION = /^Could not match the union against any of the items. Issues: (.*)$/s;

/** Replaces the issue of a field that may be null by the issues of the field's other type. */
function withoutNull(fields: FieldErrors): FieldErrors {
  const issues = Object.entries(fields).flatMap(([path, issue]) => {
    const union = UNION.exec(issue.message)?.[1];
    const types = union === undefined ? [] : (JSON.parse(union) as FieldErrors[]);
    const others = types.filter((type) => !Object.values(type).some(({ message }) => message === ONLY_NULL));
    return others.length === types.length
      ? [[path, issue] as const]
      : others.flatMap((type) => Object.entries(withoutNull(type)));
  });
  return Object.fromEntries(issues);
}

const ONLY_NULL = 'should be one of the following; [null]';

/**
 * Matches the index of a list item, such as `.$0`, in a path of tsoa. Such a path always names a field of the body: no query parameter is a
 * list. Before a list, tsoa leaves out `body.`.
 */
const LIST_INDEX = /\.\$(\d+)/;

/** Returns the path of an unknown field. @param path names the field itself or its parent object */
function nested(path: string, excess: string): string {
  const parent = path.replace(/^body\.?/, '');
  return parent === '' || parent === excess || parent.endsWith(`.${excess}`)
    ? parent || excess
    : `${parent}.${excess}`;
}

const TYPE_WORDS: Record<string, string> = {
  string: 'a text',
  float: 'a number',
  double: 'a number',
  integer: 'a whole number',
  object: 'an object',
};

function plain(message: string): string {
  const union = UNION.exec(message)?.[1];
  if (union !== undefined) return `must be one of ${literals(union).join(', ')}`;
  const type = /^invalid (\w+)(?: value| number)?$/.exec(message)?.[1];
  if (type !== undefined) return `must be ${TYPE_WORDS[type] ?? `of type ${type}`}`;
  return message.slice(0, 200);
}

/**
 * Returns the allowed values of a union. Parses the text of tsoa's issues to find them, because the text also contains the client's value.
 */
function literals(issues: string): string[] {
  const found = JSON.parse(issues) as Record<string, { message: string }>[];
  const messages = found.flatMap((issue) => Object.values(issue).map(({ message }) => message));
  return messages.flatMap(
    (message) => /^should be one of the following; \['([a-z_]+)'\]$/.exec(message)?.[1] ?? [],
  );
}

/** Reads a body that is an object. Any field may be missing or have another type. */
type ReadBody = (body: never, tenant: ApiKeyPrincipal['tenant']) => unknown;

const readers = new WeakMap<Request, ReadBody>();

/**
 * Registers the function that reads the route's body after tsoa's validation. If tsoa refuses the body, the answer contains the issues of
 * tsoa and those of this function (dates, texts, phone numbers), so that a client sees all issues at once.
 */
export function readsBody(read: ReadBody): RequestHandler {
  return (request, _response, next) => {
    readers.set(request, read);
    next();
  };
}

/**
 * Returns the issues that the route's own reader finds in a body that tsoa refused. Logs any other error of the reader, because the body
 * may have any form. The answer then has only the issues of tsoa.
 */
export function findBodyIssues(request: Request): InputIssue[] {
  const { body } = request as { body: unknown };
  const read = readers.get(request);
  if (!read || !isObject(body)) return [];
  try {
    read(body as never, apiKeyPrincipalOf(request).tenant);
    return [];
  } catch (error) {
    if (error instanceof BadInputError || error instanceof InvalidInputError) return error.errors;
    contextOf(request).log.error(
      { err: error, request_id: requestIdOf(request) },
      'reading a refused body failed',
    );
    return [];
  }
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
