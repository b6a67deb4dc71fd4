import { PROBLEM_CODES, PROBLEMS } from '../../http/problems';
import { headerComponents } from './answer-headers';
import { describeAnswers, OCTO_ERROR_SCHEMA } from './describe-answers';
import {
  GENERATED_BASE_URL,
  type OpenApiDocument,
  type OpenApiOperation,
  referencedName,
  type Schema,
} from '../openapi-document';
import { otherOperations } from './other-operations';
import { problemExample } from '../problem-examples';
import {
  ALTERNATIVES,
  CAPABILITIES_HEADER,
  DESCRIPTION,
  ENVIRONMENT_HEADER,
  IDEMPOTENCY_KEY,
  SECURITY_SCHEMES,
  TAGS,
  takesKey,
} from './shared-parts';
import { limitQueryText, limitTexts } from './request-texts';
import { explainName } from './wire-names';

const WIDGET_LIST = '/api/widget/tours';

/** Adds the parts that tsoa cannot generate: examples, errors by code, headers, the other ways to authenticate. */
export function completeOpenapi(generated: OpenApiDocument): OpenApiDocument {
  const { version } = generated.info;
  const document: OpenApiDocument = {
    openapi: '3.0.3',
    info: {
      title: 'Tour Platform',
      version,
      description: DESCRIPTION,
      contact: { name: 'Tour Platform', url: `${GENERATED_BASE_URL}/docs/guide` },
      license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
    },
    servers: [{ url: GENERATED_BASE_URL }],
    externalDocs: { url: `${GENERATED_BASE_URL}/docs/guide`, description: 'Integration guide' },
    tags: TAGS,
    paths: generated.paths,
    components: {
      schemas: generated.components.schemas,
      examples: {},
      headers: {},
      securitySchemes: SECURITY_SCHEMES,
    },
  };
  const { schemas } = document.components;
  const sent = schemasOfRequests(document);
  for (const [name, schema] of Object.entries(schemas)) {
    completeSchema(schema, schemas, sent.has(name));
    // Some names have another meaning in OCTO, so the dtos of OCTO describe all their fields themselves.
    if (!name.startsWith('Octo')) explainNames(schema, sent.has(name));
    if (sent.has(name)) limitTexts(name, schema);
  }
  removeUnusedUnions(document);
  schemas.OctoError = OCTO_ERROR_SCHEMA;
  schemas.ProblemDocument!.example = problemExample('insufficient_seats');
  schemas.ProblemDocument!.properties!.code!['x-extensible-enum'] = PROBLEM_CODES;
  for (const [path, operations] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(operations))
      completeOperation(path, method, operation, schemas);
  }
  Object.assign(document.paths, otherOperations(document.paths[WIDGET_LIST]!.get!));
  document.components.examples = problemExamples(document.paths);
  document.components.headers = headerComponents(document.paths);
  return document;
}

/** Returns an example for each problem code that at least one operation refers to. */
function problemExamples(paths: OpenApiDocument['paths']): OpenApiDocument['components']['examples'] {
  const described = JSON.stringify(paths);
  const codes = PROBLEM_CODES.filter((code) => described.includes(`/examples/${code}"`));
  return Object.fromEntries(
    codes.map((code) => [code, { summary: PROBLEMS[code].advice, value: problemExample(code) }]),
  );
}

/** Returns the names of request schemas and of all schemas that they contain. */
function schemasOfRequests({ paths, components }: OpenApiDocument): Set<string> {
  const names = new Set<string>();
  const visit = (schema: Schema | undefined): void => {
    const name = schema && referencedName(schema);
    if (!name || names.has(name)) return;
    names.add(name);
    Object.values(components.schemas[name]!.properties ?? {}).forEach((part) => visit(part.items ?? part));
  };
  for (const operation of Object.values(paths).flatMap((operations) => Object.values(operations))) {
    visit(operation.requestBody?.content['application/json']?.schema);
  }
  return names;
}

