import type { Db } from '../../../platform/database/database';
import { InvalidInputError } from '../../../platform/errors';
import type { ChoiceOfDate, DepartureChoice } from '../../departures/choose-departure';
import { findOnlyLiveHold, getHold } from '../../holds/find-hold';
import type { SeatHold } from '../../holds/seat-hold';
import type { Category } from '../../parties/category';
import type { Tenant } from '../../tenants/tenant';
import type { TourToSell } from './place-hold';

/** The departure of a new booking, as it is found before the locks. */
export interface PlacedBooking extends DepartureChoice {
  /** Null: the booking has no date. */
  departureDate: string | null;
  /** True: the departure is that of a hold, so the booking needs that hold. */
  needsHold: boolean;
  /** The categories that the booking may name: those of its hold, or of its tour. */
  categories: readonly Category[];
}

/** The fields of a request that name its departure. */
interface NamedPlace {
  departureDate: string | null;
  departureTime?: string;
  holdId: string | null;
  externalRef: string | null;
}

/** Chooses the departure of the booking's tour. @param date YYYY-MM-DD @param time HH:MM; undefined: not named */
export type ChooseDeparture = (date: string, time: string | undefined) => Promise<ChoiceOfDate>;

/**
 * Finds the departure of a booking: the departure of the named hold, or the departure at the named date and time. If the request names no
 * date, or no time, uses the tenant's only live hold with the reference of the booking. So a request without a time never gets another
 * departure than its hold. Another request may consume this hold meanwhile, so the reference is checked again under the lock.
 */
export async function placeOfRequest(
  db: Db,
  tenant: Tenant,
  { id: tourId, categories }: TourToSell,
  { holdId, departureDate, departureTime, externalRef }: NamedPlace,
  choose: ChooseDeparture,
): Promise<PlacedBooking> {
  if (holdId !== null) return placeOfHold(await getNamedHold(db, tenant, tourId, holdId, departureDate));
  const named = departureDate === null ? NO_DATE : await choose(departureDate, departureTime);
  const { departureId, times, isOneOfSeveral } = named;
  const leavesOpen = departureDate === null || isOneOfSeveral;
  const hold =
    leavesOpen && externalRef
      ? await findOnlyLiveHold(db, tenant.id, { tourId, externalRef, departureDate, departureTime })
      : null;
  return hold ? placeOfHold(hold) : { departureId, departureDate, times, categories, needsHold: false };
}

const NO_DATE: ChoiceOfDate = { departureId: null, times: [], isOneOfSeveral: false };

export function placeOfHold({ departureId, departureDate, categories }: SeatHold): PlacedBooking {
  return { departureId, departureDate, categories, times: [], needsHold: true };
}

/** @throws HoldNotFoundError (404), InvalidInputError (400) */
async function getNamedHold(
  db: Db,
  tenant: Tenant,
  tourId: string,
  holdId: string,
  date: string | null,
): Promise<SeatHold> {
  const hold = await getHold(db, tenant.id, holdId);
  if (hold.tour.id !== tourId) throw new InvalidInputError('body', 'tour_id', 'must be the tour of the hold');
  if (date !== null && date !== hold.departureDate)
    throw new InvalidInputError('body', 'departure_date', "must be the hold's date, or left out");
  return hold;
}
