import { AppError } from '../../platform/errors';

/** The ids that OCTO names in an error, and the error that each stands for when no such object exists or the tenant does not see it. */
const ERROR_OF_ID = {
  productId: 'INVALID_PRODUCT_ID',
  optionId: 'INVALID_OPTION_ID',
  unitId: 'INVALID_UNIT_ID',
  availabilityId: 'INVALID_AVAILABILITY_ID',
  uuid: 'INVALID_BOOKING_UUID',
} as const;

export type OctoId = keyof typeof ERROR_OF_ID;
export type OctoErrorName = (typeof ERROR_OF_ID)[OctoId] | 'UNPROCESSABLE_ENTITY' | 'BAD_REQUEST';

/** A refusal that only OCTO knows. Its answer is always 400; the log and the metrics name it validation_failed. */
export class OctoRefusalError extends AppError {
  readonly code = 'validation_failed';

  /** @param ids the offending id, if there is one */
  constructor(
    readonly error: OctoErrorName,
    message: string,
    readonly ids: Partial<Record<OctoId, string>> = {},
  ) {
    super(message);
  }
}

/** The id of the request is unknown, or the tenant does not see its object: both have the same answer. */
export function invalidId(field: OctoId, id: string): OctoRefusalError {
  return new OctoRefusalError(ERROR_OF_ID[field], INVALID_ID, { [field]: id });
}

export const INVALID_ID = 'The id is unknown, or its object cannot be used in this call.';

/** The request is understood, and cannot be done: no unit items, sold out, another state. */
export function unprocessable(message: string): OctoRefusalError {
  return new OctoRefusalError('UNPROCESSABLE_ENTITY', message);
}

export function badOctoRequest(message: string): OctoRefusalError {
  return new OctoRefusalError('BAD_REQUEST', message);
}
