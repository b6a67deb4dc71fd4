import type { Db } from '../../../platform/database/database';
import { AppError } from '../../../platform/errors';
import {
  type Adjustment,
  adjustedTotal,
  toAdjustment,
  type WantedAdjustment,
} from '../../bookings/adjustment';
import { BookingAnonymizedError } from '../../bookings/booking.errors';
import {
  assertTravellersBooked,
  type BookingLead,
  type ChangedBooking,
  type NamedBooking,
  type Reduction,
  type Traveller,
} from '../../bookings/booking-lead';
import { columnsOfLead } from '../../bookings/booking-lead.repository';
import { awaitsPayment, bookingOutcome } from '../../bookings/booking-status';
import { isLimited } from '../../bookings/desk-terms';
import { eventOfLead } from '../../bookings/booking-events';
import { decideReduction, refundPercentAt } from '../../bookings/refund';
import { getBookingPlace } from '../../bookings/find-booking';
import { paymentDueAfterMove } from '../../bookings/payment-window';
import { describePolicy, policyOf } from '../../catalog/cancellation-policy';
import type { LockedDeparture } from '../../departures/departure';
import { findDepartureAfterChange } from '../../departures/find-departures';
import { depositOf } from '../../pricing/apply-price-rule';
import { toMajor } from '../../pricing/currency';
import { type LockedPrice, totalOf } from '../../pricing/price-categories';
import type { Tenant } from '../../tenants/tenant';
import {
  type Amended,
  amendedDeparture,
  amendedFields,
  type AmendedParty,
  amendedParty,
  assertAmendedParty,
  assertCurrencyStays,
  type FieldValues,
  placeOn,
  priceAfterMove,
} from '../rules/amended-seats';
import { replaceSeats } from '../rules/counted-seats';
import { assertExpectedTotal, quoteDeparture } from '../rules/departure-rules';
import {
  type DepartureFacts,
  type SaleFacts,
  type StoredLead,
  type UndatedTour,
  viewKey,
} from '../read/facts';
import { changeOfBooking } from '../stored-booking';
import { datesOfLead, type Decided } from '../decided';
import { movingTo, type SeatChange, type Seller } from '../seat-change';
import type { GivenAnswers } from '../../questions/given-answers';
import { answersOfChange, changedAnswers } from '../rules/booking-answers';
import { withPricesOf } from '../../pricing/quote-tenant-price';
import { unitsOf, type RequestedParty } from '../../parties/party-rules';
import { comparedCustomer, type PartialCustomer, withGivenCustomer } from '../../customers/customer';

/** The changes of a booking that a request asks for; an undefined field stays as it is, and null clears it. */
export interface BookingAmendment {
  /** A departure of the same tour, on `departureDate`. Undefined: the date and the time name it. */
  departureId?: string;
  /** YYYY-MM-DD, another date of the same tour. */
  departureDate?: string;
  /** HH:MM */
  departureTime?: string;
  party?: RequestedParty;
  customer: Partial<PartialCustomer>;
  notes?: string | null;
  externalRef?: string | null;
  travellers?: Traveller[] | null;
  /** Undefined: the change answers nothing. */
  answers?: GivenAnswers;
  /** The new total that the customer saw, in major units. Null: not named. */
  expectedTotal: number | null;
  /** The line of the price beside the categories, by the operator alone. */
  adjustment?: WantedAdjustment;
  /** The operator's share of what a smaller total frees, instead of that of the terms, in percent. */
  refundPercent?: number;
}

/** A booking before and after a change of its fields. */
export interface AmendedBooking extends ChangedBooking {
  /** Null: the booking was not confirmed, or its total did not fall. */
  reduction: Reduction | null;
}

/**
 * Builds the change of a standing booking: it reserves additional seats or frees seats, calculates the price, and has the event
 * `booking.updated`. On the same departure, a category that is already booked keeps its unit price. A new category, and each category on another departure, gets the
 * present price. A change to the same values writes nothing and has no event.
 * @throws BookingNotFoundError (404), InvalidInputError (400); the decision also TourNotFoundError (404), BookingStateConflictError,
 *   TotalBelowZeroError, CurrencyConflictError, BookingAnonymizedError, DepartureGoneError, DepartureCancelledError, InsufficientSeatsError,
 *   HoldLimitReachedError, PriceChangedError (409), NothingFreedError
 */
export async function changeBooking(
  db: Db,
  seller: Seller<AmendedBooking>,
  { bookingRef, by, ...amendment }: NamedBooking & BookingAmendment,
): Promise<SeatChange<AmendedBooking>> {
  const { tenant } = seller;
  const found = await getBookingPlace(db, tenant.id, bookingRef);
  const { departureId, departureDate, departureTime } = amendment;
  const to = await findDepartureAfterChange(db, found, { departureId, departureDate, departureTime });
  const change = changeOfBooking(seller, found, (lead, facts) =>
    decideBookingChange(facts, tenant, lead, { by, to, amendment }),
  );
  return movingTo(change, { ...to, tour: found.tour });
}

