import type { Db } from '../../platform/database/database';
import type { TourRef } from '../catalog/tour';
import type { ApiKeyPrincipal, Scope } from '../credentials/credential';
import type { DepartureChoice } from '../departures/choose-departure';
import { SaleChangedError } from '../departures/check-seats';
import { findDepartureAfterChange } from '../departures/find-departures';
import { HoldExpiredError, HoldStateConflictError } from '../holds/hold.errors';
import { assertHoldMinutes } from '../holds/hold-length';
import { type ChangedOctoDetails, octoColumns, withChangedDetails } from '../holds/octo-booking';
import type { PartialCustomer } from '../holds/seat-hold';
import { type Party, unitCount } from '../pricing/party';
import { sellingCurrencyOf } from '../pricing/selling-currency';
import { decideBookingChange } from '../seats/amend-booking';
import { decideHoldChange } from '../seats/amend-hold';
import { decideCancellation, decideConfirmation } from '../seats/change-booking-status';
import { decideExtension, decideRelease } from '../seats/change-hold';
import { decideBooking } from '../seats/decide/decide-booking';
import type { Decided } from '../seats/decided';
import { saleOfHold } from '../seats/prepare-sale';
import { countedKey } from '../seats/read/sale-facts';
import type { Seller } from '../seats/sale';
import { departuresOfMove } from '../seats/seat-change';
import { lockedLead } from '../seats/stored-booking';
import type { ChangeFacts, StoredChange, StoredHold, StoredLead } from '../seats/stored-change';
import { departureOfHold, lockedHold } from '../seats/stored-hold';
import { byKey } from '../tenants/actor';
import type { Tenant } from '../tenants/tenant';
import { type SentDetails, withoutNull } from './booking.request';
import { assertCurrency, assertMaxUnits, requireUnits } from './find-product';
import { mergedWith } from './merged-details';
import { invalidId, unprocessable } from './octo.errors';
import {
  changedUnits,
  keptUnits,
  partyWithUnits,
  placeOf,
  type Reader,
  saleOf,
  seatsOn,
  type ShownOctoBooking,
  type ShownParts,
  shownParts,
  stands,
  type StoredOctoBooking,
  unitsOfBooking,
} from './stored-octo-booking';

/** A request to change a booking. */
export interface OctoRequest {
  db: Db;
  seller: Seller<ShownOctoBooking> & { principal: ApiKeyPrincipal };
  /** The booking before its departure was locked. */
  found: StoredOctoBooking;
  reader: Reader;
}

/** A booking as it is under the locks. */
interface LockedOctoBooking extends StoredOctoBooking {
  hold: StoredHold;
  lead: StoredLead | null;
}

/** The decision about a booking: the parts of the booking after it, and the rows of its hold and lead. */
interface OctoDecision extends Omit<Decided<Partial<StoredOctoBooking>>, 'octo'> {
  /** The details to write. Undefined: the details stay as they are, with their time. */
  details?: ChangedOctoDetails;
}

interface Prepared {
  /** The scope that the change needs. */
  scope: Scope;
  /** The departure after the change, and its tour. By default, the present ones. */
  to?: DepartureChoice & { tour: TourRef };
  makesBooking?: boolean;
  hidesDates?: boolean;
  decide(booking: LockedOctoBooking, facts: ChangeFacts, parts: ShownParts): OctoDecision;
}

/** Builds the change of a booking: the rows of its hold, its lead and its details are written together. */
async function changeOf(
  { db, seller, found, reader }: OctoRequest,
  { scope, to, makesBooking = false, hidesDates = false, decide }: Prepared,
): Promise<StoredChange<ShownOctoBooking>> {
  const { principal, tenant } = seller;
  const place = placeOf(found);
  const departureId = to?.departureId ?? place.departureId;
  const tour = to?.tour ?? (found.lead ?? found.hold).tour;
  const parts = await shownParts(db, reader, { tourId: tour.id, departureId });
  return {
    ...seller,
    principal: { ...principal, scope },
    kind: 'change',
    departureIds: departuresOfMove(place.departureId, to ?? { departureId, times: [] }),
    tour,
    holdId: found.hold.id,
    leadId: found.lead?.id ?? null,
    hidesDates,
    makesBooking,
    decide: (facts) => {
      const before = lockedBooking(facts, found, tenant);
      const departure = facts.departures.get(countedKey(departureId, tenant.sandbox));
      const seatsOfOthers = (departure?.seatsTaken ?? 0) - seatsOn(before, departureId);
      const { details, result, ...rows } = decide(before, facts, parts);
      const octo = details ? withChangedDetails(before.octo, details, facts.at) : before.octo;
      const after = { ...before, ...result, octo };
      const counted = { ...parts.departure.departure, ...departure };
      counted.seatsTaken = seatsOfOthers + seatsOn(after, departureId);
      return {
        ...rows,
        octo: details && { id: before.hold.id, columns: octoColumns(details, facts.at) },
        result: { ...after, ...parts, departure: { ...parts.departure, departure: counted } },
      };
    },
  };
}

