import type { Db } from '../../../platform/database/database';
import { InvalidInputError } from '../../../platform/errors';
import type { WebhookEvent } from '../../../webhook-queue/enqueue-delivery';
import {
  assertTravellersBooked,
  type BookingLead,
  type BookingSource,
  referencePrefix,
  type Traveller,
} from '../../bookings/booking-lead';
import { columnsOfLead } from '../../bookings/booking-lead.repository';
import { eventOfLead } from '../../bookings/booking-events';
import { paymentDueAt, paymentWindowEnd } from '../../bookings/payment-window';
import type { DeskTerms } from '../../bookings/desk-terms';
import type { ImportTerms } from '../../bookings/import-terms';
import { policyOf } from '../../catalog/cancellation-policy';
import { TourNotFoundError } from '../../catalog/catalog.errors';
import { departureTimeWithoutDate } from '../../catalog/start-time';
import type { TourRef } from '../../catalog/tour';
import { assertFree, assertOpen, assertResourcesLeave, withoutClosing } from '../../departures/check-seats';
import type { LockedDeparture } from '../../departures/departure';
import { findDeparture } from '../../departures/find-departures';
import { octoHoldEvent } from '../../holds/octo-booking';
import type { SeatHold } from '../../holds/seat-hold';
import type { Category } from '../../parties/category';
import { categoriesToCheck, renewedCategories } from '../../parties/kept-categories';
import { type RequestedParty, seatsOf } from '../../parties/party-rules';
import {
  assertWantedParty,
  partyOfRequest,
  type WantedParty,
  wantedSeats,
} from '../../parties/requested-party';
import type { LockedPrice } from '../../pricing/price-categories';
import type { Actor } from '../../tenants/actor';
import type { BookingPaymentMethod } from '../../tenants/payment-method';
import type { Tenant } from '../../tenants/tenant';
import { type Decided, dateOfDeparture } from '../decided';
import { add, type HeldSeats, type SaleFacts, type UndatedTour, viewKey } from '../read/facts';
import { takeSeats, withoutSale } from '../rules/counted-seats';
import {
  assertExpectedTotal,
  assertVisible,
  existingDeparture,
  quoteDeparture,
  quoteUndated,
} from '../rules/departure-rules';
import { type BookedMoney, columnsOfImport, moneyOf } from '../rules/booked-money';
import { assertNoHoldByReference, consume, holdToConsume } from '../rules/consumed-hold';
import { assertLimits, limitedSeats } from '../rules/tenant-limits';
import type { SeatChange, Seller, WantedFacts } from '../seat-change';
import type { TourToSell } from './place-hold';
import { type ChooseDeparture, type PlacedBooking, placeOfHold, placeOfRequest } from './place-of-booking';
import type { PartialCustomer } from '../../customers/customer';
import type { BookingAnswers } from '../../questions/answers';
import type { GivenAnswers } from '../../questions/given-answers';
import { answersToLock, columnsOfAnswers } from '../rules/booking-answers';
import type { TourAsks } from '../../catalog/tour-asks';
import type { StoredColumns } from '../../../platform/database/row-description';

export interface BookingRequest {
  /** Null: the booking takes the date of its hold; without a hold, it has no date and reserves no seats. */
  departureDate: string | null;
  /** HH:MM. Undefined: not named. */
  departureTime?: string;
  party: RequestedParty;
  /** Null: not named. */
  travellers: Traveller[] | null;
  /** Undefined: the request answers nothing. */
  answers?: GivenAnswers;
  /** True: a booking that is confirmed at once may lack required answers. By default false. */
  despiteMissingAnswers?: boolean;
  customer: PartialCustomer;
  /** Null: the tenant's default. */
  paymentMethod: BookingPaymentMethod | null;
  /** In lower case. */
  holdId: string | null;
  /** The total that the customer saw, in major units. */
  expectedTotal: number | null;
  externalRef: string | null;
  notes: string | null;
  /** By default tenant_api, and desk with the terms of the desk. */
  source?: BookingSource;
  /** Undefined: a sale by a website. */
  desk?: DeskTerms;
  /** The row of an import, which is sold on the terms of the desk too. Undefined: no import. */
  imported?: ImportTerms;
  /** True: the caller confirms the booking in the same transaction. By default false. */
  isConfirmed?: boolean;
  /** Null: unknown. */
  by: Actor | null;
}