/** Decides the change of a booking, under the locks of both departures and of the booking. Throws the errors of changeBooking. */
export function decideBookingChange(
  facts: SaleFacts,
  tenant: Tenant,
  lead: StoredLead,
  { by, to, amendment }: Amended<BookingAmendment>,
): Decided<AmendedBooking> {
  const values = decideValues(facts, tenant, lead, { to, amendment });
  const after: BookingLead = { ...lead, ...values, updatedAt: new Date(lead.nextUpdatedAt) };
  const fields = amendedFields<BookingLead>(lead, after, historyOf, personalOf);
  if (Object.keys(fields).length === 0)
    return { result: { before: lead, after: lead, reduction: null }, changed: [] };
  const { refundPercent = amendment.adjustment && WHOLE } = amendment;
  const reduction = decideReduction(lead, after.totalMinor, lead.asOf, refundPercent);
  if (amendment.refundPercent !== undefined && !reduction) throw new NothingFreedError();
  replaceSeats(facts, tenant, lead, after);
  return {
    result: { before: lead, after, reduction },
    lead: {
      id: lead.id,
      columns: { ...columnsOfLead(values), updated_at: lead.nextUpdatedAt },
      change: { by, fields, refund: reduction?.refund },
      answers: changedAnswers(lead, after),
    },
    events: [eventOfLead('booking.updated', after, reduction)],
    changed: [...datesOfLead(lead), ...datesOfLead(after)],
  };
}

/** The share of what an adjustment alone takes from the total of a paid booking, in percent: the operator grants it. */
const WHOLE = 100;

/** The operator names a refund for a change that frees no money. */
class NothingFreedError extends AppError {
  readonly code = 'nothing_freed';

  constructor() {
    super(
      'Nothing is refunded, because the booking is not confirmed or its total does not fall: leave out --refund-percent',
    );
  }
}

type WantedChange = Omit<Amended<BookingAmendment>, 'by'>;

/** Returns the values that the change may replace. */
function decideValues(
  facts: SaleFacts,
  tenant: Tenant,
  before: BookingLead,
  wanted: WantedChange,
): Partial<BookingLead> {
  const { to, amendment } = wanted;
  const meant = amendedParty(facts, tenant, before, to, amendment.party);
  const {
    travellers = before.travellers,
    notes = before.notes,
    externalRef = before.externalRef,
  } = amendment;
  assertTravellersBooked(travellers ?? [], meant, meant.categories);
  assertChangeable(before, amendment);
  const place = departureAfter(facts, tenant, before, meant, wanted);
  const { departure, moves } = place;
  const { party, seats, categories } = meant;
  const price = amendedPrice(facts, tenant, before, meant, place);
  const undated = facts.undatedTours.get(viewKey(tenant.id, before.tour.id));
  const { categories: present } = departure?.tour ?? undated ?? before;
  assertAmendedParty(before, meant, { sold: categories, present, moves, prices: price.prices });
  const asked = answersAfter(before, amendment, meant, departure ?? undated);
  const adjustment = adjustmentAfter(before, amendment);
  const totalMinor = adjustedTotal(totalOf(party, price.prices), adjustment, before);
  assertExpectedTotal(amendment.expectedTotal, totalMinor, before);
  const isNew = moves && awaitsPayment(before);
  return {
    ...(departure ? datedPlaceOf(departure) : NO_PLACE),
    party,
    seats,
    categories,
    ...(moves && termsAfterMove(before, departure!)),
    prices: price.prices,
    platformPrices: price.platformPrices,
    totalMinor,
    adjustment,
    ...amendedDeposit(tenant, before, { ...price, totalMinor, moves: isNew }),
    notes,
    externalRef,
    travellers,
    asked,
    customer: withGivenCustomer(before.customer, amendment.customer),
  };
}

/** Returns the questions and answers after the change. @param to the departure or, for a booking without a date, the tour */
function answersAfter(
  before: BookingLead,
  { answers }: BookingAmendment,
  { party, categories }: AmendedParty,
  to: LockedDeparture | UndatedTour | undefined,
) {
  const start = to && 'startTime' in to ? placeOn(to) : NO_PLACE;
  return answersOfChange(before, answers, { party, categories, asks: to?.asks ?? null, start });
}

/** Returns the adjustment after the change. Undefined in the change: it stays. @throws errors of toAdjustment */
function adjustmentAfter(before: BookingLead, { adjustment }: BookingAmendment): Adjustment | null {
  return adjustment === undefined ? before.adjustment : toAdjustment(adjustment, before);
}

