import type { Db } from '../../../platform/database/database';
import type { BookingLead, ChangedBooking, NamedBooking } from '../../bookings/booking-lead';
import { bookingOutcome, isStanding } from '../../bookings/booking-status';
import { getBookingPlace } from '../../bookings/find-booking';
import { TourNotFoundError } from '../../catalog/catalog.errors';
import type { Departure } from '../../departures/departure';
import { DepartureCancelledError } from '../../departures/departure.errors';
import { assertFree, assertSeatsLeft, wantedOf } from '../../departures/check-seats';
import type { Tenant } from '../../tenants/tenant';
import type { Decided } from '../decided';
import { countedKey, type SaleFacts, type StoredLead, viewKey } from '../read/facts';
import { assertNothingMissing } from '../rules/booking-answers';
import { replaceSeats } from '../rules/counted-seats';
import { assertVisible } from '../rules/departure-rules';
import type { SeatChange, Seller } from '../seat-change';
import { changeOfBooking, statusChange, unchangedBooking } from '../stored-booking';

/** A paid booking, and the actor of its confirmation. */
export interface Confirmation extends NamedBooking {
  /** True: an operator, who also confirms an expired booking whose departure is closed or past, or whose tour its tenant does not see. */
  byOperator?: boolean;
  /** True: the booking may lack required answers. By default false. */
  despiteMissingAnswers?: boolean;
}

/** Builds the confirmation of a paid booking. @throws BookingNotFoundError (404); the decision the errors of decideConfirmation */
export async function confirmBooking(
  db: Db,
  seller: Seller<ChangedBooking>,
  { bookingRef, ...confirmation }: Confirmation,
): Promise<SeatChange<ChangedBooking>> {
  const found = await getBookingPlace(db, seller.tenant.id, bookingRef);
  const change = changeOfBooking(seller, found, (lead, facts) =>
    decideConfirmation(facts, seller.tenant, lead, confirmation),
  );
  // An expired booking without a date needs a tour that the tenant still sees.
  return found.departureId === null ? { ...change, reads: { tourId: found.tour.id } } : change;
}

/**
 * Confirms a paid booking. An expired booking takes its seats again like a new sale: the tenant must see the tour, and the departure must be
 * open and have free seats. An operator's confirmation needs the free seats only, because the guest may have paid in time. The rate of the
 * tour may be missing, because the price is locked. The tenant's share of the departure does not limit the seats, because they are paid. A
 * confirmed booking stays unchanged and has no event.
 * @throws BookingStateConflictError for a cancelled booking, DepartureCancelledError (409), and for an expired booking TourNotFoundError
 *   (404), DepartureGoneError, InsufficientSeatsError (409); AnswersMissingError (409), decided last
 * @rule an expired booking that is paid follows the rules of a new sale: test/api/confirm-booking.test.ts
 */
export function decideConfirmation(
  facts: SaleFacts,
  tenant: Tenant,
  lead: StoredLead,
  { by, byOperator = false, despiteMissingAnswers = false }: Omit<Confirmation, 'bookingRef'>,
): Decided<ChangedBooking> {
  const status = bookingOutcome(lead, 'confirm');
  if (status === 'stay') return unchangedBooking(lead);
  const departure = departureOf(facts, lead);
  const takesSeats = !isStanding(lead);
  if (takesSeats && !byOperator) assertShown(facts, tenant, lead, departure);
  // Refuses a cancelled departure even if the booking is paid, because nobody will travel.
  if (departure?.cancelled) throw new DepartureCancelledError(wantedOf(departure, lead.seats));
  if (takesSeats && departure) assertSeatsAgain(departure, lead, byOperator);
  if (!despiteMissingAnswers) assertNothingMissing(lead);
  if (takesSeats) replaceSeats(facts, tenant, null, lead);
  return statusChange(lead, { status, by, at: facts.at });
}

/** Checks that the departure has the seats of an expired booking. @throws DepartureGoneError, InsufficientSeatsError (409) */
function assertSeatsAgain(departure: Departure, { seats }: BookingLead, byOperator: boolean): void {
  if (byOperator) assertSeatsLeft(departure, seats);
  else assertFree(departure, seats);
}

function departureOf(
  { departures }: SaleFacts,
  { departureId, sandbox }: BookingLead,
): Departure | undefined {
  return departureId === null ? undefined : departures.get(countedKey(departureId, sandbox));
}

/** Checks that the tenant's visibility rules show the tour of the booking. @throws TourNotFoundError (404) */
function assertShown(
  facts: SaleFacts,
  tenant: Tenant,
  { tour }: BookingLead,
  departure: Departure | undefined,
): void {
  if (departure) return assertVisible(facts, tenant, departure);
  if (!facts.undatedTours.has(viewKey(tenant.id, tour.id))) throw new TourNotFoundError();
}