/**
 * Returns the booking as it is under the locks.
 * @throws SaleChangedError if it moved or was confirmed during the wait, so that the change begins again; HoldNotFoundError (404)
 */
function lockedBooking(facts: ChangeFacts, found: StoredOctoBooking, tenant: Tenant): LockedOctoBooking {
  const hold = found.lead ? facts.hold! : lockedHold(facts, found.hold, tenant.sandbox);
  const lead = found.lead && lockedLead(facts, found.lead);
  if (!lead && hold.status === 'converted') throw new SaleChangedError('hold');
  return { octo: hold.octo!, hold, lead };
}

/** Builds the extension of a hold. @throws errors of decideExtension; OctoRefusalError INVALID_BOOKING_UUID unless the booking is on hold */
export async function prepareOctoExtension(
  request: OctoRequest,
  holdMinutes: number,
): Promise<StoredChange<ShownOctoBooking>> {
  const { seller, found } = request;
  const { tenant, principal } = seller;
  if (found.lead) throw invalidId('uuid', found.octo.uuid);
  assertHoldMinutes(tenant, holdMinutes);
  return changeOf(request, {
    scope: 'booking:create',
    decide: ({ hold, octo }, facts) => {
      const extend = () => decideExtension(facts, tenant, hold, { holdMinutes, by: byKey(principal) });
      const { result, ...rows } = onLiveHold(octo.uuid, extend);
      return { ...rows, result: { hold: result.after }, details: {} };
    },
  });
}

/**
 * Builds the confirmation: it makes a confirmed booking from the hold. If the hold already became a booking, it confirms that one and
 * stores none of the sent details.
 * @throws errors of decideBooking, decideConfirmation and assertSale; OctoRefusalError INVALID_BOOKING_UUID for an ended hold
 */
export async function prepareOctoConfirmation(
  request: OctoRequest,
  sent: SentDetails & SentSale,
): Promise<StoredChange<ShownOctoBooking>> {
  const { tenant, principal } = request.seller;
  const by = byKey(principal);
  return changeOf(request, {
    scope: 'booking:manage',
    makesBooking: request.found.lead === null,
    decide: (booking, facts, parts) => {
      facts.assertKeyServes({ ...principal, scope: 'booking:create' });
      const { lead } = booking;
      if (!lead) return decideSaleOfHold(request, sent, booking, facts, parts);
      assertCurrency(sent.currency, lead, 'booking');
      const { result, ...rows } = decideConfirmation(facts, tenant, lead, { by });
      return { ...rows, result: { lead: result.after } };
    },
  });
}

