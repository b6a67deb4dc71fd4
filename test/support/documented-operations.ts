import {
  type OpenApiDocument,
  type Parameter,
  referencedName,
  type Schema,
} from '../../services/api/docs/openapi-document';
import openapi from '../../services/api/generated/openapi.json';

const { paths, components } = openapi as unknown as OpenApiDocument;

export interface DocumentedOperation {
  id: string;
  method: string;
  /** With {name} for each parameter of the path. */
  path: string;
  credential: 'key' | 'token' | 'none';
  parameters: Parameter[];
  body: Schema | undefined;
}

/** The operations of the OpenAPI document. */
export const OPERATIONS: DocumentedOperation[] = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, { operationId, security, parameters = [], requestBody }]) => ({
    id: operationId,
    method: method.toUpperCase(),
    path,
    credential: credentialOf(security),
    parameters,
    body: requestBody?.content['application/json']?.schema,
  })),
);

function credentialOf([first]: object[]): DocumentedOperation['credential'] {
  if (!first) return 'none';
  return 'apiKey' in first ? 'key' : 'token';
}

/** Returns the schema that a reference names. */
export function resolve(schema: Schema): Schema {
  const name = referencedName(schema);
  return name === undefined ? schema : components.schemas[name]!;
}
