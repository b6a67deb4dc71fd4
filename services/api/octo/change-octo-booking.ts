import type { Trx } from '../../platform/database/database';
import { transactionTrace } from '../../platform/traces';
import { amendBooking } from '../seats/amend-booking';
import { prepareBooking } from '../seats/prepare-sale';
import type { BookingLead } from '../bookings/booking-lead';
import { TourNotFoundError } from '../catalog/catalog.errors';
import type { Tour } from '../catalog/tour';
import type { ApiKeyPrincipal } from '../credentials/credential';
import { assertScope } from '../credentials/verify-credential';
import { amendHold } from '../seats/amend-hold';
import { extendHold, releaseHold } from '../seats/change-hold';
import { cancelBooking, confirmBooking } from '../seats/change-booking-status';
import { performInTransaction } from '../seats/perform';
import { HoldExpiredError, HoldStateConflictError } from '../holds/hold.errors';
import type { OctoContact } from '../holds/octo-booking';
import type { PartialCustomer } from '../holds/seat-hold';
import { type Party, seatsOf } from '../pricing/party';
import { sellingCurrencyOf } from '../pricing/selling-currency';
import { type Seller, sellerWithoutKey } from '../seats/sale';
import { performIn } from '../seats/transact-sales';
import { byKey } from '../tenants/actor';
import { customerOf, type SentDetails, withoutNull, withUuids } from './booking.request';
import { assertCurrency, assertMaxUnits, assertUnits } from './find-product';
import { invalidId, unprocessable } from './octo.errors';
import { updateOctoDetails } from './octo-bookings.repository';
import { keptUnitsOf, type OctoState, partyOf, placeOf, tourOf } from './octo-state';

/** One change of a booking. lockState has locked the booking's departure, so no other request can change the booking meanwhile. */
export interface OctoWrite {
  trx: Trx;
  /** The caller, as writeChecked has locked and read it. */
  principal: ApiKeyPrincipal;
  state: OctoState;
}

/** Returns the seller without a principal, because writeChecked has locked and checked the key. */
function sellerOf({ trx, principal }: OctoWrite): Seller<never> {
  return { ...sellerWithoutKey(principal.tenant), traceparent: transactionTrace(trx) };
}

/** @throws errors of extendHold; OctoRefusalError INVALID_BOOKING_UUID unless the booking is on hold */
export async function extendOctoBooking(write: OctoWrite, holdMinutes: number): Promise<void> {
  const { trx, principal, state } = write;
  const { hold, octo } = state;
  if (state.lead) throw invalidId('uuid', octo.uuid);
  assertScope(principal, 'booking:create');
  const extension = { holdId: hold.id, by: byKey(principal), holdMinutes };
  await onLiveHold(octo.uuid, async () =>
    performInTransaction(trx, await extendHold(trx, sellerOf(write), extension)),
  );
  await updateOctoDetails(trx, hold.id, {});
}

/**
 * Makes a lead from the hold and confirms the lead. If the hold already has a lead, confirms that lead and stores none of the sent details.
 * @throws errors of prepareBooking, performIn, confirmBooking and assertSale; OctoRefusalError INVALID_BOOKING_UUID for an ended hold
 */
export async function confirmOctoBooking(write: OctoWrite, sent: SentDetails & SentSale): Promise<void> {
  const { trx, principal, state } = write;
  const by = byKey(principal);
  assertScope(principal, 'booking:create');
  assertScope(principal, 'booking:manage');
  if (state.lead) {
    assertCurrency(sent.currency, state.lead, 'booking');
    const confirmation = { bookingRef: state.lead.bookingRef, by };
    await performInTransaction(trx, await confirmBooking(trx, sellerOf(write), confirmation));
    return;
  }
  await assertSale(write, sent);
  const { hold, octo } = state;
  const { contact, unitItems, customer } = mergedWith(sent, write);
  const seller = sellerOf(write);
  const lead = await onLiveHold(octo.uuid, async () => {
    const sale = await prepareBooking(trx, seller, hold.tour, {
      holdId: hold.id,
      departureDate: null,
      party: sent.party ?? partyOf(state),
      travellers: null,
      customer: customer ?? hold.customer,
      paymentMethod: null,
      expectedTotal: null,
      externalRef: sent.resellerReference ?? null,
      notes: octo.notes,
      source: 'octo',
      isConfirmed: true,
      by,
    });
    return performIn(trx, sale);
  });
  const confirmation = { bookingRef: lead.bookingRef, by };
  await performInTransaction(trx, await confirmBooking(trx, seller, confirmation));
  await updateOctoDetails(trx, hold.id, { contact, unitItems });
}

