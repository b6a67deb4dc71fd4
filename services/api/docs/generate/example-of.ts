import { referencedName, type Schema } from '../openapi-document';

/**
 * A value of this schema, made of the examples of its parts, so that each is written down once.
 * @param where names the place in the message when a part has no example
 */
export function exampleOf(schema: Schema, schemas: Record<string, Schema>, where: string): unknown {
  if (schema.example !== undefined) return schema.example;
  if (schema.enum) return schema.enum[0];
  const name = referencedName(schema);
  if (name) return exampleOf(schemas[name]!, schemas, name);
  if (schema.type === 'array') return [exampleOf(schema.items!, schemas, `${where}[]`)];
  if (schema.properties) {
    const parts = Object.entries(schema.properties).map(([part, value]) => [
      part,
      exampleOf(value, schemas, `${where}.${part}`),
    ]);
    return Object.fromEntries(parts) as unknown;
  }
  if (schema.default !== undefined) return schema.default;
  throw new Error(`${where} has no example: give its name one in wire-names.ts, or an @example in its dto.`);
}
