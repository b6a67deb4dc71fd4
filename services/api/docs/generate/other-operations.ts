import type { Answer, OpenApiDocument, OpenApiOperation } from '../openapi-document';
import type { ProblemCode } from '../../http/problems';
import { healthHeaders, pageHeaders, refusalHeaders } from './answer-headers';
import { refusal } from './describe-answers';

/** Has no enum, because the page accepts any value. For an unknown value the page uses the visitor's setting. */
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
  const page: OpenApiOperation = {
    ...list,
    operationId: 'showTours',
    summary: 'Show tours in a frame',
    description:
      'The same list as a page, with the same parameters. `frame-ancestors` of its Content-Security-Policy names the origins ' +
      'of the token. A refusal is a page too if the visitor can do something about it.',
    parameters: [...(list.parameters ?? []), THEME],
  };
  return {
    '/embed/tours': { get: { ...page, responses: answersOfPage(page) } },
    '/healthz': {
      get: health('checkLife', 'Check that the process runs', {
        200: answer('The process runs.', { ok: true }),
      }),
    },
    '/readyz': {
      get: health('checkReadiness', 'Check that the instance is ready', {
        200: answer('The migrations are applied and the database answers.', { ok: true }),
        503: answer('Send requests elsewhere.', { ok: false, reason: 'stopping' }),
      }),
    },
  };
}

const HTML = { 'text/html': { schema: { type: 'string' } } };

/**
 * Derives the answers of the embed page from the answers of the list of tours. A success is an HTML page. A refusal is an HTML page if the
 * client accepts HTML.
 */
function answersOfPage(page: OpenApiOperation): OpenApiOperation['responses'] {
  const refusals = Object.entries(page.responses).filter(([status]) => Number(status) >= 400);
  const both = refusals.map(([status, one]): [string, Answer] => {
    const codes = Object.keys(one.content!['application/problem+json']!.examples!) as ProblemCode[];
    const headers = refusalHeaders(Number(status), codes, page);
    return [status, { ...one, headers, content: { ...one.content, ...HTML } }];
  });
  const description = "An HTML page for a frame on a page of one of the token's origins.";
  return { 200: { description, headers: pageHeaders(), content: HTML }, ...Object.fromEntries(both) };
}

function health(operationId: string, summary: string, own: Record<string, Answer>): OpenApiOperation {
  const description = 'Needs no credential and has no quota.';
  const common = { operationId, summary, description, tags: ['Service'], security: [], parameters: [] };
  const operation = { ...common, responses: own };
  return { ...operation, responses: { ...own, 400: refusal(['validation_failed'], operation) } };
}

function answer(description: string, example: { ok: boolean; reason?: string }): Answer {
  const properties = {
    ok: { type: 'boolean' },
    reason: { type: 'string', description: 'Only if the instance is not ready.' },
  };
  const schema = { type: 'object', properties, required: ['ok'] };
  return { description, headers: healthHeaders(), content: { 'application/json': { schema, example } } };
}
