import type { ErrorObject, ValidateFunction } from 'ajv';
import Ajv2020 from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import type { Response, Test } from 'supertest';
import type supertest from 'supertest';
import type {
  Answer,
  OpenApiDocument,
  OpenApiOperation,
  Schema,
} from '../../services/api/docs/openapi-document';
import { toOpenapi31 } from '../../services/api/docs/pages/to-openapi-31';
import openapi from '../../services/api/generated/openapi.json';

type Http = ReturnType<typeof supertest>;

const DOCUMENT = openapi as unknown as OpenApiDocument;
const PROBLEM = 'application/problem+json';

/** What any path answers, described or not: a route that is not there, a shed request, a method that is not taken. */
const OF_ANY_PATH = ['not_found', 'method_not_allowed', 'malformed_request', 'overloaded', 'shutting_down'];

const ajv = addFormats(new Ajv2020({ allErrors: true, strict: false }));
ajv.addSchema({ $id: 'openapi', components: { schemas: closedSchemas() } });

/** The same client, but each of its answers must be one that the OpenAPI document tells of. */
export function withDocumentedAnswers(http: Http): Http {
  return new Proxy(http, {
    get: (target, method: keyof Http) =>
      typeof target[method] === 'function'
        ? (path: string) => (target[method] as (path: string) => Test)(path).expect(checkAnswer)
        : target[method],
  });
}

/** @throws Error that names the call, and each way in which the document does not tell of this answer */
export function checkAnswer(response: Response): void {
  const { method, path } = (response as unknown as { req: { method: string; path: string } }).req;
  const pathname = path.replace(/\?.*/s, '');
  const faults = faultsOf(method, pathname, response);
  if (faults.length === 0) return;
  const body = JSON.stringify(response.body, null, 2).slice(0, 2000);
  throw new Error(
    `The OpenAPI document does not tell of this answer to ${method} ${pathname}:\n` +
      `${faults.map((fault) => `  - ${fault}`).join('\n')}\n${response.status} ${response.type}\n${body}`,
  );
}

function faultsOf(method: string, pathname: string, response: Response): string[] {
  if (method === 'OPTIONS') return [];
  const operations = operationsOf(pathname);
  const operation = operations?.[method === 'HEAD' ? 'get' : method.toLowerCase()];
  if (!operation) return response.status < 400 ? undescribed(pathname, operations) : strayFaults(response);
  const answer = operation.responses[response.status];
  if (answer) return answerFaults(method, answer, response);
  return isOfAnyPath(response) ? [] : [`no status ${response.status}`];
}

/** What is served beside the API (pages, documents) is not described, and need not be. */
function undescribed(pathname: string, operations: object | undefined): string[] {
  return operations || pathname.startsWith('/api/') ? ['no such operation'] : [];
}

/** A refusal of a path or method that the document does not have. */
function strayFaults(response: Response): string[] {
  if (response.request.method === 'HEAD' || response.type !== PROBLEM) return [];
  return schemaFaults({ $ref: '#/components/schemas/ProblemDocument' }, response.body);
}

function answerFaults(method: string, answer: Answer, response: Response): string[] {
  const types = Object.keys(answer.content ?? {});
  const faults = missingHeaders(answer, response);
  if (method === 'HEAD' || response.status === 304) return faults;
  if (types.length === 0) return response.text ? [...faults, 'a body where none is told of'] : faults;
  const media = answer.content![response.type];
  if (!media) return [...faults, `${response.type} instead of ${types.join(', ')}`];
  if (!response.type.endsWith('json')) return faults;
  faults.push(...schemaFaults(media.schema, response.body));
  const codes = Object.keys(media.examples ?? {});
  if (response.type === PROBLEM && !codes.includes(response.body.code) && !isOfAnyPath(response)) {
    faults.push(`code ${response.body.code} with status ${response.status}: it tells of ${codes.join(', ')}`);
  }
  return faults;
}

/** Not every answer has each of these: no next page, no stored answer, no wait, no quota of a caller who is unknown. */
const NOT_ALWAYS = ['Link', 'Idempotent-Replayed', 'Retry-After'];

function missingHeaders({ headers = {} }: Answer, response: Response): string[] {
  return Object.keys(headers)
    .filter(
      (name) => !NOT_ALWAYS.includes(name) && !(response.status === 429 && name.startsWith('RateLimit')),
    )
    .filter((name) => response.headers[name.toLowerCase()] === undefined)
    .map((name) => `the header ${name} is missing`);
}

function isOfAnyPath({ body }: Response): boolean {
  return OF_ANY_PATH.includes(body?.code);
}

function operationsOf(pathname: string): Record<string, OpenApiOperation> | undefined {
  const fits = (template: string) => new RegExp(`^${template.replace(/\{\w+\}/g, '[^/]+')}$`).test(pathname);
  const template = Object.keys(DOCUMENT.paths).find(fits);
  return template ? DOCUMENT.paths[template] : undefined;
}

function schemaFaults(schema: Schema, body: unknown): string[] {
  const key = JSON.stringify(schema);
  const validate = compiled.get(key) ?? ajv.compile(absolute(convert(schema)));
  compiled.set(key, validate);
  return validate(body) ? [] : validate.errors!.map(readable);
}
const compiled = new Map<string, ValidateFunction>();

const readable = ({ instancePath, message, params }: ErrorObject): string =>
  `body${instancePath.replaceAll('/', '.')} ${message} ${JSON.stringify(params)}`;

/** Answers may grow, so the published schemas are open; but ours grow with the document. */
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

/** References as ajv knows them: into the one document that it was given. */
function absolute<T>(schema: T): T {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/components', '"openapi#/components')) as T;
}
