import type { OpenApiDocument, Schema } from '../openapi-document';
import { EVENT_SCHEMAS, WEBHOOKS, WEBHOOKS_TAG } from '../webhook-events';

/** A schema of OpenAPI 3.1, which is one of JSON Schema 2020-12. */
type Schema31 = Record<string, unknown>;

/** The rules by which a field depends on the presence or the value of another field. OpenAPI 3.0 cannot express such rules. */
const ONLY_IN_31: Record<string, Schema31> = {
  BookingBody: {
    if: { properties: { adults: { const: 0 } }, required: ['adults'] },
    then: { properties: { children: { minimum: 1 } }, required: ['children'] },
  },
  BookingPatch: {
    dependentRequired: { phone_country: ['phone'] },
    // `expected_total` alone changes nothing, so it needs another field.
    dependentSchemas: { expected_total: { minProperties: 2 } },
  },
};

/** Converts the document to OpenAPI 3.1, and adds the webhooks. */
export function toOpenapi31(document: OpenApiDocument): object {
  const { paths, components, info, tags = [], ...rest } = document;
  const all = { ...components.schemas, ...EVENT_SCHEMAS };
  const schemas = Object.entries(all).map(([name, schema]) => [name, { ...schema, ...ONLY_IN_31[name] }]);
  return {
    ...rest,
    openapi: '3.1.0',
    jsonSchemaDialect: 'https://json-schema.org/draft/2020-12/schema',
    info: { ...info, license: { name: 'MIT', identifier: 'MIT' } },
    tags: [...tags, WEBHOOKS_TAG],
    paths: convert(paths),
    webhooks: convert(WEBHOOKS),
    components: convert({ ...components, schemas: Object.fromEntries(schemas) as object }),
  };
}

/** Converts the values of `schema` and the entries of `schemas`; copies all other values. */
function convert(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(convert);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, part]: [string, unknown]) => {
    if (key === 'schema') return [key, convertSchema(part as Schema)];
    if (key === 'schemas') return [key, mapValues(part as Record<string, Schema>, convertSchema)];
    if (key === 'example' || key === 'examples') return [key, part];
    return [key, convert(part)];
  });
  return Object.fromEntries(entries) as unknown;
}

function convertSchema(schema: Schema): Schema31 {
  const { nullable, example, exclusiveMinimum, exclusiveMaximum, ...rest } = schema;
  const converted: Schema31 = { ...rest };
  if (schema.properties) converted.properties = mapValues(schema.properties, convertSchema);
  if (schema.items) converted.items = convertSchema(schema.items);
  if (schema.allOf) converted.allOf = schema.allOf.map(convertSchema);
  if (schema.anyOf) converted.anyOf = schema.anyOf.map(convertSchema);
  if (typeof schema.additionalProperties === 'object') {
    converted.additionalProperties = convertSchema(schema.additionalProperties);
  }
  if (example !== undefined) converted.examples = [example];
  if (exclusiveMinimum) [converted.exclusiveMinimum, converted.minimum] = [schema.minimum, undefined];
  if (exclusiveMaximum) [converted.exclusiveMaximum, converted.maximum] = [schema.maximum, undefined];
  return nullable ? orNull(converted) : converted;
}

function orNull(schema: Schema31): Schema31 {
  if (schema.allOf) {
    const { description, allOf } = schema;
    return { description, anyOf: [...(allOf as Schema31[]), { type: 'null' }] };
  }
  const values = schema.enum as unknown[] | undefined;
  return { ...schema, type: [schema.type, 'null'], ...(values && { enum: [...new Set([...values, null])] }) };
}

function mapValues<T, U>(record: Record<string, T>, change: (value: T) => U): Record<string, U> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]));
}
