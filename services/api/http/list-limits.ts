import type { Request } from 'express';
import openapi from '../generated/openapi.json';
import { badInput, type BadInputError, fieldName } from './http.errors';
import { operationOf } from './query-parameters';

interface Schema {
  $ref?: string;
  allOf?: Schema[];
  items?: Schema;
  maxItems?: number;
  properties?: Record<string, Schema>;
}

interface DocumentedBody {
  requestBody?: { content: { 'application/json': { schema: Schema } } };
}

const schemas = openapi.components.schemas as Record<string, Schema>;

/** The schema of the body of each call whose body may have a list. A key is as in operationOf. */
const bodies = new Map<string, Schema>();
for (const [path, operations] of Object.entries(openapi.paths)) {
  for (const [method, { requestBody }] of Object.entries(operations as Record<string, DocumentedBody>)) {
    const schema = requestBody?.content['application/json'].schema;
    if (schema && hasList(schema)) bodies.set(`${method} ${path}`, schema);
  }
}

/**
 * Returns an error if a list in the body has more items than its call documents (`maxItems`). Runs before tsoa's validation, which looks at
 * every item, and takes quadratic time where the items are wrong: 500 wrong travellers took 128 ms of CPU.
 */
export function longListIssue(request: Request): BadInputError | undefined {
  const schema = bodies.get(operationOf(request));
  const found = schema && findLongList(request.body, schema, 'body');
  if (!found) return undefined;
  const field = fieldName(found.field.replace(/^body\./, ''));
  return badInput('validation_failed', 'body', field, `must have at most ${found.max} items`);
}

function findLongList(
  value: unknown,
  schema: Schema,
  field: string,
): { field: string; max: number } | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { items, maxItems = Infinity, properties = {} } = resolve(schema);
  if (!Array.isArray(value)) {
    const fields = value as Record<string, unknown>;
    return firstFound(Object.entries(properties), ([name, part]) =>
      findLongList(fields[name], part, `${field}.${name}`),
    );
  }
  if (!items) return undefined;
  if (value.length > maxItems) return { field, max: maxItems };
  return firstFound([...value.entries()], ([index, item]) => findLongList(item, items, `${field}.${index}`));
}

function firstFound<T, R>(values: T[], find: (value: T) => R | undefined): R | undefined {
  for (const value of values) {
    const found = find(value);
    if (found !== undefined) return found;
  }
  return undefined;
}

function hasList(schema: Schema): boolean {
  const { items, properties = {} } = resolve(schema);
  return items !== undefined || Object.values(properties).some(hasList);
}

/** Returns the schema to which the given one refers, directly or, if the field may be null, inside allOf. */
function resolve(schema: Schema): Schema {
  const reference = schema.$ref ?? schema.allOf?.[0]?.$ref;
  return reference === undefined ? schema : schemas[reference.replace('#/components/schemas/', '')]!;
}
