import { isProblemCode, type ProblemCode, PROBLEMS } from '../../http/problems';
import { ERROR_OF_ID, OCTO_ERROR_FORM } from '../../octo/octo.errors';
import type { Answer, OpenApiOperation, Reference, Schema } from '../openapi-document';
import { hasETag, isOcto, refusalHeaders, successHeaders } from './answer-headers';
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
/** Problems of a request body. Operations without a body have these problems too, because they check that the request has no body. */
const OF_BODIES: ProblemCode[] = ['malformed_json', 'body_too_large', 'unsupported_media_type'];
const OF_KEYS: ProblemCode[] = [
  'invalid_idempotency_key',
  'idempotency_in_progress',
  'idempotency_key_reused',
];

/**
 * Completes the answers of an operation. A controller declares only its own codes, as `@Response(409, 'departure_gone, …')`. This function
 * adds the codes that all operations of this kind have.
 * @throws Error if the text of a @Response is not a list of codes of its status; `npm run generate` shows the error
 */
export function describeAnswers(method: string, operation: OpenApiOperation): void {
  const answers: Record<string, Answer> = {};
  for (const [status, answer] of Object.entries(operation.responses)) {
    if (Number(status) < 400)
      answers[status] = { ...answer, headers: successHeaders(method, operation, answer) };
  }
  if (hasETag(operation)) answers['304'] = unchanged(method, operation);
  const codes = [...ownCodes(operation), ...commonCodes(method, operation)];
  const refusals = isOcto(operation)
    ? describeOctoRefusals(codes, (status, these) => refusalHeaders(status, these, operation))
    : describeRefusals(codes, operation);
  operation.responses = { ...answers, ...refusals };
}

function describeRefusals(codes: ProblemCode[], operation: OpenApiOperation): Record<string, Answer> {
  const statuses = [...new Set(codes.map((code) => PROBLEMS[code].status))].sort();
  const codesOf = (status: number) => codes.filter((code) => PROBLEMS[code].status === status);
  return Object.fromEntries(statuses.map((status) => [status, refusal(codesOf(status), operation)]));
}

function commonCodes(method: string, operation: OpenApiOperation): ProblemCode[] {
  const byToken = operation.security.some((scheme) => 'widgetToken' in scheme);
  return [
    ...ANY_INPUT.filter((code) => !byToken || code !== 'unknown_parameter'),
    ...(operation.parameters.some(({ name }) => name === 'cursor') ? ['invalid_cursor' as const] : []),
    ...(byToken ? BY_WIDGET_TOKEN : BY_API_KEY),
    ...(method === 'get' ? [] : OF_BODIES),
    ...(takesKey(method, operation) ? OF_KEYS : []),
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
export function refusal(codes: ProblemCode[], operation: OpenApiOperation): Answer {
  const { status } = PROBLEMS[codes[0]!];
  const titles = new Set(codes.map((code) => PROBLEMS[code].title));
  const examples = codes.map((code) => [code, { $ref: `#/components/examples/${code}` }]);
  return {
    description: `${[...titles].join(' / ')}: ${codes.map((code) => `\`${code}\``).join(', ')}.`,
    headers: refusalHeaders(status, codes, operation),
    content: {
      'application/problem+json': {
        schema: { $ref: '#/components/schemas/ProblemDocument' },
        examples: Object.fromEntries(examples) as Record<string, Reference>,
      },
    },
  };
}

/** Returns the answer to a request whose If-None-Match is the ETag of the current answer. */
function unchanged(method: string, operation: OpenApiOperation): Answer {
  const description =
    'Nothing has changed since your copy, whose `ETag` the request sent as `If-None-Match`. The answer has no body: use your copy.';
  return { description, headers: successHeaders(method, operation, { description }) };
}

/** The schema of OCTO's errors. tsoa writes no schema for them, because no controller returns them. */
export const OCTO_ERROR_SCHEMA: Schema = {
  type: 'object',
  description: 'Every error below `/octo`. It names the offending id, if there is one.',
  properties: {
    error: {
      type: 'string',
      description: "OCTO's name of the error; for a status without one, the problem's code in capitals.",
      example: 'INVALID_PRODUCT_ID',
    },
    errorMessage: {
      type: 'string',
      description: 'Explains the error.',
      example: 'The id is unknown, or its object cannot be used in this call.',
    },
    ...offendingIds(Object.keys(ERROR_OF_ID)),
  },
  required: ['error', 'errorMessage'],
};

function offendingIds(names: string[]): Record<string, Schema> {
  const description = 'The offending id, as the request had it.';
  return Object.fromEntries(names.map((name) => [name, { type: 'string', description, example: 'unknown' }]));
}

/**
 * Returns the refusals of an OCTO operation by status.
 * @param codes the problems that the operation may have
 * @param headersOf returns the headers of a refusal with these codes
 */
function describeOctoRefusals(
  codes: ProblemCode[],
  headersOf: (status: number, codes: ProblemCode[]) => Answer['headers'],
): Record<string, Answer> {
  const byStatus = new Map<number, { codes: ProblemCode[]; errors: Set<string> }>();
  for (const code of codes) {
    const { status, body } = OCTO_ERROR_FORM.toAnswer(
      { code, status: PROBLEMS[code].status, detail: '' },
      undefined,
      { path: '', body: undefined },
    );
    const found = byStatus.get(status) ?? { codes: [], errors: new Set<string>() };
    found.codes.push(code);
    found.errors.add(body.error);
    byStatus.set(status, found);
  }
  return Object.fromEntries(
    [...byStatus].map(([status, found]) => [status, refusalOf(status, found, headersOf)]),
  );
}

function refusalOf(
  status: number,
  { codes, errors }: { codes: ProblemCode[]; errors: Set<string> },
  headersOf: (status: number, codes: ProblemCode[]) => Answer['headers'],
): Answer {
  const ids =
    status === 400 ? ', or the error of an id: ' + Object.values(ERROR_OF_ID).map(quoted).join(', ') : '';
  return {
    description: `${[...errors].map(quoted).join(', ')}${ids}.`,
    headers: headersOf(status, codes),
    content: {
      'application/json': {
        schema: { $ref: '#/components/schemas/OctoError' },
        example: { error: [...errors][0], errorMessage: PROBLEMS[codes[0]!].advice },
      },
    },
  };
}

function quoted(name: string): string {
  return `\`${name}\``;
}
