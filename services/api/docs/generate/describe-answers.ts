import { isProblemCode, type ProblemCode, PROBLEMS } from '../../http/problems';
import type { Answer, OpenApiOperation, Reference } from '../openapi-document';
import { describeOctoRefusals } from './octo-answers';
import { takesKey } from './shared-parts';

const ANY_INPUT: ProblemCode[] = [
  'validation_failed',
  'unknown_parameter',
  'duplicate_parameter',
  'multiple_credentials',
];
const BY_API_KEY: ProblemCode[] = [
  'invalid_api_key',
  'key_expired',
  'key_revoked',
  'tenant_inactive',
  'insufficient_scope',
  'wrong_credential_type',
];
const BY_WIDGET_TOKEN: ProblemCode[] = ['invalid_widget_token', 'wrong_credential_type'];
const ANYWHERE: ProblemCode[] = ['rate_limited', 'internal_error', 'overloaded', 'shutting_down'];
/** A body is checked also where an operation has none. */
const OF_BODIES: ProblemCode[] = ['malformed_json', 'body_too_large', 'unsupported_media_type'];
const OF_KEYS: ProblemCode[] = [
  'invalid_idempotency_key',
  'idempotency_in_progress',
  'idempotency_key_reused',
];

const QUOTA_HEADERS = [
  'RateLimit-Policy',
  'RateLimit',
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
];

/** Operations whose answer has an ETag, so that a client may store it and revalidate it with If-None-Match. */
const HAVE_ETAG = ['listFilters', 'listTours', 'readTour', 'listWidgetTours'];

/**
 * Completes an operation's answers. A controller declares only its own codes, as `@Response(409, 'departure_gone, …')`;
 * the common codes of its kind of call are added here.
 * @throws Error for a text that is no list of codes of that status: the developer reads it at `npm run generate`
 */
export function describeAnswers(method: string, operation: OpenApiOperation): void {
  const answers: Record<string, Answer> = {};
  for (const [status, answer] of Object.entries(operation.responses)) {
    if (Number(status) < 400)
      answers[status] = { ...answer, headers: successHeaders(method, operation, answer) };
  }
  if (HAVE_ETAG.includes(operation.operationId)) answers['304'] = unchanged();
  const codes = [...ownCodes(operation), ...commonCodes(method, operation)];
  if (isOcto(operation)) Object.assign(answers, describeOctoRefusals(codes, refusalHeaders));
  else describeRefusals(codes, answers);
  operation.responses = answers;
}

function describeRefusals(codes: ProblemCode[], answers: Record<string, Answer>): void {
  for (const status of [...new Set(codes.map((code) => PROBLEMS[code].status))].sort()) {
    answers[status] = refusal(codes.filter((code) => PROBLEMS[code].status === status));
  }
}

function isOcto({ tags }: OpenApiOperation): boolean {
  return tags.includes('OCTO');
}

function commonCodes(method: string, operation: OpenApiOperation): ProblemCode[] {
  const byToken = operation.security.some((scheme) => 'widgetToken' in scheme);
  return [
    ...ANY_INPUT.filter((code) => !byToken || code !== 'unknown_parameter'),
    ...(operation.parameters.some(({ name }) => name === 'cursor') ? ['invalid_cursor' as const] : []),
    ...(byToken ? BY_WIDGET_TOKEN : BY_API_KEY),
    ...(method === 'get' ? [] : OF_BODIES),
    ...(takesKey(method) ? OF_KEYS : []),
    ...ANYWHERE,
  ];
}

function ownCodes({ operationId, responses }: OpenApiOperation): ProblemCode[] {
  return Object.entries(responses).flatMap(([status, { description }]) => {
    if (Number(status) < 400) return [];
    const codes = description.split(', ');
    if (codes.every((code) => isProblemCode(code) && PROBLEMS[code].status === Number(status)))
      return codes as ProblemCode[];
    throw new Error(
      `${operationId}: "${description}" must be codes of status ${status} (http/problems.ts), with ", " between.`,
    );
  });
}

/** Returns the answer of one status with these codes. */
export function refusal(codes: ProblemCode[]): Answer {
  const { status } = PROBLEMS[codes[0]!];
  const titles = new Set(codes.map((code) => PROBLEMS[code].title));
  const examples = codes.map((code) => [code, { $ref: `#/components/examples/${code}` }]);
  return {
    description: `${[...titles].join(' / ')}: ${codes.map((code) => `\`${code}\``).join(', ')}.`,
    headers: refusalHeaders(status, codes),
    content: {
      'application/problem+json': {
        schema: { $ref: '#/components/schemas/ProblemDocument' },
        examples: Object.fromEntries(examples) as Record<string, Reference>,
      },
    },
  };
}

function refusalHeaders(status: number, codes: ProblemCode[]): Record<string, Reference> {
  const headers = ['X-Request-Id', 'X-Sandbox'];
  if (status === 401) headers.push('WWW-Authenticate');
  if (status === 429) headers.push(...QUOTA_HEADERS);
  if (codes.some((code) => PROBLEMS[code].retryable)) headers.push('Retry-After');
  return references(headers);
}

function unchanged(): Answer {
  return {
    description:
      'Nothing has changed since your copy, whose `ETag` the request sent as `If-None-Match`. The answer has no body: use your copy.',
    headers: references(['X-Request-Id', 'X-Sandbox', ...QUOTA_HEADERS, 'ETag']),
  };
}

function successHeaders(
  method: string,
  operation: OpenApiOperation,
  answer: Answer,
): Record<string, Reference> {
  const headers = ['X-Request-Id', 'X-Sandbox', ...QUOTA_HEADERS];
  if (isOcto(operation)) headers.push('Octo-Capabilities', 'Octo-Env');
  const isPage =
    operation.parameters.some(({ name }) => name === 'cursor') && answer.content?.['application/json'];
  if (isPage) headers.push('Link');
  if (takesKey(method)) headers.push('Idempotent-Replayed');
  if (HAVE_ETAG.includes(operation.operationId)) headers.push('ETag');
  if (operation.operationId === 'checkAvailability') headers.push('Age', 'Cache-Status');
  return references(headers);
}

function references(headers: string[]): Record<string, Reference> {
  return Object.fromEntries(headers.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
