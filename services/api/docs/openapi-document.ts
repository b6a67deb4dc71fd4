/** The parts of an OpenAPI 3.0 document that tsoa writes, and that this folder adds to or reads. */
export interface OpenApiDocument {
  openapi: string;
  info: { title: string; version: string; description?: string; contact?: object; license?: object };
  servers: { url: string; description?: string }[];
  externalDocs?: { url: string; description?: string };
  tags?: { name: string; description: string }[];
  paths: Record<string, Record<string, OpenApiOperation>>;
  components: {
    schemas: Record<string, Schema>;
    examples: Record<string, { summary?: string; value: unknown }>;
    headers: Record<string, Header>;
    securitySchemes: Record<string, SecurityScheme>;
  };
}

interface SecurityScheme {
  type: string;
  in?: string;
  name?: string;
  description: string;
  /** An extension, because OpenAPI has no such field for a security scheme before 3.2. */
  'x-deprecated'?: boolean;
}

export interface OpenApiOperation {
  operationId: string;
  summary: string;
  description?: string;
  tags: string[];
  security: Record<string, string[]>[];
  parameters: Parameter[];
  requestBody?: { required: boolean; content: Record<string, Media> };
  responses: Record<string, Answer>;
  /** OpenAPI 3.0 has no place for the scopes of an API key. */
  'x-required-scope'?: string;
}

export interface Parameter {
  in: 'path' | 'query' | 'header';
  name: string;
  description?: string;
  required: boolean;
  schema: Schema;
  example?: unknown;
}

export interface Answer {
  description: string;
  headers?: Record<string, Reference>;
  content?: Record<string, Media>;
}

export interface Media {
  schema: Schema;
  example?: unknown;
  examples?: Record<string, Reference>;
}

export interface Header {
  description: string;
  /** True: each answer that refers to the header has it. */
  required?: boolean;
  schema: Schema;
  example?: unknown;
}

export interface Reference {
  $ref: string;
}

export interface Schema {
  $ref?: string;
  type?: string;
  format?: string;
  description?: string;
  example?: unknown;
  default?: string | number | boolean;
  enum?: unknown[];
  /** Values of an answer to which later versions may add: unlike `enum`, a new one is valid for a client's validator. */
  'x-extensible-enum'?: string[];
  nullable?: boolean;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: boolean;
  exclusiveMaximum?: boolean;
  minLength?: number;
  maxLength?: number;
  minProperties?: number;
  pattern?: string;
  items?: Schema;
  maxItems?: number;
  allOf?: Schema[];
  anyOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
}

/**
 * The text that stands for PUBLIC_BASE_URL in generated files. It is the default of PUBLIC_BASE_URL, so the committed files work locally.
 */
export const GENERATED_BASE_URL = 'http://127.0.0.1:3000';

/** Replaces the default addresses of generated files by those of this installation. */
export function withBaseUrl<T>(value: T, publicBaseUrl: string): T {
  const text = JSON.stringify(value);
  return JSON.parse(
    text.replaceAll(GENERATED_BASE_URL, () => JSON.stringify(publicBaseUrl).slice(1, -1)),
  ) as T;
}

/**
 * Returns the name of the schema to which the given schema refers. A schema refers to another one directly or, if the field may be null,
 * inside allOf.
 */
export function referencedName(schema: Schema): string | undefined {
  const reference = schema.$ref ?? schema.allOf?.[0]?.$ref;
  return reference?.replace('#/components/schemas/', '');
}
