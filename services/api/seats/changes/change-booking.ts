import type { Db } from '../../../platform/database/database';
import { AppError } from '../../../platform/errors';
import { changedFields } from '../../audit/changed-fields';
import { BookingAnonymizedError, CurrencyConflictError } from '../../bookings/booking.errors';
import {
  assertTravellersBooked,
  type BookingLead,
  type ChangedBooking,
  type NamedBooking,
  type Reduction,
  type Traveller,
} from '../../bookings/booking-lead';
import { columnsOfLead } from '../../bookings/booking-lead.repository';
import { eventOfLead } from '../../bookings/booking-events';
import { decideReduction, refundPercentAt } from '../../bookings/refund';
import { getBookingPlace } from '../../bookings/find-booking';
import { paymentDueAfterMove } from '../../bookings/payment-window';
import type { DepartureChoice } from '../../departures/choose-departure';
import {
  type CancellationPolicy,
  type DatedTier,
  describePolicy,
  policyOf,
} from '../../catalog/cancellation-policy';
import type { LockedDeparture } from '../../departures/departure';
import { findDepartureAfterChange } from '../../departures/find-departures';
import { comparedCustomer, type PartialCustomer, withGivenCustomer } from '../../holds/seat-hold';
import type { StoredColumns } from '../../holds/seat-hold';
import { depositOf } from '../../pricing/apply-price-rule';
import { toMajor } from '../../pricing/currency';
import type { Category } from '../../pricing/category';
import { categoriesToCheck, lostCodes, withPricesOf } from '../../pricing/kept-categories';
import { type Party, totalOf, unitsOf } from '../../pricing/party';
import {
  assertMeantParty,
  changedParty,
  type MeantParty,
  type RequestedParty,
} from '../../pricing/requested-party';
import type { PriceCalculation } from '../../pricing/explained-rules';
import type { LockedPrice, Prices } from '../../pricing/price-categories';
import { sellingCurrencyOf } from '../../pricing/selling-currency';
import type { Actor } from '../../tenants/actor';
import type { Tenant } from '../../tenants/tenant';
import { partyFields } from '../../holds/party-history';
import { assertPartyOfChange, categoriesOfChange } from '../rules/party-of-change';
import {
  assertExpectedTotal,
  existingDeparture,
  lockedDeparture,
  quoteDeparture,
} from '../rules/departure-rules';
import { type DepartureFacts, type SaleFacts, type StoredLead, viewKey } from '../read/facts';
import { changeOfBooking } from '../stored-booking';
import { datesOfLead, type Decided } from '../decided';
import { departuresOfMove, type SeatChange, type Seller } from '../seat-change';

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
  /** The new total that the customer saw, in major units. Null: not named. */
  expectedTotal: number | null;
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
 *   CurrencyConflictError, BookingAnonymizedError, DepartureGoneError, DepartureCancelledError, InsufficientSeatsError,
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
  const { locks } = change;
  return {
    ...change,
    locks: { ...locks, departureIds: departuresOfMove(found.departureId, to.departureId) },
    hiddenTourId: found.tour.id,
  };
}

export interface BookingChange {
  by: Actor | null;
  /** The departure after the change. */
  to: DepartureChoice;
  amendment: BookingAmendment;
}

/** Decides the change of a booking, under the locks of both departures and of the booking. Throws the errors of changeBooking. */
export function decideBookingChange(
  facts: SaleFacts,
  tenant: Tenant,
  lead: StoredLead,
  { by, to, amendment }: BookingChange,
): Decided<AmendedBooking> {
  const amended = decideAmendment(facts, tenant, lead, to, amendment);
  const fields = changesOf(lead, amended);
  if (Object.keys(fields).length === 0)
    return { result: { before: lead, after: lead, reduction: null }, changed: [] };
  const { refundPercent } = amendment;
  const reduction = decideReduction(lead, amended.totalMinor, lead.asOf, refundPercent);
  if (refundPercent !== undefined && !reduction) throw new NothingFreedError();
  const after = afterAmendment(lead, amended);
  return {
    result: { before: lead, after, reduction },
    lead: {
      id: lead.id,
      columns: { ...columnsOf(amended), updated_at: lead.nextUpdatedAt },
      change: { by, fields, refund: reduction?.refund },
    },
    events: [eventOfLead('booking.updated', after, reduction)],
    changed: [...datesOfLead(lead), ...datesOfLead(after)],
  };
}

