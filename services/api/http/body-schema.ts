import type { Request } from 'express';
import { type InputIssue, InvalidInputError } from '../../platform/errors';
import { requestIdOf } from '../../platform/http/request-log';
import type { ApiKeyPrincipal } from '../credentials/credential';
import openapi from '../generated/openapi.json';
import { contextOf } from './api-context';
import { apiKeyPrincipalOf } from './authentication';
import { badInput, BadInputError, fieldName, UNKNOWN_FIELD } from './http.errors';

/*
 * Checks the types of a body by the schema of its call in the OpenAPI document. The texts in it are checked by the function that reads the
 * body (ReadsBody), so the keywords for texts are ignored here.
 */

/** The keywords that the document uses for bodies. */
interface Schema {
  $ref?: string;
  /** Has the reference of a field that may be null. */
  allOf?: Schema[];
  type?: 'string' | 'integer' | 'number' | 'boolean' | 'object' | 'array';
  nullable?: boolean;
  enum?: string[];
  minimum?: number;
  maximum?: number;
  items?: Schema;
  maxItems?: number;
  properties?: Record<string, Schema>;
  required?: string[];
  /** False: other fields are refused. Without a type: any value is accepted. */
  additionalProperties?: boolean | Schema;
}

interface BodySchema {
  schema: Schema;
  required: boolean;
}

type DocumentedPaths = Record<
  string,
  Record<string, { requestBody?: { required: boolean; content: { 'application/json': { schema: Schema } } } }>
>;

const schemas = openapi.components.schemas as unknown as Record<string, Schema>;

/** Returns the schema of the body of a call. Undefined: the call has no body. @param path such as `/api/gateway/holds/:hold_id` */
export function bodySchemaOf(method: string, path: string): BodySchema | undefined {
  const operations = (openapi.paths as unknown as DocumentedPaths)[path.replace(/:(\w+)/g, '{$1}')];
  const body = operations?.[method]?.requestBody;
  return body && { schema: body.content['application/json'].schema, required: body.required };
}

/** Returns the issues of a body, in the order of the schema. Unknown fields come after the known ones of their object. */
function findTypeIssues(body: unknown, { schema, required }: BodySchema): InputIssue[] {
  const issues: InputIssue[] = [];
  if (body === undefined) {
    if (required) report(issues, [], 'is required');
  } else checkValue(body, schema, [], issues);
  return issues;
}

function report(issues: InputIssue[], path: readonly string[], message: string): void {
  issues.push({ in: 'body', field: fieldName(path.join('.') || 'body'), message });
}

function checkValue(value: unknown, given: Schema, path: readonly string[], issues: InputIssue[]): void {
  if (value === null && given.nullable) return;
  const schema = resolve(given);
  const message = valueIssue(value, schema);
  if (message !== undefined) report(issues, path, message);
  else if (schema.type === 'array') checkItems(value as unknown[], schema, path, issues);
  else if (schema.type === 'object') checkFields(value as Record<string, unknown>, schema, path, issues);
}

/** @throws BadInputError if a list is too long. This issue is answered alone, because each item may have several more */
function checkItems(list: unknown[], schema: Schema, path: readonly string[], issues: InputIssue[]): void {
  const { items, maxItems = Infinity } = schema;
  if (list.length > maxItems)
    throw badInput('validation_failed', 'body', path.join('.'), `must have at most ${maxItems} items`);
  list.forEach((item, index) => checkValue(item, items!, [...path, `${index}`], issues));
}

function checkFields(
  fields: Record<string, unknown>,
  schema: Schema,
  path: readonly string[],
  issues: InputIssue[],
): void {
  const { properties = {}, required = [], additionalProperties = {} } = schema;
  for (const [name, part] of Object.entries(properties)) {
    if (fields[name] !== undefined) checkValue(fields[name], part, [...path, name], issues);
    else if (required.includes(name)) report(issues, [...path, name], 'is required');
  }
  for (const [name, value] of Object.entries(fields)) {
    if (Object.hasOwn(properties, name) || additionalProperties === true) continue;
    if (additionalProperties === false) report(issues, [...path, name], UNKNOWN_FIELD);
    else checkValue(value, additionalProperties, [...path, name], issues);
  }
}

/** Returns the schema to which the given one refers, directly or, if the field may be null, inside allOf. */
function resolve(schema: Schema): Schema {
  const reference = schema.$ref ?? schema.allOf?.[0]?.$ref;
  return reference === undefined ? schema : schemas[reference.replace('#/components/schemas/', '')]!;
}

const TYPES: Record<NonNullable<Schema['type']>, { accepts: (value: unknown) => boolean; rule: string }> = {
  string: { accepts: (value) => typeof value === 'string', rule: 'must be a text' },
  integer: { accepts: Number.isInteger, rule: 'must be a whole number' },
  number: { accepts: Number.isFinite, rule: 'must be a number' },
  boolean: { accepts: (value) => typeof value === 'boolean', rule: 'must be true or false' },
  array: { accepts: Array.isArray, rule: 'must be a list' },
  object: { accepts: isObject, rule: 'must be an object' },
};

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Returns what is wrong with the type or the range of a value, without the parts of an object or a list. A schema without a type accepts any
 * value.
 */
export function valueIssue(value: unknown, schema: Omit<Schema, 'required'>): string | undefined {
  const { type, enum: known, minimum = -Infinity, maximum = Infinity } = schema;
  if (known) return known.includes(value as string) ? undefined : `must be one of ${known.join(', ')}`;
  if (type === undefined) return undefined;
  if (!TYPES[type].accepts(value)) return TYPES[type].rule;
  if (typeof value !== 'number') return undefined;
  if (value < minimum) return `must be at least ${minimum}`;
  if (value > maximum) return `must be at most ${maximum}`;
  return undefined;
}

/** Reads a body that is an object. Any field may be missing or have another type. */
type ReadBody = (body: never, tenant: ApiKeyPrincipal['tenant']) => unknown;

const readers = new WeakMap<object, ReadBody>();

/**
 * Names the function with which a method of a controller reads its body. If a type in the body is wrong, the answer contains the issues of
 * this function too (dates, texts, phone numbers), so that a client sees all issues at once.
 */
export function ReadsBody(read: ReadBody): MethodDecorator {
  return (_controller, _name, { value }: PropertyDescriptor) => void readers.set(value as object, read);
}

/** Returns the function with which a method of a controller reads its body. */
export function readerOf(method: object): ReadBody | undefined {
  return readers.get(method);
}

/**
 * Refuses a body with a wrong type, a missing field or an unknown field. The issues of `read` come after those of the schema. They have no
 * field that the schema has refused.
 * @throws BadInputError with all issues of the body (400)
 * @rule which types and lists a body may have: test/api/bad-bodies.long.test.ts
 */
export function assertBody(request: Request, schema: BodySchema, read: ReadBody | undefined): void {
  const found = findTypeIssues(request.body, schema);
  if (found.length === 0) return;
  const fields = new Set(found.map(({ field }) => field));
  const others = read && isObject(request.body) ? findTextIssues(request, read) : [];
  const issues = [...found, ...others.filter(({ field }) => !fields.has(field))];
  const onlyUnknown = issues.every(({ message }) => message === UNKNOWN_FIELD);
  throw new BadInputError(onlyUnknown ? 'unknown_parameter' : 'validation_failed', issues);
}

/** Logs any other error of the reader, because the refused body may have any form. The answer then has only the issues of the schema. */
function findTextIssues(request: Request, read: ReadBody): InputIssue[] {
  try {
    read(request.body as never, apiKeyPrincipalOf(request).tenant);
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