/** A booking that a request wants. Its party and its seats are by the categories that the tenant saw. */
interface WantedBooking
  extends Omit<BookingRequest, 'party' | 'paymentMethod'>, Omit<PlacedBooking, 'categories'>, WantedParty {
  tenant: Tenant;
  /** The tour that the tenant saw before the departure was locked. */
  tour: TourRef;
  paymentMethod: BookingPaymentMethod;
  source: BookingSource;
  /** True: the transaction confirms the booking, so no limit of unpaid bookings or seats counts it. */
  isConfirmed: boolean;
}

/**
 * Builds the creation of a booking: it reserves the seats, or consumes a hold, at the tenant's price. A named hold must match the tour and the
 * date of the request.
 * @throws HoldNotFoundError (404), InvalidInputError (400); the decision the errors of decideBooking
 */
export async function createBooking(
  db: Db,
  seller: Seller<BookingLead>,
  tour: TourToSell,
  request: BookingRequest,
  choose: ChooseDeparture = (departureDate, departureTime) =>
    findDeparture(db, { tourId: tour.id, departureDate, departureTime }),
): Promise<SeatChange<BookingLead>> {
  const { tenant } = seller;
  const placed = await placeOfRequest(db, tenant, tour, request, choose);
  const wanted = wantedBooking(tenant, tour, request, placed);
  const { departureId } = wanted;
  return {
    ...seller,
    locks: { departureIds: departureId === null ? [] : [departureId] },
    reads: factsOf(wanted),
    isAlone: false,
    decide: (facts) => decideBooking(facts, wanted),
  };
}

function factsOf(wanted: WantedBooking): WantedFacts {
  const { tour, holdId, externalRef, departureDate, departureTime, desk } = wanted;
  const counted = desk ? undefined : 'booking';
  const reads: WantedFacts = { tourId: tour.id, counted, bookingNumber: true };
  if (holdId !== null) return { ...reads, consumed: { id: holdId } };
  if (!externalRef) return reads;
  return departureDate === null
    ? { ...reads, reference: { externalRef, departureTime: departureTime ?? null } }
    : { ...reads, consumed: { externalRef } };
}

/** Returns the wanted booking that consumes a hold, on its departure. */
export function wantedBookingOfHold(
  tenant: Tenant,
  hold: SeatHold,
  request: Omit<BookingRequest, 'holdId' | 'departureDate'>,
): WantedBooking {
  return wantedBooking(
    tenant,
    hold.tour,
    { ...request, holdId: hold.id, departureDate: null },
    placeOfHold(hold),
  );
}

export function wantedBooking(
  tenant: Tenant,
  { id, slug }: TourRef,
  request: BookingRequest,
  { categories, ...placed }: PlacedBooking,
): WantedBooking {
  const meant = partyOfRequest(request.party, categories, placed.departureDate !== null);
  assertTravellersBooked(request.travellers ?? [], meant, categories);
  return {
    ...request,
    ...placed,
    ...meant,
    tenant,
    tour: { id, slug },
    paymentMethod: request.paymentMethod ?? tenant.paymentMethod,
    source: request.source ?? (request.desk ? 'desk' : 'tenant_api'),
    isConfirmed: request.isConfirmed ?? false,
  };
}

/**
 * Decides one booking by the facts, which count the sales that were granted before it in the transaction. Consumes the hold, reserves the
 * seats, checks the tenant's limits, and quotes the tenant's price.
 * @throws InvalidInputError for a party that the tour does not sell, or a time that is missing or not the hold's (400), TourNotFoundError,
 *   HoldNotFoundError (404), HoldExpiredError, HoldStateConflictError, AmbiguousHoldReferenceError, SaleChangedError, DepartureGoneError,
 *   DepartureCancelledError, InsufficientSeatsError, HoldLimitReachedError, PriceChangedError, TotalBelowZeroError (409), PayByPastError. After an error, the facts are
 *   unchanged.
 */