/** Allows unknown fields in answers, so that a new field does not break a client's validator. Corrects `nullable` and `$ref`. */
function completeSchema(schema: Schema, schemas: Record<string, Schema>, inRequest: boolean): void {
  if (!inRequest && typeof schema.additionalProperties !== 'object') delete schema.additionalProperties;
  const { additionalProperties: others } = schema;
  if (typeof others === 'object') allowNullInUnion(others, schemas);
  for (const part of Object.values(schema.properties ?? {})) {
    allowNullInUnion(part, schemas);
    if (part.nullable === false) delete part.nullable;
    if (part.$ref && part.description) wrapReference(part);
    if (part.allOf && part.nullable) part.type = schemas[referencedName(part)!]!.type;
  }
}

/** Moves `nullable` of a union into its members, because OpenAPI 3.0 ignores it without a type. */
function allowNullInUnion(part: Schema, schemas: Record<string, Schema>): void {
  const referenced = part.allOf && schemas[referencedName(part)!];
  if (!part.nullable || !referenced?.anyOf) return;
  part.anyOf = referenced.anyOf.map((member) => ({ ...member, nullable: true }));
  delete part.allOf;
  delete part.nullable;
}

/** Removes the unions that stand in each of their places, so that nothing refers to them. */
function removeUnusedUnions(document: OpenApiDocument): void {
  const { schemas } = document.components;
  const text = JSON.stringify(document);
  for (const [name, { anyOf }] of Object.entries(schemas))
    if (anyOf && !text.includes(`"#/components/schemas/${name}"`)) delete schemas[name];
}

function explainNames(schema: Schema, inRequest: boolean): void {
  for (const [name, part] of Object.entries(schema.properties ?? {})) explainName(name, part, inRequest);
}

/** Moves $ref into allOf, because OpenAPI 3.0 ignores the siblings of $ref. */
function wrapReference(schema: Schema): void {
  schema.allOf = [{ $ref: schema.$ref }];
  delete schema.$ref;
}

function completeOperation(
  path: string,
  method: string,
  operation: OpenApiOperation,
  schemas: Record<string, Schema>,
): void {
  operation.operationId = operation.operationId.charAt(0).toLowerCase() + operation.operationId.slice(1);
  completeSecurity(operation);
  for (const parameter of operation.parameters) {
    const described: Schema = { ...parameter.schema };
    if (parameter.description) described.description = parameter.description;
    explainName(parameter.name, described, true);
    const { description, example, ...schema } = described;
    Object.assign(parameter, { description, schema, example: example ?? schema.enum?.[0] });
    limitQueryText(parameter);
  }
  if (operation.tags.includes('OCTO')) operation.parameters.push(CAPABILITIES_HEADER, ENVIRONMENT_HEADER);
  if (takesKey(method, operation) && isWrite(path)) operation.parameters.push(IDEMPOTENCY_KEY);
  describeAnswers(method, operation);
  const bodies = [operation.requestBody, ...Object.values(operation.responses)];
  for (const media of bodies.map((body) => body?.content?.['application/json'])) {
    if (media) media.example = exampleOf(media.schema, schemas, `${method} ${path}`);
  }
}

/** Returns false for the availability of OCTO, which is read by POST. */
function isWrite(path: string): boolean {
  return !path.startsWith('/octo/availability');
}

/** Names the scope in the description and in an extension, because OpenAPI 3.0 has no place for the scopes of an API key. */
function completeSecurity(operation: OpenApiOperation): void {
  const [[scheme, scopes]] = operation.security.map((requirement) => Object.entries(requirement)[0]!) as [
    [string, string[]],
  ];
  operation.security = [{ [scheme]: [] }, { [ALTERNATIVES[scheme]!]: [] }];
  const [scope] = scopes;
  if (!scope) return;
  operation['x-required-scope'] = scope;
  operation.description = `${operation.description ?? ''}\n\nNeeds a key with the scope \`${scope}\`.`.trim();
}

/**
 * Builds an example of this schema from the examples of its parts, so that each example is written only once.
 * @param where the place that the error names if a part has no example
 */
function exampleOf(schema: Schema, schemas: Record<string, Schema>, where: string): unknown {
  if (schema.example !== undefined) return schema.example;
  if (schema.enum) return schema.enum[0];
  const name = referencedName(schema);
  if (name) return exampleOf(schemas[name]!, schemas, name);
  if (schema.anyOf) return exampleOf(schema.anyOf[0]!, schemas, where);
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
