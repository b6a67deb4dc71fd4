import { AppError, type InputIssue } from '../../platform/errors';
import { TourNotFoundError } from '../catalog/catalog.errors';
import { UnsoldCategoryError } from '../parties/party';

/** The OCTO error for an id whose object does not exist or is not visible to the tenant. */
export const ERROR_OF_ID = {
  productId: 'INVALID_PRODUCT_ID',
  optionId: 'INVALID_OPTION_ID',
  unitId: 'INVALID_UNIT_ID',
  availabilityId: 'INVALID_AVAILABILITY_ID',
  uuid: 'INVALID_BOOKING_UUID',
  subscriptionId: 'INVALID_SUBSCRIPTION_ID',
} as const;

type OctoId = keyof typeof ERROR_OF_ID;
type OctoErrorName = (typeof ERROR_OF_ID)[OctoId] | 'UNPROCESSABLE_ENTITY' | 'BAD_REQUEST';

/** A refusal that only OCTO knows. Its answer is always 400. The log and the metrics name it `validation_failed`. */
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

/** Refuses an id. The refusal does not reveal whether the id is unknown, or belongs to an object that the tenant does not see. */
export function invalidId(field: OctoId, id: string): OctoRefusalError {
  return new OctoRefusalError(ERROR_OF_ID[field], INVALID_ID, { [field]: id });
}

const INVALID_ID = 'The id is unknown, or its object cannot be used in this call.';

/**
 * Returns the refusal of a valid request that the platform cannot carry out: for example, the departure is sold out, or the booking has
 * ended.
 */
export function unprocessable(message: string): OctoRefusalError {
  return new OctoRefusalError('UNPROCESSABLE_ENTITY', message);
}

export function badOctoRequest(message: string): OctoRefusalError {
  return new OctoRefusalError('BAD_REQUEST', message);
}

/**
 * Performs a change whose request may not name the product.
 * @throws OctoRefusalError INVALID_PRODUCT_ID with the id of the product instead of TourNotFoundError
 */
export async function namingProduct<T>(productId: () => string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof TourNotFoundError) throw invalidId('productId', productId());
    throw error;
  }
}

/** OCTO's answer to a problem. For an entry without `error`, the answer contains the problem's code in capitals. */
interface OctoError {
  error: OctoErrorName | 'UNAUTHORIZED' | 'FORBIDDEN';
  /** By default 400; without `error`, the problem's status. */
  status?: number;
  /** The id in the path or body that the problem is about. */
  id?: OctoId;
}

const BAD: OctoError = { error: 'BAD_REQUEST' };
const UNPROCESSABLE: OctoError = { error: 'UNPROCESSABLE_ENTITY' };
const UNAUTHORIZED: OctoError = { error: 'UNAUTHORIZED', status: 401 };
const FORBIDDEN: OctoError = { error: 'FORBIDDEN', status: 403 };
const PRODUCT: OctoError = { error: 'INVALID_PRODUCT_ID', id: 'productId' };
const BOOKING: OctoError = { error: 'INVALID_BOOKING_UUID', id: 'uuid' };
/** Another request has the lock. The client can repeat its request after a second. */
const BUSY = { status: 503 };
/** Keeps the problem's status and code. */
const SAME = {};

/** Maps the code of each problem to OCTO's error. The compiler checks in app.ts that the table is complete. */
const OCTO_ERRORS = {
  validation_failed: BAD,
  malformed_json: BAD,
  unknown_parameter: BAD,
  duplicate_parameter: BAD,
  invalid_cursor: BAD,
  multiple_credentials: BAD,
  invalid_idempotency_key: BAD,
  idempotency_key_reused: BAD,
  invalid_api_key: UNAUTHORIZED,
  key_expired: UNAUTHORIZED,
  key_revoked: UNAUTHORIZED,
  tenant_inactive: UNAUTHORIZED,
  insufficient_scope: UNAUTHORIZED,
  wrong_credential_type: UNAUTHORIZED,
  invalid_widget_token: UNAUTHORIZED,
  origin_not_allowed: FORBIDDEN,
  ip_not_allowed: FORBIDDEN,
  tour_not_found: PRODUCT,
  hold_not_found: BOOKING,
  booking_not_found: BOOKING,
  departure_gone: UNPROCESSABLE,
  departure_cancelled: UNPROCESSABLE,
  insufficient_seats: UNPROCESSABLE,
  hold_expired: UNPROCESSABLE,
  hold_state_conflict: UNPROCESSABLE,
  hold_limit_reached: UNPROCESSABLE,
  booking_state_conflict: UNPROCESSABLE,
  price_changed: UNPROCESSABLE,
  refund_changed: UNPROCESSABLE,
  answers_missing: UNPROCESSABLE,
  departure_busy: BUSY,
  idempotency_in_progress: BUSY,
  not_found: SAME,
  method_not_allowed: SAME,
  body_too_large: SAME,
  unsupported_media_type: SAME,
  rate_limited: SAME,
  internal_error: SAME,
  overloaded: SAME,
  shutting_down: SAME,
} satisfies Record<string, OctoError | { status?: number }>;

