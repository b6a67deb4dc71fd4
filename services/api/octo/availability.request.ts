import type { Tour } from '../catalog/tour';
import { dateInput } from '../http/input';
import { badInput } from '../http/http.errors';
import type { Party } from '../pricing/party';
import type { OctoAvailabilityBody, OctoCalendarBody, OctoUnitQuantity } from './availability.dto';
import { badOctoRequest, invalidId } from './octo.errors';
import { OPTION_ID, unitsOf } from './product';
import { isUuid } from '../../platform/text-forms';

const DAYS_MAX = 366;
const DAY_MS = 86_400_000;

/** The departures that a request asks for. */
export type AskedDepartures = { from: string; to: string } | { ids: string[] };

/** @throws OctoRefusalError INVALID_OPTION_ID */
export function assertOption(optionId: string): void {
  if (optionId !== OPTION_ID) throw invalidId('optionId', optionId);
}

/** @throws OctoRefusalError BAD_REQUEST for another currency than the tour's */
export function assertCurrency(tour: Tour, currency: string | null | undefined): void {
  if (currency != null && currency !== tour.currency)
    throw badOctoRequest(`currency must be ${tour.currency}, the currency of the product.`);
}

/**
 * Reads the wanted units.
 * @returns undefined without any
 * @throws OctoRefusalError INVALID_UNIT_ID
 */
export function partyOfUnits(tour: Tour, units: OctoUnitQuantity[] | null | undefined): Party | undefined {
  if (!units?.length) return undefined;
  const party = { adult: 0, child: 0, single_supplement: 0 };
  for (const { id, quantity } of units) {
    const unit = unitsOf(tour).find((known) => known === id);
    if (!unit) throw invalidId('unitId', id);
    party[unit] += quantity;
  }
  return party;
}

/** @throws BadInputError without a range of at most 366 days (400) */
export function calendarRange({ localDateStart, localDateEnd }: OctoCalendarBody): {
  from: string;
  to: string;
} {
  const from = requiredDate('localDateStart', localDateStart);
  const to = requiredDate('localDateEnd', localDateEnd);
  if (to < from)
    throw badInput('validation_failed', 'body', 'localDateEnd', 'must not be before localDateStart');
  if (Date.parse(to) - Date.parse(from) >= DAYS_MAX * DAY_MS)
    throw badInput(
      'validation_failed',
      'body',
      'localDateEnd',
      `must be at most ${DAYS_MAX} days from localDateStart`,
    );
  return { from, to };
}

function requiredDate(field: string, value: string | null | undefined): string {
  if (value == null) throw badInput('validation_failed', 'body', field, 'is required');
  return dateInput('body', field, value);
}

/**
 * Reads the range of days, or the ids.
 * @throws OctoRefusalError BAD_REQUEST for both, or for none; INVALID_AVAILABILITY_ID for an id that is no UUID
 */
export function askedDepartures(body: OctoAvailabilityBody): AskedDepartures {
  const { availabilityIds, localDateStart, localDateEnd } = body;
  if (availabilityIds == null) return calendarRange(body);
  if (localDateStart != null || localDateEnd != null)
    throw badOctoRequest('Send availabilityIds, or localDateStart and localDateEnd, not both.');
  if (availabilityIds.length === 0 || availabilityIds.length > DAYS_MAX)
    throw badOctoRequest(`availabilityIds must have 1 to ${DAYS_MAX} ids.`);
  const unknown = availabilityIds.find((id) => !isUuid(id));
  if (unknown !== undefined) throw invalidId('availabilityId', unknown);
  return { ids: availabilityIds.map((id) => id.toLowerCase()) };
}
