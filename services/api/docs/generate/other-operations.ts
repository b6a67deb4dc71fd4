import type { Answer, OpenApiDocument, OpenApiOperation } from '../openapi-document';
import { refusal } from './describe-answers';

/** Has no enum: the page ignores unknown values and uses the visitor's setting. */
const THEME = {
  name: 'theme',
  in: 'query',
  description: "`light` or `dark`; without it the visitor's own setting decides.",
  required: false,
  schema: { type: 'string' },
  example: 'dark',
} as const;

/** Describes the routes without a tsoa controller: the embed page and the health checks. */
export function otherOperations(list: OpenApiOperation): OpenApiDocument['paths'] {
  const html: Answer = {
    description: "An HTML page for a frame on a page of one of the token's origins.",
    content: { 'text/html': { schema: { type: 'string' } } },
  };
  const page: OpenApiOperation = {
    ...list,
    operationId: 'showTours',
    summary: 'Show tours in a frame',
    description:
      'The same list as a page, with the same parameters. `frame-ancestors` of its Content-Security-Policy names the origins ' +
      'of the token. A refusal is a page too if the visitor can do something about it.',
    parameters: [...(list.parameters ?? []), THEME],
    responses: { ...withPages(list.responses), 200: html },
  };
  return {
    '/embed/tours': { get: page },
    '/healthz': {
      get: health('checkLife', 'Check that the process runs', {
        200: answer('The process runs.', { ok: true }),
        400: refusal(['validation_failed']),
      }),
    },
    '/readyz': {
      get: health('checkReadiness', 'Check that the instance is ready', {
        200: answer('The migrations are applied and the database answers.', { ok: true }),
        400: refusal(['validation_failed']),
        503: answer('Send requests elsewhere.', { ok: false, reason: 'stopping' }),
      }),
    },
  };
}

/** Adds a page to each refusal, for clients that accept HTML. The page of the list has no ETag. */
function withPages(responses: OpenApiOperation['responses']): OpenApiOperation['responses'] {
  const page = { 'text/html': { schema: { type: 'string' } } };
  const both = Object.entries(responses)
    .filter(([status]) => status !== '304')
    .map(([status, one]) => [status, { ...one, content: { ...one.content, ...page } }]);
  return Object.fromEntries(both) as OpenApiOperation['responses'];
}

function health(operationId: string, summary: string, responses: Record<string, Answer>): OpenApiOperation {
  const description = 'Needs no credential and has no quota.';
  return { operationId, summary, description, tags: ['Service'], security: [], parameters: [], responses };
}

function answer(description: string, example: { ok: boolean; reason?: string }): Answer {
  const properties = {
    ok: { type: 'boolean' },
    reason: { type: 'string', description: 'Only if the instance is not ready.' },
  };
  const schema = { type: 'object', properties, required: ['ok'] };
  return { description, content: { 'application/json': { schema, example } } };
}