export function decideBooking(facts: SaleFacts, wanted: WantedBooking): Decided<BookingLead> {
  const { tenant, desk, isConfirmed } = wanted;
  const booked = seatsToBook(facts, wanted);
  const { departure, held, price } = booked;
  const seats = wantedSeats(wanted, price.categories);
  const limited = limitedSeats(seats, held, desk);
  if (!isConfirmed) assertLimits(facts, tenant, departure, limited);
  assertWantedParty(wanted, booked.toCheck, price.prices);
  const asked = answersToLock(wanted, booked.asks, price.categories, held);
  const money = moneyOf(wanted, price);
  assertExpectedTotal(wanted.expectedTotal, money.totalMinor, price);
  const named = { payBy: desk?.payBy, paymentMethod: wanted.paymentMethod };
  const windowEndsAt = paymentWindowEnd(facts.at, tenant, named);

  const more = seats - (held ? held.seats : 0);
  if (departure) takeSeats(facts, tenant, departure, { more, limited: limited ?? 0 });
  if (held) consume(facts, wanted, held);
  if (!isConfirmed && limited !== null) add(facts.unpaidLeads, tenant.id, 1);
  const payment = { windowEndsAt, dueAt: paymentDueAt(windowEndsAt, departure) };
  const lead = toBookingLead(facts, wanted, booked, { money, payment, asked });
  const columns = columnsOfNew(lead, facts.at, payment);
  return {
    result: lead,
    newLead: {
      id: lead.id,
      columns: { ...columns, ...columnsOfImport(wanted.imported) },
      held,
      answers: columnsOfAnswers(lead),
    },
    events: wanted.imported?.isSilent ? [] : eventsOfNew(lead),
    changed: departure ? [dateOfDeparture(departure)] : [],
  };
}

/** The end of the payment window, and the time until which the booking stands unpaid. Null: none. */
interface PaymentTimes {
  windowEndsAt: string | null;
  dueAt: string | null;
}

function columnsOfNew(lead: BookingLead, at: string, { windowEndsAt, dueAt }: PaymentTimes): StoredColumns {
  return {
    ...columnsOfLead(lead),
    created_at: at,
    payment_window_ends_at: windowEndsAt,
    payment_due_at: dueAt,
    confirmed_at: lead.status === 'confirmed' ? at : null,
  };
}

/** Returns the events of a new booking. One that OCTO has reserved also notifies the reseller: its details are found by the hold. */
function eventsOfNew(lead: BookingLead): WebhookEvent[] {
  const { holdId, tenant, bookingRef } = lead;
  const events = [eventOfLead('booking.created', lead)];
  if (lead.status === 'confirmed') events.push(eventOfLead('booking.confirmed', lead));
  if (lead.octo) events.push(octoHoldEvent({ id: holdId!, tenantId: tenant.id, bookingRef }));
  return events;
}

/** The cancellation policy that a booking locks. */
type LockedPolicy = Pick<BookingLead, 'cancellation' | 'tiers'>;

/** The seats, the price and the policy of a booking. */
interface BookedSeats {
  /** Null: a booking without a date. */
  departure: LockedDeparture | null;
  /** The consumed hold. */
  held: HeldSeats | null;
  price: LockedPrice;
  /** The categories by which the party is checked. */
  toCheck: readonly Category[];
  policy: LockedPolicy;
  /** The questions and the pickup of the tour now: a hold has locked none. */
  asks: TourAsks;
}

/**
 * Finds the departure, the hold and the price of a booking, and checks that the departure has enough free seats, including the seats of the
 * hold. A booking with a hold has the locked price: its rate may be missing now.
 */
function seatsToBook(facts: SaleFacts, wanted: WantedBooking): BookedSeats {
  const { departureDate } = wanted;
  if (departureDate === null) {
    assertNoHoldByReference(facts, wanted);
    if (wanted.departureTime !== undefined) throw departureTimeWithoutDate('body');
    const tour = undatedTour(facts, wanted);
    const price = quoteUndated(facts, wanted.tenant, tour);
    const policy = { cancellation: tour.cancellation, tiers: null };
    return { departure: null, held: null, price, toCheck: tour.categories, policy, asks: tour.asks };
  }
  const departure = departureToBook(facts, { ...wanted, departureDate });
  const held = holdToConsume(facts, wanted, departure);
  assertVisible(facts, wanted.tenant, departure);
  const { categories: present } = departure.tour;
  const sold = held ? renewedCategories(held, present) : present;
  const seats = wantedSeats(wanted, sold);
  const price = held ? { ...held, categories: sold } : quoteDeparture(facts, wanted.tenant, departure, seats);
  const toCheck = held ? categoriesToCheck(wanted.party, held, { sold, present }) : present;
  const tiers = tiersToLock(wanted, held ?? departure);
  assertSeats(wanted, withoutSale(facts, departure, held, seats), seats);
  const policy = { cancellation: policyOf(tiers), tiers };
  return { departure, held, price, toCheck, policy, asks: departure.asks };
}

/** Returns the tiers of the policy that the booking locks. Null: none. */
function tiersToLock({ imported }: WantedBooking, { tiers }: Pick<HeldSeats, 'tiers'>): HeldSeats['tiers'] {
  return imported?.hasPolicy === false ? null : tiers;
}

