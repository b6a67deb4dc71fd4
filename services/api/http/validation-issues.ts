import type { FieldErrors } from '@tsoa/runtime';
import { type InputIssue, InvalidInputError, type InputPlace } from '../../platform/errors';
import { BadInputError, fieldName, UNKNOWN_FIELD } from './http.errors';
import type { Request, RequestHandler } from 'express';

import type { ApiKeyPrincipal } from '../credentials/credential';
import { requestIdOf } from '../../platform/http/request-id';
import { contextOf } from './api-context';
import { apiKeyPrincipalOf } from './authentication';

/**
 * Converts the result of tsoa's validation to one error. tsoa puts the client's values into `value` and into some messages;
 * the error holds only field names and rules.
 * @param fields by path; a path without `body` is a query parameter
 * @param others issues from the route's own reader, without the fields that tsoa names already
 */
export function validationIssues(fields: FieldErrors, others: InputIssue[] = []): BadInputError {
  const found = Object.entries(withoutNull(fields)).map(([path, { message, value }]): InputIssue => {
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

/** Replaces the issue of a field that may be null by the issues of its other type. */
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

/** Matches the index of a list item, as `.$0`. tsoa leaves out `body.` before a list; no query parameter is a list. */
const LIST_INDEX = /\.\$(\d+)/;

/** Returns the path of an excess field. tsoa names the field itself or its parent object. */
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

/** Returns the allowed values of a union. Parses the text, because it holds the client's value too. */
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
 * Registers the function that reads the route's body after tsoa's validation. If tsoa refuses the body, the answer holds the
 * issues of tsoa and of this function (dates, texts, phone numbers), so that a client sees all issues at once.
 */
export function readsBody(read: ReadBody): RequestHandler {
  return (request, _response, next) => {
    readers.set(request, read);
    next();
  };
}

/**
 * Returns the issues that the route's own reader finds in a body that tsoa refused. The body may have any form, so an error of the
 * reader is logged, and the answer has the issues of tsoa alone.
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
