import type { Db } from '../../platform/database/database';
import type { TourRef } from '../catalog/tour';
import type { Scope } from '../credentials/credential';
import type { DepartureChoice } from '../departures/choose-departure';
import { findDepartureAfterChange } from '../departures/find-departures';
import { HoldExpiredError, HoldStateConflictError } from '../holds/hold.errors';
import { assertHoldMinutes } from '../holds/hold-length';
import { type Party, unitCount } from '../parties/party-rules';
import { sellingCurrencyOf } from '../pricing/selling-currency';
import {
  changeReservation,
  type LockedReservation,
  type ReservationDecision,
  type ReservationSeller,
} from '../seats/changes/change-reservation';
import { freeingOnly, type SeatChange } from '../seats/seat-change';
import type { Tenant } from '../tenants/tenant';
import type { ReservedPickup } from '../pickups/pickup';
import { type SentDetails, withoutNull } from './booking.request';
import { assertCurrency, assertMaxUnits, requireUnits } from './find-product';
import { mergedWith } from './merged-details';
import { invalidId, unprocessable } from './octo.errors';
import { pickupAfter, pickupOnOtherTour } from './pickup.request';
import {
  changedUnits,
  keptUnits,
  partyWithUnits,
  placeOf,
  type Reader,
  saleOf,
  type ShownOctoBooking,
  type ShownParts,
  shownParts,
  stands,
  type StoredOctoBooking,
  unitsOfBooking,
} from './stored-octo-booking';
import type { PartialCustomer } from '../customers/customer';

/** A request to change a booking. */
export interface OctoRequest {
  db: Db;
  seller: ReservationSeller<ShownOctoBooking>;
  /** The booking before its departure was locked. */
  found: StoredOctoBooking;
  reader: Reader;
}

interface Prepared {
  /** The scope that the change needs. */
  scope: Scope;
  /** The departure after the change, and its tour. By default, the present ones. */
  to?: DepartureChoice & { tour: TourRef };
  makesBooking?: boolean;
  mayMove?: boolean;
  decide(booking: LockedReservation, parts: ShownParts): ReservationDecision;
}

/** Builds the change of a booking, whose result is the booking as its answer shows it. */
async function changeOf(
  { db, seller, found, reader }: OctoRequest,
  { to, decide, ...change }: Prepared,
): Promise<SeatChange<ShownOctoBooking>> {
  const place = placeOf(found);
  const departureId = to?.departureId ?? place.departureId;
  const tour = to?.tour ?? saleOf(found).tour;
  const parts = await shownParts(db, reader, { tourId: tour.id, departureId });
  return changeReservation(seller, {
    ...change,
    found,
    to: { departureId, tour },
    decide: (booking) => decide(booking, parts),
    toResult: (after, departure) => {
      const counted = { ...parts.departure.departure, ...departure };
      return { ...after, ...parts, departure: { ...parts.departure, departure: counted } };
    },
  });
}

/** Builds the extension of a hold. @throws errors of decideExtension; OctoRefusalError INVALID_BOOKING_UUID unless the booking is on hold */
export async function extendOctoHold(
  request: OctoRequest,
  holdMinutes: number,
): Promise<SeatChange<ShownOctoBooking>> {
  const { seller, found } = request;
  if (found.lead) throw invalidId('uuid', found.octo.uuid);
  assertHoldMinutes(seller.tenant, holdMinutes);
  return changeOf(request, {
    scope: 'booking:create',
    decide: (booking) => ({ ...onLiveHold(booking, () => booking.extend(holdMinutes)), details: {} }),
  });
}

/**
 * Builds the confirmation: it makes a confirmed booking from the hold. If the hold already became a booking, it confirms that one and
 * stores none of the sent details.
 * @throws errors of decideBooking, decideConfirmation and assertSale; OctoRefusalError INVALID_BOOKING_UUID for an ended hold
 */
export async function confirmOctoBooking(
  request: OctoRequest,
  sent: SentDetails & SentSale,
): Promise<SeatChange<ShownOctoBooking>> {
  const { tenant } = request.seller;
  return changeOf(request, {
    scope: 'booking:manage',
    makesBooking: request.found.lead === null,
    decide: (booking, { tour }) => {
      booking.assertScope('booking:create');
      const { lead } = booking;
      if (!lead) return bookHold(tenant, booking, sent, tour);
      assertCurrency(sent.currency, lead, 'booking');
      return booking.confirm(lead);
    },
  });
}