type OctoProblemCode = keyof typeof OCTO_ERRORS;

/** The form of every error below /octo. */
export const OCTO_ERROR_FORM = { prefix: '/octo', toAnswer: toOctoError };

interface Problem {
  code: OctoProblemCode;
  status: number;
  detail: string;
}

/** The parts of a request that may contain an id. */
interface Sent {
  path: string;
  body: unknown;
}

function toOctoError(problem: Problem, error: AppError | undefined, sent: Sent) {
  if (error instanceof OctoRefusalError)
    return { status: 400, body: { error: error.error, errorMessage: error.message, ...error.ids } };
  const entry: Partial<OctoError> = OCTO_ERRORS[problem.code];
  const own = entry.error ?? problem.code.toUpperCase();
  const status = entry.status ?? (entry.error ? 400 : problem.status);
  if (!entry.id) return { status, body: { error: own, errorMessage: messageOf(problem, error) } };
  return { status, body: { error: own, errorMessage: INVALID_ID, [entry.id]: idOf(entry.id, sent) } };
}

/** Returns a message that names every issue of the input, because an error of OCTO has no list of issues. */
function messageOf({ detail }: Problem, error: AppError | undefined): string {
  if (error instanceof UnsoldCategoryError) return messageOfUnsold(error);
  const issues = error?.facts.errors as InputIssue[] | undefined;
  if (!issues) return detail;
  return issues
    .map((issue) => {
      const { field, message = issue.message } = OCTO_ISSUES[issue.field] ?? issue;
      return `${field} ${message}.`;
    })
    .join(' ');
}

/** Names the category of the units, or of the supplements that REST has added, and says what is right. */
function messageOfUnsold({ category, errors }: UnsoldCategoryError): string {
  return `The number of ${category} ${errors[0]!.message}.`;
}

/**
 * Names an issue that a use case found in a field of REST by the OCTO field that sets the same value. A message replaces one that makes
 * sense for the field of REST only.
 */
export const OCTO_ISSUES: Record<string, { field: string; message?: string } | undefined> = {
  hold_minutes: { field: 'expirationMinutes' },
  'pickup.point': { field: 'pickupPointId', message: 'must be the id of a pickup point of the product' },
  'pickup.place': {
    field: 'pickupHotel',
    message: 'is no place at which the product fetches guests: name a pickupPointId',
  },
  tour_id: { field: 'productId' },
  departure_date: { field: 'availabilityId' },
  departure_time: { field: 'availabilityId' },
  party: { field: 'unitItems' },
  quantity: { field: 'unitItems' },
  adults: { field: 'unitItems' },
  children: { field: 'unitItems' },
  travellers: { field: 'unitItems', message: 'must keep a unit for each traveller whom the booking names' },
};

/** Returns the id as the client sent it: /octo/products/{productId}, /octo/bookings/{uuid}, or the field of the body. */
function idOf(field: OctoId, { path, body }: Sent): string {
  const [, collection, inPath] = /^\/octo\/(products|bookings)\/([^/]+)/.exec(path) ?? [];
  if (inPath !== undefined && collection === COLLECTION_OF[field]) return decodeURIComponent(inPath);
  const inBody = (body as Record<string, unknown> | undefined)?.[field];
  return typeof inBody === 'string' ? inBody : '';
}

/** The collections whose paths name an id. */
const COLLECTION_OF: Partial<Record<OctoId, string>> = { productId: 'products', uuid: 'bookings' };