const NO_PLACE = { departureId: null, departureDate: null, departureTime: null, departureStatus: null };

function datedPlaceOf(departure: LockedDeparture) {
  const departureStatus = departure.cancelled ? ('cancelled' as const) : ('scheduled' as const);
  return { ...placeOn(departure), departureStatus };
}

/** The departure of a booking after its change. */
interface Place {
  /** Null: a booking without a date. */
  departure: LockedDeparture | null;
  /** True: the booking gets another departure. */
  moves: boolean;
}

function departureAfter(
  facts: DepartureFacts,
  tenant: Tenant,
  before: BookingLead,
  meant: AmendedParty,
  { to, amendment }: WantedChange,
): Place {
  const { departureDate = before.departureDate, departureTime } = amendment;
  if (departureDate === null) return { departure: null, moves: false };
  const limited = awaitsPayment(before) && isLimited(before.source);
  const wanted = { ...to, tenant, tour: before.tour, departureDate, departureTime, isLimited: limited };
  return amendedDeparture(facts, before, meant, wanted);
}

/** @throws BookingStateConflictError, BookingAnonymizedError (409) */
function assertChangeable(lead: BookingLead, amendment: BookingAmendment): void {
  bookingOutcome(lead, 'change');
  const { customer, notes, externalRef, travellers, answers, adjustment } = amendment;
  const personal = [...Object.values(customer), notes, externalRef, travellers, answers, adjustment];
  if (lead.anonymizedAt && personal.some((value) => value !== undefined)) throw new BookingAnonymizedError();
}

/**
 * Returns the terms on the new departure: the policy of its tour, and the time at which the payment is due. The share that a cancellation
 * refunded until now is the highest one from now on. No share is the lowest one any more, because the guest has chosen the date.
 */
function termsAfterMove(before: BookingLead, departure: LockedDeparture) {
  const { tiers } = departure;
  return {
    cancellation: policyOf(tiers),
    tiers,
    refundCeiling: refundPercentAt(before, before.asOf) ?? before.refundCeiling,
    refundFloor: null,
    floorEndsAt: null,
    paymentDueAt: paymentDueAfterMove(before, departure),
  };
}

type Priced = Pick<LockedPrice, 'prices' | 'platformPrices' | 'priceBreakdown'>;

/** @throws CurrencyConflictError (409) */
function amendedPrice(
  facts: DepartureFacts,
  tenant: Tenant,
  before: BookingLead,
  meant: AmendedParty,
  { departure, moves }: Place,
): Priced {
  const added = Object.keys(meant.party).filter((code) => moves || unitsOf(before.party, code) === 0);
  // Keeps the old price if there is no new category. Also keeps the price of a booking without a date, which can have a price for the first
  // category only.
  if (!departure || added.length === 0) return before;
  assertCurrencyStays('booking', tenant, before, departure);
  if (moves) return priceAfterMove(facts, tenant, before, meant, departure);
  return withPricesOf(before, quoteDeparture(facts, tenant, departure, meant.seats), added);
}

/**
 * Returns the deposit after the change. A booking that is not confirmed gets a new deposit when its total changes. If the booking keeps its
 * departure, uses the percentage that was stored with the booking. If the booking moves to another departure, uses the tenant's present
 * percentage.
 */
function amendedDeposit(
  tenant: Tenant,
  before: BookingLead,
  { priceBreakdown, totalMinor, moves }: Priced & { totalMinor: number; moves: boolean },
) {
  const booked = moves ? undefined : before.priceBreakdown.deposit_percent;
  const percent = booked ?? Number(tenant.depositPercent);
  const follows = awaitsPayment(before) && (moves || totalMinor !== before.totalMinor);
  return {
    priceBreakdown: { ...priceBreakdown, deposit_percent: percent },
    depositMinor: follows
      ? depositOf(totalMinor, String(percent), before.paymentMethod)
      : before.depositMinor,
  };
}

function historyOf(lead: BookingLead, seats: FieldValues) {
  const { totalMinor, adjustment, depositMinor, currencyDigits, cancellation, refundCeiling, refundFloor } =
    lead;
  return {
    ...seats,
    total_price: toMajor(totalMinor, currencyDigits),
    adjustment: adjustment && toMajor(adjustment.minor, currencyDigits),
    deposit_total: toMajor(depositMinor, currencyDigits),
    cancellation: describePolicy(cancellation),
    highest_refund_percent: refundCeiling,
    lowest_refund_percent: refundFloor,
  };
}

function personalOf({ customer, notes, externalRef, travellers, asked, adjustment }: BookingLead) {
  return {
    ...comparedCustomer(customer),
    notes,
    external_ref: externalRef,
    travellers,
    answers: asked && asked.answers,
    pickup: asked && asked.pickup,
    adjustment_reason: adjustment && adjustment.reason,
  };
}