/** Checks that the departure sells the seats, on the terms of the sale. @throws errors of assertFree */
function assertSeats({ desk, imported }: WantedBooking, departure: LockedDeparture, seats: number): void {
  const sellable = desk ? withoutClosing(departure) : departure;
  if (!imported?.addsSeats) return assertFree(sellable, seats);
  assertOpen(sellable, seats);
  assertResourcesLeave(sellable, seats);
}

/**
 * Returns the departure of the booking. If the request names both a hold and a time, the time must be the start time of the hold's
 * departure.
 */
function departureToBook(
  facts: SaleFacts,
  wanted: WantedBooking & { departureDate: string },
): LockedDeparture {
  const { holdId, departureTime } = wanted;
  if (holdId === null) return existingDeparture(facts, wanted);
  const departure = existingDeparture(facts, { ...wanted, departureTime: undefined });
  if (departureTime === undefined || departureTime === departure.startTime) return departure;
  throw new InvalidInputError('body', 'departure_time', "must be the hold's time, or left out");
}

/** @throws TourNotFoundError if the tenant does not see the tour (404) */
function undatedTour(facts: SaleFacts, { tenant, tour }: WantedBooking): UndatedTour {
  const undated = facts.undatedTours.get(viewKey(tenant.id, tour.id));
  if (!undated) throw new TourNotFoundError();
  return undated;
}

/** Returns the lead of a granted booking, with the next free number. */
function toBookingLead(
  facts: SaleFacts,
  wanted: WantedBooking,
  { departure, held, price, policy }: BookedSeats,
  { money, payment, asked }: { money: BookedMoney; payment: PaymentTimes; asked: BookingAnswers | null },
): BookingLead {
  const {
    tenant,
    tour,
    party,
    travellers,
    paymentMethod,
    customer,
    notes,
    source,
    imported,
    by,
    isConfirmed,
  } = wanted;
  const id = facts.newLeadIds.shift()!;
  const at = new Date(facts.at);
  return {
    id,
    bookingRef: `${referencePrefix(tenant)}-${id}`,
    tour,
    tenant: { id: tenant.id, slug: tenant.slug },
    sandbox: tenant.sandbox,
    ...placeOnDeparture(departure),
    holdId: held?.id ?? null,
    party,
    seats: seatsOf(party, price.categories),
    categories: price.categories,
    travellers,
    asked,
    status: isConfirmed ? 'confirmed' : 'pending_payment',
    platformPrices: price.platformPrices,
    ...money,
    currency: price.currency,
    currencyDigits: price.currencyDigits,
    priceBreakdown: { ...price.priceBreakdown, deposit_percent: Number(tenant.depositPercent) },
    ...policy,
    refundCeiling: 100,
    refundFloor: null,
    floorEndsAt: null,
    refund: null,
    paymentMethod,
    paymentNote: tenant.paymentNote,
    externalRef: wanted.externalRef ?? held?.externalRef ?? null,
    source,
    ...referenceOfImport(imported),
    customer,
    octo: held?.octo ?? null,
    notes,
    createdAt: toDate(imported?.createdAt ?? null) ?? at,
    updatedAt: at,
    paymentWindowEndsAt: toDate(payment.windowEndsAt),
    paymentDueAt: toDate(payment.dueAt),
    createdBy: by,
    ...confirmationOf(wanted, at),
    cancelledAt: null,
    cancelledBy: null,
    expiredAt: null,
    cancelReason: null,
    anonymizedAt: null,
    asOf: at,
  };
}

function referenceOfImport(imported: ImportTerms | undefined): Pick<BookingLead, 'importId' | 'importRef'> {
  return imported
    ? { importId: imported.importId, importRef: imported.importRef }
    : { importId: null, importRef: null };
}

function confirmationOf(
  { isConfirmed, by }: WantedBooking,
  at: Date,
): Pick<BookingLead, 'confirmedAt' | 'confirmedBy'> {
  return isConfirmed ? { confirmedAt: at, confirmedBy: by } : { confirmedAt: null, confirmedBy: null };
}

function toDate(time: string | null): Date | null {
  return time === null ? null : new Date(time);
}

function placeOnDeparture(departure: LockedDeparture | null) {
  return {
    departureId: departure?.id ?? null,
    departureDate: departure?.departureDate ?? null,
    departureTime: departure?.startTime ?? null,
    departureStatus: departure && ('scheduled' as const),
  };
}