/** Decides the confirmed booking that consumes the hold. Throws the errors of confirmOctoBooking. */
function bookHold(
  tenant: Tenant,
  booking: LockedReservation,
  sent: SentDetails & SentSale,
  tour: ShownParts['tour'],
): ReservationDecision {
  assertSale(tenant, booking, sent, tour);
  const { hold, octo } = booking;
  const { contact, unitItems, customer } = mergedWith(sent, booking, tenant);
  const request = {
    party: { party: sent.units ? partyWithUnits(booking, sent.units) : hold.party },
    travellers: null,
    customer: customer ?? hold.customer,
    paymentMethod: null,
    expectedTotal: null,
    externalRef: sent.resellerReference ?? null,
    notes: octo.notes,
    source: 'octo' as const,
  };
  const pickup = pickupAfter(octo.pickup, sent.pickup, tour.pickup);
  return onLiveHold(booking, () =>
    booking.book(request, { contact, unitItems, pickup: sent.pickup && pickup }),
  );
}

/**
 * Builds the release of a hold, or the cancellation of a booking. A booking that is cancelled already stays unchanged.
 * @throws errors of decideRelease and decideCancellation; OctoRefusalError UNPROCESSABLE_ENTITY after the start of the departure
 * @rule until when OCTO cancels a booking: test/octo/cancellation.long.test.ts
 */
export async function cancelOctoBooking(
  request: OctoRequest,
  reason: string | null,
): Promise<SeatChange<ShownOctoBooking>> {
  const change = await changeOf(request, {
    scope: scopeOf(request.found),
    decide: (booking) => {
      const { hold, lead } = booking;
      if (stands(booking) && booking.departure(placeOf(booking).departureId)!.past)
        throw unprocessable('The departure has started, so the booking cannot be cancelled any more.');
      if (lead) return booking.cancel(lead, { reason });
      // The reason may name the customer, so an erased hold does not store it.
      const details = { cancelReason: hold.anonymizedAt ? null : reason };
      const decision = booking.release();
      return { ...decision, details: decision.hold && details };
    },
  });
  return freeingOnly(change);
}

/** The parts of a request that are checked against the tour. */
interface SentSale {
  /** Undefined: the request leaves out the unit items. */
  units: Party | undefined;
  currency: string | null | undefined;
}

/** The change of a booking. Undefined fields stay as they are. */
export interface OctoChange extends SentDetails, SentSale {
  tour?: TourRef;
  departureId?: string;
  /** YYYY-MM-DD, the date of the departure. */
  departureDate?: string;
  /** The length of the hold in minutes from now. Ignored for a lead. */
  holdMinutes?: number;
}

/**
 * Builds the change of a hold or booking.
 * @throws errors of decideHoldChange, decideExtension, decideBookingChange and assertSale; OctoRefusalError UNPROCESSABLE_ENTITY
 */
export async function changeOctoBooking(
  request: OctoRequest,
  change: OctoChange,
): Promise<SeatChange<ShownOctoBooking>> {
  const { db, seller, found } = request;
  const { tenant } = seller;
  const { departureId, departureDate, notes, holdMinutes } = change;
  if (holdMinutes !== undefined && !found.lead) assertHoldMinutes(tenant, holdMinutes);
  const sale = saleOf(found);
  const { tour = sale.tour } = change;
  const to = await findDepartureAfterChange(db, sale, { tourId: tour.id, departureId, departureDate });
  return changeOf(request, {
    scope: scopeOf(found),
    to: { ...to, tour },
    mayMove: true,
    decide: (booking, parts) => {
      const { hold, lead } = booking;
      const { contact, unitItems, customer } = mergedWith(change, booking, tenant);
      if ((lead ?? hold).anonymizedAt) throw unprocessable('The booking is anonymized.');
      if (lead && tour.id !== lead.tour.id) throw unprocessable('A confirmed booking keeps its product.');
      assertSale(tenant, booking, change, parts.tour);
      const wanted = { to, party: change.units && changedUnits(booking, change.units), customer };
      const pickup = changedPickup(booking, change, parts.tour);
      const decision = lead
        ? changeLead(booking, lead, change, { ...wanted, pickup })
        : changeHold(booking, change, wanted);
      const details = { contact, unitItems, notes: lead ? undefined : notes, pickup };
      return { ...decision, details };
    },
  });
}

