import type { ErrorObject, ValidateFunction } from 'ajv';
import Ajv2020 from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import type { Response, Test } from 'supertest';
import type supertest from 'supertest';
import type {
  Answer,
  Header,
  OpenApiDocument,
  OpenApiOperation,
  Schema,
} from '../../services/api/docs/openapi-document';
import { toOpenapi31 } from '../../services/api/docs/pages/to-openapi-31';
import { securityHeadersOf } from '../../services/platform/http/edge';
import { isEmail } from '../../services/platform/forms/text-forms';
import openapi from '../../services/api/generated/openapi.json';

type Http = ReturnType<typeof supertest>;

const DOCUMENT = openapi as unknown as OpenApiDocument;
const PROBLEM = 'application/problem+json';

/** Error codes that any path may answer, even if the document does not list them. */
const ANY_PATH_CODES = [
  'not_found',
  'method_not_allowed',
  'malformed_request',
  'overloaded',
  'shutting_down',
];

const ajv = addFormats(new Ajv2020({ allErrors: true, strict: false })).addFormat('idn-email', isEmail);
ajv.addSchema({ $id: 'openapi', components: { schemas: closedSchemas() } });

/** Returns the client with a check of each answer: the OpenAPI document must describe it. */
export function withDocumentedAnswers(http: Http): Http {
  return new Proxy(http, {
    get: (target, method: keyof Http) =>
      typeof target[method] === 'function'
        ? (path: string) => (target[method] as (path: string) => Test)(path).expect(checkAnswer)
        : target[method],
  });
}

/** @throws Error that names the call and each difference between the answer and the document */
export function checkAnswer(response: Response): void {
  const { method, path } = (response as unknown as { req: { method: string; path: string } }).req;
  const pathname = path.replace(/\?.*/s, '');
  const issues = issuesOf(method, pathname, response);
  if (issues.length === 0) return;
  const body = JSON.stringify(response.body, null, 2).slice(0, 2000);
  throw new Error(
    `The OpenAPI document does not describe this answer to ${method} ${pathname}:\n` +
      `${issues.map((issue) => `  - ${issue}`).join('\n')}\n${response.status} ${response.type}\n${body}`,
  );
}

function issuesOf(method: string, pathname: string, response: Response): string[] {
  if (method === 'OPTIONS') return [];
  const operations = operationsOf(pathname);
  const operation = operations?.[method === 'HEAD' ? 'get' : method.toLowerCase()];
  if (!operation)
    return response.status < 400 ? undescribed(pathname, operations) : undescribedRefusal(response);
  const answer = operation.responses[response.status];
  if (answer) return answerIssues(method, answer, response);
  return isAnyPathCode(response) ? [] : [`no status ${response.status}`];
}

/** Pages and documents beside the API are not described. */
function undescribed(pathname: string, operations: object | undefined): string[] {
  return operations || pathname.startsWith('/api/') ? ['no such operation'] : [];
}

/** Checks the refusal of a path or method that the document does not have. */
function undescribedRefusal(response: Response): string[] {
  if (response.request.method === 'HEAD' || response.type !== PROBLEM) return [];
  return schemaIssues({ $ref: '#/components/schemas/ProblemDocument' }, response.body);
}

function answerIssues(method: string, answer: Answer, response: Response): string[] {
  const types = Object.keys(answer.content ?? {});
  const issues = headerIssues(answer, response);
  if (method === 'HEAD' || response.status === 304) return issues;
  if (types.length === 0) return response.text ? [...issues, 'a body that is not described'] : issues;
  const media = answer.content![response.type];
  if (!media) return [...issues, `${response.type} instead of ${types.join(', ')}`];
  if (!response.type.endsWith('json')) return issues;
  issues.push(...schemaIssues(media.schema, response.body));
  const codes = Object.keys(media.examples ?? {});
  if (response.type === PROBLEM && !codes.includes(response.body.code) && !isAnyPathCode(response)) {
    issues.push(`code ${response.body.code} with status ${response.status} instead of ${codes.join(', ')}`);
  }
  return issues;
}

/** The headers of HTTP itself, and those that no client of the API needs to read. */
const NOT_DESCRIBED = [
  'Connection',
  'Content-Encoding',
  'Content-Length',
  'Content-Type',
  'Date',
  'Keep-Alive',
  'Transfer-Encoding',
  ...securityHeadersOf({ referrerPolicy: 'no-referrer' }).map(([name]) => name),
].map((name) => name.toLowerCase());

/** Returns the headers that are missing, that the document does not describe, or whose value its schema rejects. */
function headerIssues({ headers: references = {} }: Answer, { headers }: Response): string[] {
  const described = Object.entries(references).map(([name, { $ref }]): [string, Header] => [
    name,
    DOCUMENT.components.headers[$ref.replace('#/components/headers/', '')]!,
  ]);
  const known = [...NOT_DESCRIBED, ...Object.keys(references).map((name) => name.toLowerCase())];
  const sent = Object.keys(headers).filter((name) => !known.includes(name));
  return [
    ...sent.map((name) => `the header ${name} is not described`),
    ...described.flatMap(([name, { required, schema }]) => {
      const value: string | undefined = headers[name.toLowerCase()];
      if (value === undefined) return required ? [`the header ${name} is missing`] : [];
      const typed = schema.type === 'integer' ? Number(value) : value;
      return schemaIssues(schema, typed).map((issue) => `the header ${name}: ${issue}`);
    }),
  ];
}

function isAnyPathCode({ body }: Response): boolean {
  return ANY_PATH_CODES.includes(body?.code);
}

function operationsOf(pathname: string): Record<string, OpenApiOperation> | undefined {
  const fits = (template: string) => new RegExp(`^${template.replace(/\{\w+\}/g, '[^/]+')}$`).test(pathname);
  const template = Object.keys(DOCUMENT.paths).find(fits);
  return template ? DOCUMENT.paths[template] : undefined;
}

function schemaIssues(schema: Schema, body: unknown): string[] {
  const key = JSON.stringify(schema);
  const validate = compiled.get(key) ?? ajv.compile(absolute(convert(schema)));
  compiled.set(key, validate);
  return validate(body) ? [] : validate.errors!.map(readable);
}
const compiled = new Map<string, ValidateFunction>();

const readable = ({ instancePath, message, params }: ErrorObject): string =>
  `body${instancePath.replaceAll('/', '.')} ${message} ${JSON.stringify(params)}`;

/** Forbids fields that the document does not describe. The published schemas allow such fields, so that clients accept new fields later. */
function closedSchemas(): Record<string, object> {
  const { schemas } = (toOpenapi31(DOCUMENT) as { components: { schemas: Record<string, object> } })
    .components;
  const closed = Object.entries(schemas).map(([name, schema]) => [
    name,
    { ...('properties' in schema && { additionalProperties: false }), ...schema },
  ]);
  return absolute(Object.fromEntries(closed) as Record<string, object>);
}

function convert(schema: Schema): object {
  const wrapped = { ...DOCUMENT, paths: {}, components: { schemas: { it: schema } } };
  return (toOpenapi31(wrapped as unknown as OpenApiDocument) as { components: { schemas: { it: object } } })
    .components.schemas.it;
}

/** Rewrites the references, so that they point into the document with the ajv id `openapi`. */
function absolute<T>(schema: T): T {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/components', '"openapi#/components')) as T;
}
