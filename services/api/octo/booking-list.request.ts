import { dateInput, optionalText } from '../http/input';
import { badOctoRequest } from './octo.errors';

/** The parameters of the list. */
export interface ListQuery {
  resellerReference?: string;
  supplierReference?: string;
  localDate?: string;
  localDateStart?: string;
  localDateEnd?: string;
}

export interface OctoFilter {
  resellerReference?: string;
  supplierReference?: string;
  /** Inclusive dates of departure. */
  from?: string;
  to?: string;
  /** Only holds without a lead, or only leads. */
  only?: 'holds' | 'leads';
  limit: number;
}

const DAYS_MAX = 366;
const DAY_MS = 86_400_000;

/**
 * Reads the parameters.
 * @throws OctoRefusalError BAD_REQUEST without one, and for more than 366 days; InvalidInputError (400)
 */
export function filterOf(query: ListQuery): Omit<OctoFilter, 'only' | 'limit'> {
  const { localDate, localDateStart: start, localDateEnd: end } = query;
  if (Object.values(query).every((value) => value === undefined))
    throw badOctoRequest(
      'Send resellerReference, supplierReference, localDate, or localDateStart with localDateEnd.',
    );
  if ((start === undefined) !== (end === undefined))
    throw badOctoRequest('localDateStart and localDateEnd come together.');
  if (localDate !== undefined && start !== undefined)
    throw badOctoRequest('Send localDate, or localDateStart and localDateEnd, not both.');
  const [from, to] = [start ?? localDate, end ?? localDate];
  if (from !== undefined) assertRange(from, to!);
  return {
    resellerReference: optionalText('query', 'resellerReference', query.resellerReference, 128),
    supplierReference: optionalText('query', 'supplierReference', query.supplierReference, 128),
    from,
    to,
  };
}

function assertRange(from: string, to: string): void {
  for (const date of [from, to]) dateInput('query', 'localDate', date);
  const days = (Date.parse(to) - Date.parse(from)) / DAY_MS + 1;
  if (days < 1 || days > DAYS_MAX)
    throw badOctoRequest(
      `localDateEnd must be at most ${DAYS_MAX} days from localDateStart, and not before it.`,
    );
}