/**
 * Returns the pickup after a change. Undefined: it stays. A booking that was asked for no pickup gets none.
 * @param tour the tour after the change
 * @throws InvalidInputError for a point or a hotel that the tour does not offer (400)
 */
function changedPickup(
  { octo, hold, lead }: StoredOctoBooking,
  { pickup: sent }: SentDetails,
  tour: ShownParts['tour'],
): ReservedPickup | null | undefined {
  if (lead) {
    const booked = lead.asked?.pickup ?? null;
    const now = bookedPickup(octo.pickup, booked && booked.chosen);
    return sent && pickupAfter(now, sent, booked && tour.pickup);
  }
  const stays = tour.id === hold.tour.id;
  const now = stays ? octo.pickup : pickupOnOtherTour(octo.pickup, tour.pickup);
  return sent || !stays ? pickupAfter(now, sent, tour.pickup) : undefined;
}

/** Returns the pickup of a booking, with the words of its reseller. */
function bookedPickup(reserved: ReservedPickup | null, chosen: ReservedPickup['chosen']): ReservedPickup {
  const { requested, hotel, room } = reserved ?? { requested: false, hotel: null, room: null };
  return { requested, hotel, room, chosen };
}

/** The departure after a change, and the units and the customer that it names. Undefined: the change leaves them as they are. */
interface WantedChange {
  to: DepartureChoice;
  party: Record<string, number> | undefined;
  customer: Partial<PartialCustomer> | undefined;
}

function changeLead(
  booking: LockedReservation,
  lead: NonNullable<LockedReservation['lead']>,
  { departureId, departureDate, notes, resellerReference: externalRef }: OctoChange,
  { to, party, customer = {}, pickup }: WantedChange & { pickup: ReservedPickup | null | undefined },
): ReservationDecision {
  const kept = pickup?.chosen;
  return booking.changeBooking(lead, to, {
    departureId,
    departureDate,
    notes,
    externalRef,
    expectedTotal: null,
    party: { party },
    answers: pickup ? { pickup: kept ? { kept } : null } : undefined,
    // If REST has made the booking, keeps the name, phone and email that the sent contact lacks.
    customer: lead.source === 'octo' ? customer : withoutNull(customer),
  });
}

/** Decides the change of a hold and, if the request names its length, its extension. */
function changeHold(
  booking: LockedReservation,
  { tour, departureId, departureDate, resellerReference: externalRef, holdMinutes }: OctoChange,
  { to, party, customer = {} }: WantedChange,
): ReservationDecision {
  const amendment = { party: { party }, tour, departureId, departureDate, externalRef, customer };
  return booking.changeHold(to, amendment, holdMinutes);
}

/** Returns the scope that a change of the booking needs. */
export function scopeOf({ lead }: StoredOctoBooking): Scope {
  return lead ? 'booking:manage' : 'booking:create';
}

/**
 * Checks the units and the currency of a request. If the booking moves to another tour, this tour must have all its units. Otherwise the
 * booking keeps its currency and the units that it has or has locked, and only more units are checked against its tour. Runs under the
 * lock, because another request may have moved the booking to another tour.
 * @param tour the tour after the change
 * @throws errors of assertCurrency, requireUnits and assertMaxUnits
 * @rule a stored OCTO booking keeps its units and its currency: test/octo/stored-bookings.long.test.ts
 */
function assertSale(
  tenant: Tenant,
  booking: StoredOctoBooking,
  { units, currency }: SentSale,
  tour: ShownParts['tour'],
): void {
  if (tour.id !== placeOf(booking).tourId) {
    assertCurrency(currency, sellingCurrencyOf(tenant, tour), 'product');
    if (units) requireUnits(tour, units);
    return assertMaxUnits(tour, units ?? unitsOfBooking(booking));
  }
  assertCurrency(currency, saleOf(booking), 'booking');
  if (!units) return;
  requireUnits(tour, units, keptUnits(booking, tour.categories));
  assertMaxUnits(tour, units, unitCount(unitsOfBooking(booking)));
}

/** Decides a change that needs a live hold. @throws OctoRefusalError INVALID_BOOKING_UUID for an ended hold */
function onLiveHold<T>({ octo }: LockedReservation, decide: () => T): T {
  try {
    return decide();
  } catch (error) {
    if (error instanceof HoldExpiredError || error instanceof HoldStateConflictError)
      throw invalidId('uuid', octo.uuid);
    throw error;
  }
}