/** @throws errors of releaseHold and cancelBooking */
export async function cancelOctoBooking(write: OctoWrite, reason: string | null): Promise<void> {
  const { trx, principal, state } = write;
  const by = byKey(principal);
  if (state.lead) {
    assertScope(principal, 'booking:manage');
    const cancellation = { bookingRef: state.lead.bookingRef, reason, by };
    await performInTransaction(trx, await cancelBooking(trx, sellerOf(write), cancellation));
    return;
  }
  assertScope(principal, 'booking:create');
  const release = await releaseHold(trx, sellerOf(write), { holdId: state.hold.id, by });
  const { before } = await performInTransaction(trx, release);
  // The reason may name the customer, so an erased hold does not store it.
  const cancelReason = before.anonymizedAt ? null : reason;
  if (before.status === 'active') await updateOctoDetails(trx, before.id, { cancelReason });
}

/** The parts of a request that are checked against the tour. */
interface SentSale {
  /** The party of the unit items. Undefined: the request leaves them out. */
  party: Party | undefined;
  currency: string | null | undefined;
  tour?: Tour;
}

/** The place to which a booking moves. Undefined fields stay as they are. */
export interface OctoMove {
  tour?: Tour;
  departureId?: string;
  /** YYYY-MM-DD, the date of the departure. */
  departureDate?: string;
}

/** The change of a booking. Undefined fields stay as they are. */
export interface OctoChange extends SentDetails, SentSale, OctoMove {
  /** The length of the hold in minutes from now. Ignored for a lead. */
  holdMinutes?: number;
}

/** @throws errors of amendHold, extendHold, amendBooking and assertSale; OctoRefusalError UNPROCESSABLE_ENTITY */
export async function changeOctoBooking(write: OctoWrite, change: OctoChange): Promise<void> {
  const { hold, lead } = write.state;
  const { tour, party, notes } = change;
  assertScope(write.principal, lead ? 'booking:manage' : 'booking:create');
  const { contact, unitItems, customer } = mergedWith(change, write);
  if ((lead ?? hold).anonymizedAt) throw unprocessable('The booking is anonymized.');
  if (lead && tour && tour.id !== lead.tour.id) throw unprocessable('A confirmed booking keeps its product.');
  await assertSale(write, change);
  if (lead) await changeLead(write, lead, change, { party, customer });
  else await changeHold(write, change, { party, customer });
  await updateOctoDetails(write.trx, hold.id, { contact, unitItems, notes: lead ? undefined : notes });
}

/** The party and the customer that a change names. Undefined: the change leaves the party, or the customer, as it is. */
interface NamedByChange {
  party: Party | undefined;
  customer: Partial<PartialCustomer> | undefined;
}

async function changeLead(
  write: OctoWrite,
  { bookingRef, source }: BookingLead,
  { departureId, departureDate, notes, resellerReference: externalRef }: OctoChange,
  { party, customer = {} }: NamedByChange,
): Promise<void> {
  const { trx } = write;
  const amendment = await amendBooking(trx, sellerOf(write), {
    bookingRef,
    by: byKey(write.principal),
    departureId,
    departureDate,
    notes,
    externalRef,
    expectedTotal: null,
    party: { adult: party?.adult, child: party?.child },
    // If REST has made the booking, keeps the name, phone and email that the sent contact lacks.
    customer: source === 'octo' ? customer : withoutNull(customer),
  });
  await performInTransaction(trx, amendment);
}

