import { type ProblemCode, PROBLEMS } from '../../http/problems';
import { OCTO_ERROR_FORM } from '../../octo/error-table';
import type { Answer, Schema } from '../openapi-document';

/** The schema of OCTO's errors. It is written here, because tsoa describes only types that a controller answers. */
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
    ...offendingIds('productId', 'optionId', 'unitId', 'availabilityId', 'uuid'),
  },
  required: ['error', 'errorMessage'],
};

function offendingIds(...names: string[]): Record<string, Schema> {
  const description = 'The offending id, as the request had it.';
  return Object.fromEntries(names.map((name) => [name, { type: 'string', description, example: 'unknown' }]));
}

/** The ids that are unknown or cannot be used, by the field that names them. */
const ID_ERRORS: Record<string, string> = {
  productId: 'INVALID_PRODUCT_ID',
  optionId: 'INVALID_OPTION_ID',
  unitId: 'INVALID_UNIT_ID',
  availabilityId: 'INVALID_AVAILABILITY_ID',
  uuid: 'INVALID_BOOKING_UUID',
};

/**
 * Returns the refusals of an OCTO operation by status.
 * @param codes the problems that it may have
 * @param headersOf returns the headers of a refusal with these codes
 */
export function describeOctoRefusals(
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
    status === 400 ? ', or the error of an id: ' + Object.values(ID_ERRORS).map(quoted).join(', ') : '';
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