/** Decides the confirmed booking that consumes the hold. Throws the errors of prepareOctoConfirmation. */
function decideSaleOfHold(
  { seller }: OctoRequest,
  sent: SentDetails & SentSale,
  booking: LockedOctoBooking,
  facts: ChangeFacts,
  { tour }: ShownParts,
): OctoDecision {
  const { tenant, principal } = seller;
  assertSale(tenant, booking, sent, tour);
  const { hold, octo } = booking;
  const { contact, unitItems, customer } = mergedWith(sent, booking, tenant);
  const by = byKey(principal);
  const sale = saleOfHold({ ...seller, claim: null }, hold, {
    party: { party: sent.units ? partyWithUnits(booking, sent.units) : hold.party },
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
  const details = { contact, unitItems };
  const held = { ...hold, tenantId: tenant.id, octo: withChangedDetails(octo, details, facts.at) };
  const book = () => decideBooking({ ...facts, holds: [held] }, sale);
  const { result: lead, ...rows } = onLiveHold(octo.uuid, book);
  const consumed = { ...hold, status: 'converted' as const, endedAt: new Date(facts.at), endedBy: by };
  return { ...rows, result: { lead, hold: consumed }, details };
}

/**
 * Builds the release of a hold, or the cancellation of a booking. A booking that is cancelled already stays unchanged.
 * @throws errors of decideRelease and decideCancellation; OctoRefusalError UNPROCESSABLE_ENTITY after the start of the departure
 */
export async function prepareOctoCancellation(
  request: OctoRequest,
  reason: string | null,
): Promise<StoredChange<ShownOctoBooking>> {
  const { tenant, principal } = request.seller;
  const by = byKey(principal);
  return changeOf(request, {
    scope: scopeOf(request.found),
    decide: (booking, facts) => {
      const { hold, lead } = booking;
      if (stands(booking) && departureOfHold(facts, placeOf(booking), tenant.sandbox).past)
        throw unprocessable('The departure has started, so the booking cannot be cancelled any more.');
      if (lead) {
        const { result, ...rows } = decideCancellation(lead, facts.at, { by, reason });
        return { ...rows, result: { lead: result.after } };
      }
      const { result, ...rows } = decideRelease(facts, tenant, hold, by);
      // The reason may name the customer, so an erased hold does not store it.
      const details = { cancelReason: hold.anonymizedAt ? null : reason };
      return {
        ...rows,
        result: { hold: result.after },
        details: hold.status === 'active' ? details : undefined,
      };
    },
  });
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
export async function prepareOctoChange(
  request: OctoRequest,
  change: OctoChange,
): Promise<StoredChange<ShownOctoBooking>> {
  const { db, seller, found } = request;
  const { tenant } = seller;
  const { departureId, departureDate, notes, holdMinutes } = change;
  if (holdMinutes !== undefined && !found.lead) assertHoldMinutes(tenant, holdMinutes);
  const sale = found.lead ?? found.hold;
  const { tour = sale.tour } = change;
  const to = await findDepartureAfterChange(db, sale, { tourId: tour.id, departureId, departureDate });
  return changeOf(request, {
    scope: scopeOf(found),
    to: { ...to, tour },
    hidesDates: true,
    decide: (booking, facts, parts) => {
      const { hold, lead } = booking;
      const { contact, unitItems, customer } = mergedWith(change, booking, tenant);
      if ((lead ?? hold).anonymizedAt) throw unprocessable('The booking is anonymized.');
      if (lead && tour.id !== lead.tour.id) throw unprocessable('A confirmed booking keeps its product.');
      assertSale(tenant, booking, change, parts.tour);
      const wanted = { to, party: change.units && changedUnits(booking, change.units), customer };
      const decision = lead
        ? decideLeadChange(seller, facts, lead, change, wanted)
        : decideHoldChanges(seller, facts, hold, change, wanted);
      return { ...decision, details: { contact, unitItems, notes: lead ? undefined : notes } };
    },
  });
}

/** The departure after a change, and the units and the customer that it names. Undefined: the change leaves them as they are. */
interface WantedChange {
  to: DepartureChoice;
  party: Record<string, number> | undefined;
  customer: Partial<PartialCustomer> | undefined;
}

function decideLeadChange(
  { tenant, principal }: OctoRequest['seller'],
  facts: ChangeFacts,
  lead: StoredLead,
  { departureId, departureDate, notes, resellerReference: externalRef }: OctoChange,
  { to, party, customer = {} }: WantedChange,
): OctoDecision {
  const amendment = {
    departureId,
    departureDate,
    notes,
    externalRef,
    expectedTotal: null,
    party: { party },
    // If REST has made the booking, keeps the name, phone and email that the sent contact lacks.
    customer: lead.source === 'octo' ? customer : withoutNull(customer),
  };
  const { result, ...rows } = decideBookingChange(facts, tenant, lead, {
    by: byKey(principal),
    to,
    amendment,
  });
  return { ...rows, result: { lead: result.after } };
}

/** Decides the change of a hold and, if the request names its length, its extension. */
function decideHoldChanges(
  { tenant, principal }: OctoRequest['seller'],
  facts: ChangeFacts,
  hold: StoredHold,
  { tour, departureId, departureDate, resellerReference: externalRef, holdMinutes }: OctoChange,
  { to, party, customer = {} }: WantedChange,
): OctoDecision {
  const by = byKey(principal);
  const amendment = {
    party: { party },
    tour,
    departureId,
    departureDate,
    externalRef,
    customer,
  };
  const { result, ...rows } = decideHoldChange(facts, tenant, hold, { by, to, amendment });
  if (holdMinutes === undefined) return { ...rows, result: { hold: result.after } };
  const amended = { ...hold, ...result.after };
  const extend = () => decideExtension(facts, tenant, amended, { holdMinutes, by });
  const extended = onLiveHold(hold.octo!.uuid, extend);
  return {
    result: { hold: extended.result.after },
    hold: withExtension(rows.hold, extended.hold),
    changed: [...rows.changed, ...extended.changed],
  };
}

/** Returns the rows of a hold that is changed and extended. */
function withExtension(changed: Decided<unknown>['hold'], extended: Decided<unknown>['hold']) {
  if (!changed || !extended) return changed ?? extended;
  return { ...changed, ...extended, columns: { ...changed.columns, ...extended.columns } };
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
function onLiveHold<T>(uuid: string, decide: () => T): T {
  try {
    return decide();
  } catch (error) {
    if (error instanceof HoldExpiredError || error instanceof HoldStateConflictError)
      throw invalidId('uuid', uuid);
    throw error;
  }
}