/** The operator names a refund for a change that frees no money. */
class NothingFreedError extends AppError {
  readonly code = 'nothing_freed';

  constructor() {
    super(
      'Nothing is refunded, because the booking is not confirmed or its total does not fall: leave out --refund-percent',
    );
  }
}

/** The values of a booking after its change. */
interface AmendedLead {
  departure: LockedDeparture | null;
  party: Party;
  seats: number;
  categories: readonly Category[];
  cancellation: CancellationPolicy | null;
  tiers: DatedTier[] | null;
  refundCeiling: number;
  refundFloor: number | null;
  floorEndsAt: Date | null;
  /** A trigger stores it with the new departure (0147_payment_window.sql). */
  paymentDueAt: Date | null;
  prices: Prices;
  platformPrices: Partial<Prices>;
  totalMinor: number;
  depositMinor: number;
  priceBreakdown: PriceCalculation;
  customer: PartialCustomer;
  notes: string | null;
  externalRef: string | null;
  travellers: Traveller[] | null;
}

function columnsOf({ departure, ...values }: AmendedLead): StoredColumns {
  const [departureId, departureDate] = [departure?.id ?? null, departure?.departureDate ?? null];
  return columnsOfLead({ ...values, departureId, departureDate });
}

function afterAmendment(lead: StoredLead, { departure, ...values }: AmendedLead): BookingLead {
  return {
    ...lead,
    ...values,
    departureId: departure?.id ?? null,
    departureDate: departure?.departureDate ?? null,
    departureTime: departure?.startTime ?? null,
    departureStatus: departure && (departure.cancelled ? 'cancelled' : 'scheduled'),
    updatedAt: new Date(lead.nextUpdatedAt),
  };
}

/**
 * Decides the change by the facts, under the locks of both departures and of the lead. Throws the errors of changeBooking.
 * @param to the departure after the change
 */
function decideAmendment(
  facts: SaleFacts,
  tenant: Tenant,
  before: BookingLead,
  to: DepartureChoice,
  amendment: BookingAmendment,
): AmendedLead {
  const seats = amendedSeats(facts, tenant, before, to, amendment);
  const { departure, party, categories, moves } = seats;
  const paid = !awaitsPayment(before);
  if (departure) {
    const change = { before: moves ? null : before.party, after: party, categories, paid };
    assertPartyOfChange(facts, tenant, departure, change);
  }
  const price = amendedPrice(facts, tenant, before, seats);
  const undated = facts.undatedTours.get(viewKey(tenant.id, before.tour.id));
  const { categories: present } = departure?.tour ?? undated ?? before;
  if (moves || party !== before.party)
    assertMeantParty(seats, categoriesToCheck(party, before, { sold: categories, present }), price.prices);
  const totalMinor = totalOf(party, price.prices);
  assertExpectedTotal(amendment.expectedTotal, totalMinor, before);
  const terms = moves ? termsAfterMove(before, departure!) : before;
  const { notes = before.notes, externalRef = before.externalRef, customer } = amendment;
  return {
    departure,
    party,
    seats: seats.seats,
    categories,
    cancellation: terms.cancellation,
    tiers: terms.tiers,
    refundCeiling: terms.refundCeiling,
    refundFloor: terms.refundFloor,
    floorEndsAt: terms.floorEndsAt,
    paymentDueAt: terms.paymentDueAt,
    prices: price.prices,
    platformPrices: price.platformPrices,
    totalMinor,
    notes,
    externalRef,
    travellers: seats.travellers,
    ...amendedDeposit(tenant, before, { ...price, totalMinor, moves: moves && !paid }),
    customer: withGivenCustomer(before.customer, customer),
  };
}

interface AmendedSeats extends MeantParty, Pick<AmendedLead, 'departure' | 'categories' | 'travellers'> {
  /** True: the booking gets another departure. */
  moves: boolean;
}