async function changeHold(
  write: OctoWrite,
  { tour, departureId, departureDate, resellerReference: externalRef, holdMinutes }: OctoChange,
  { party, customer = {} }: NamedByChange,
): Promise<void> {
  const { trx, principal, state } = write;
  const seller = sellerOf(write);
  const named = { holdId: state.hold.id, by: byKey(principal) };
  const amendment = await amendHold(trx, seller, {
    ...named,
    adults: party?.adult,
    children: party?.child,
    tour,
    departureId,
    departureDate,
    externalRef,
    customer,
  });
  await performInTransaction(trx, amendment);
  if (holdMinutes === undefined) return;
  await onLiveHold(state.octo.uuid, async () =>
    performInTransaction(trx, await extendHold(trx, seller, { ...named, holdMinutes })),
  );
}

/**
 * Checks the units and the currency of a request. If the booking moves to another tour, this tour must have all its units. Otherwise the
 * booking keeps its currency and the units that it has or has locked, and only more units are checked against its tour. Runs under the
 * lock, because another request may have moved the booking to another tour.
 * @throws errors of assertCurrency, assertUnits and assertMaxUnits
 */
async function assertSale(
  { trx, principal, state }: OctoWrite,
  { party, currency, tour }: SentSale,
): Promise<void> {
  const { tenant } = principal;
  if (tour && tour.id !== placeOf(state).tourId) {
    assertCurrency(currency, sellingCurrencyOf(tenant, tour), 'product');
    if (party) assertUnits(tour, party);
    return assertMaxUnits(tour, party ?? partyOf(state));
  }
  assertCurrency(currency, state.lead ?? state.hold, 'booking');
  if (!party) return;
  const present = await tourOf(trx, tenant, state);
  assertUnits(present, party, keptUnitsOf(state));
  assertMaxUnits(present, party, seatsOf(partyOf(state)));
}

/**
 * Returns the contact, the unit items and the customer after a change. Undefined: the change leaves out the contact, or the unit items.
 */
function mergedWith({ contact, unitItems }: SentDetails, { state, principal }: OctoWrite) {
  const { octo, hold, lead } = state;
  const merged = contact && { ...withoutOldName(octo.contact, contact), ...contact };
  return {
    contact: merged,
    unitItems: unitItems && withUuids(unitItems, octo.unitItems),
    customer: merged && withNamed(contact, customerOf(merged, principal.tenant), (lead ?? hold).customer),
  };
}

/** Returns the customer's fields that the sent contact names, and the present ones for the others: REST may have changed them. */
function withNamed(
  sent: OctoContact,
  { name, phone, phoneAsSent, email }: PartialCustomer,
  now: PartialCustomer,
): PartialCustomer {
  const { fullName, firstName, lastName, phoneNumber, emailAddress } = sent;
  const namesPerson = [fullName, firstName, lastName].some((part) => part !== undefined);
  return {
    name: namesPerson ? name : now.name,
    phone: phoneNumber === undefined ? now.phone : phone,
    phoneAsSent: phoneNumber === undefined ? now.phoneAsSent : phoneAsSent,
    email: emailAddress === undefined ? now.email : email,
  };
}

/**
 * Returns the stored contact without the names that the sent contact replaces. A full name replaces the first and last name. A first or
 * last name replaces the full name.
 */
function withoutOldName(old: OctoContact, sent: OctoContact): OctoContact {
  const { fullName: _, firstName, lastName, ...rest } = old;
  if (sent.fullName !== undefined) return rest;
  if (sent.firstName !== undefined || sent.lastName !== undefined) return { ...rest, firstName, lastName };
  return old;
}

/** Runs a change that needs a live hold. @throws OctoRefusalError INVALID_BOOKING_UUID for an ended hold */
async function onLiveHold<T>(uuid: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof HoldExpiredError || error instanceof HoldStateConflictError)
      throw invalidId('uuid', uuid);
    throw error;
  }
}

/**
 * Runs a change whose request may not name the product.
 * @throws OctoRefusalError INVALID_PRODUCT_ID with the id of the product instead of TourNotFoundError
 */
export async function namingProduct<T>(productId: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof TourNotFoundError) throw invalidId('productId', productId);
    throw error;
  }
}
