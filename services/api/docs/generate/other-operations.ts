import type { Answer, OpenApiDocument, OpenApiOperation } from '../openapi-document';

/** No enum: what the page does not know it ignores, and shows the visitor's own. */
const THEME = {
  name: 'theme',
  in: 'query',
  description: "`light` or `dark`; without it the visitor's own setting decides.",
  required: false,
  schema: { type: 'string' },
  example: 'dark',
} as const;

/** Routes that are no tsoa controllers: the page for a frame, and what a balancer asks. */
export function otherOperations(list: OpenApiOperation): OpenApiDocument['paths'] {
  const html: Answer = {
    description: 'An HTML page, to be shown in a frame on a page of one of the origins of the token.',
    content: { 'text/html': { schema: { type: 'string' } } },
  };
  const page: OpenApiOperation = {
    ...list,
    operationId: 'showTours',
    summary: 'Show tours in a frame',
    description:
      'The same list as a page, with the same parameters. `frame-ancestors` of its Content-Security-Policy names the origins ' +
      'of the token. A refusal is a page too where the visitor can do something about it.',
    parameters: [...(list.parameters ?? []), THEME],
    responses: { ...withPages(list.responses), 200: html },
  };
  return {
    '/embed/tours': { get: page },
    '/healthz': {
      get: health('checkLife', 'Does the process live?', { 200: answer('It does.', { ok: true }) }),
    },
    '/readyz': {
      get: health('checkReadiness', 'Can it do its work?', {
        200: answer('Migrations are in and the database answers.', { ok: true }),
        503: answer('Send requests elsewhere.', { ok: false, reason: 'stopping' }),
      }),
    },
  };
}

/** The same refusals, each as a page for who accepts HTML. */
function withPages(responses: OpenApiOperation['responses']): OpenApiOperation['responses'] {
  const page = { 'text/html': { schema: { type: 'string' } } };
  const both = Object.entries(responses).map(([status, one]) => [
    status,
    { ...one, content: { ...one.content, ...page } },
  ]);
  return Object.fromEntries(both) as OpenApiOperation['responses'];
}

function health(operationId: string, summary: string, responses: Record<string, Answer>): OpenApiOperation {
  const description = 'Without a credential, and never limited.';
  return { operationId, summary, description, tags: ['Service'], security: [], parameters: [], responses };
}

function answer(description: string, example: { ok: boolean; reason?: string }): Answer {
  const properties = {
    ok: { type: 'boolean' },
    reason: { type: 'string', description: 'Only where it is not ready.' },
  };
  const schema = { type: 'object', properties, required: ['ok'] };
  return { description, content: { 'application/json': { schema, example } } };
}