/** Finds the departure after the change, and reads the party by its categories. Judges the request before the departure. */
function amendedSeats(
  facts: DepartureFacts,
  tenant: Tenant,
  before: BookingLead,
  to: DepartureChoice,
  amendment: BookingAmendment,
): AmendedSeats {
  const categories = categoriesOfChange(before, lockedDeparture(facts, tenant, to.departureId));
  const meant = changedParty(before.party, amendment.party ?? {}, categories);
  const { seats } = meant;
  const { tour } = before;
  const { travellers = before.travellers, departureDate = before.departureDate, departureTime } = amendment;
  assertTravellersBooked(travellers ?? [], meant, categories);
  assertChangeable(before, amendment);
  const departure =
    departureDate === null
      ? null
      : existingDeparture(facts, { ...to, tenant, tour, seats, departureDate, departureTime });
  const moves = departure !== null && departure.id !== before.departureId;
  return { ...meant, departure, categories, travellers, moves };
}

/** @throws BookingStateConflictError, BookingAnonymizedError (409) */
function assertChangeable(lead: BookingLead, amendment: BookingAmendment): void {
  bookingOutcome(lead, 'change');
  const { customer, notes, externalRef, travellers } = amendment;
  const personal = [...Object.values(customer), notes, externalRef, travellers];
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
  { party, seats, departure, moves }: AmendedSeats,
): Priced {
  const added = Object.keys(party).filter((code) => moves || unitsOf(before.party, code) === 0);
  // Keeps the old price if there is no new category. Also keeps the price of a booking without a date, which can have a price for the first
  // category only.
  if (!departure || added.length === 0) return before;
  // Compares the currencies before the quote, because a rate of the new one may be missing.
  const { currency } = sellingCurrencyOf(tenant, departure.tour);
  if (currency !== before.currency) throw new CurrencyConflictError('booking', currency, before.currency);
  const today = quoteDeparture(facts, tenant, departure, seats);
  if (moves) return withPricesOf(today, before, lostCodes(before, departure.tour.categories));
  return withPricesOf(before, today, added);
}

/**
 * Returns the deposit after the change. A booking that is not confirmed gets a new deposit when its total changes. If the booking keeps its
 * departure, uses the percentage that was stored with the booking. If the booking moves to another departure, uses the tenant's present
 * percentage.
 */
function amendedDeposit(
  tenant: Tenant,
  before: BookingLead,
  {
    priceBreakdown,
    totalMinor,
    moves,
  }: { priceBreakdown: PriceCalculation; totalMinor: number; moves: boolean },
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

function changesOf(before: BookingLead, after: AmendedLead) {
  const codes = new Set(Object.keys({ ...before.party, ...after.party }));
  return changedFields(
    [
      {
        departure_date: before.departureDate,
        departure_time: before.departureTime,
        ...partyFields(before.party, codes),
        ...numbersOf(before, before),
      },
      {
        departure_date: after.departure?.departureDate ?? null,
        departure_time: after.departure?.startTime ?? null,
        ...partyFields(after.party, codes),
        ...numbersOf(after, before),
      },
    ],
    [personalOf(before), personalOf(after)],
  );
}

function numbersOf(
  {
    totalMinor,
    depositMinor,
    cancellation,
    refundCeiling,
    refundFloor,
  }: Pick<AmendedLead, 'totalMinor' | 'depositMinor' | 'cancellation' | 'refundCeiling' | 'refundFloor'>,
  { currencyDigits }: BookingLead,
) {
  return {
    total_price: toMajor(totalMinor, currencyDigits),
    deposit_total: toMajor(depositMinor, currencyDigits),
    cancellation: describePolicy(cancellation),
    highest_refund_percent: refundCeiling,
    lowest_refund_percent: refundFloor,
  };
}

type Personal = Pick<AmendedLead, 'customer' | 'notes' | 'externalRef' | 'travellers'>;

function personalOf({ customer, notes, externalRef, travellers }: Personal) {
  return { ...comparedCustomer(customer), notes, external_ref: externalRef, travellers };
}
