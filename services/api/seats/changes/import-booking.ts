import { AppError, InvalidInputError } from '../../../platform/errors';
import type { BookingLead } from '../../bookings/booking-lead';
import type { ImportTerms } from '../../bookings/import-terms';
import type { ChoiceOfDate } from '../../departures/choose-departure';
import { totalOf } from '../../pricing/price-categories';
import type { Decided } from '../decided';
import type { SaleFacts } from '../read/facts';
import { lockedDeparture, quoteDeparture } from '../rules/departure-rules';
import type { SeatChange, Seller } from '../seat-change';
import { type BookingRequest, decideBooking, wantedBooking } from './create-booking';
import type { TourToSell } from './place-hold';

/**
 * Builds the booking of a row of an import. It consumes no hold.
 * @throws InvalidInputError; the decision the errors of decideBooking, and DeparturePastError
 */
export function importBooking(
  seller: Seller<never>,
  tour: TourToSell,
  request: BookingRequest & { imported: ImportTerms },
  choice: ChoiceOfDate,
): SeatChange<ImportedBooking> {
  const { departureId, times } = choice;
  const { departureDate } = request;
  const place = { departureId, departureDate, times, categories: tour.categories, needsHold: false };
  const wanted = wantedBooking(seller.tenant, tour, request, place);
  return {
    ...seller,
    locks: { departureIds: departureId === null ? [] : [departureId] },
    reads: { tourId: tour.id, bookingNumber: true },
    isAlone: false,
    decide: (facts) => decideImported(facts, wanted),
  };
}

/** A booking of an import, and its departure as it was before. */
export interface ImportedBooking {
  /** Only these fields: a check of 500 rows keeps all its bookings. */
  lead: Pick<
    BookingLead,
    | 'tour'
    | 'departureId'
    | 'departureDate'
    | 'departureTime'
    | 'seats'
    | 'totalMinor'
    | 'currency'
    | 'currencyDigits'
  >;
  /** The total at the prices of today, in minor units. */
  todayMinor: number;
  seatsBefore: number;
  seatsTotal: number;
}

function decideImported(
  facts: SaleFacts,
  wanted: ReturnType<typeof wantedBooking>,
): Decided<ImportedBooking> {
  const departure = lockedDeparture(facts, wanted.tenant, wanted.departureId);
  if (departure?.past) throw new DeparturePastError();
  const createdAt = wanted.imported?.createdAt ?? null;
  if (createdAt !== null && Date.parse(createdAt) > Date.parse(facts.at))
    throw new InvalidInputError('body', 'created_at', 'must not be in the future');
  const seatsBefore = departure?.seatsTaken ?? 0;
  const { result: lead, ...decided } = decideBooking(facts, wanted);
  const price = quoteDeparture(facts, wanted.tenant, departure!, lead.seats);
  const todayMinor = totalOf(lead.party, price.prices);
  const { seatsTotal } = departure!;
  const { tour, departureId, departureDate, departureTime, seats, totalMinor, currency, currencyDigits } =
    lead;
  const booked = {
    tour,
    departureId,
    departureDate,
    departureTime,
    seats,
    totalMinor,
    currency,
    currencyDigits,
  };
  return { ...decided, result: { lead: booked, todayMinor, seatsBefore, seatsTotal } };
}

/** A row of an import names a departure that is past. */
export class DeparturePastError extends AppError {
  readonly code = 'departure_gone';

  constructor() {
    super('The departure is past.');
  }
}
