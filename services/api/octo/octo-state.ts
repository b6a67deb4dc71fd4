import type { Db, Trx } from '../../platform/database/database';
import { isUuid } from '../../platform/text-forms';
import type { BookingLead } from '../bookings/booking-lead';
import { bookingsOfHolds } from '../bookings/find-booking';
import { toursOfSales } from '../catalog/find-tour';
import { showTours } from '../catalog/list-catalog';
import type { Tour } from '../catalog/tour';
import type { WishedLanguages } from '../catalog/tour-text';
import type { ApiKeyPrincipal } from '../credentials/credential';
import { assertScope } from '../credentials/verify-credential';
import type { DepartureMove } from '../departures/departure';
import {
  departuresOfSales,
  findDepartureAfterChange,
  type SoldDeparture,
} from '../departures/find-departures';
import { assertNotMoved, lockDeparturesOfChange } from '../departures/reserve-seats';
import { getHolds } from '../holds/find-hold';
import type { OctoDetails } from '../holds/octo-booking';
import { partyOfHold, type SeatHold } from '../holds/seat-hold';
import { type ComparedRequest, isSameRequest } from '../idempotency/fingerprint';
import type { Party } from '../pricing/party';
import { createQuoter, type Quoter } from '../pricing/quote-tenant-price';
import type { Tenant } from '../tenants/tenant';
import { badOctoRequest, invalidId } from './octo.errors';
import { OCTO_UNIT_IDS, type OctoUnitId } from './pricing.dto';
import { findOctoHolds, findPlacedByOcto, type OctoFilter } from './octo-bookings.repository';

/** A booking of OCTO: its hold, and the lead that consumed the hold. */
export interface OctoState {
  octo: OctoDetails;
  hold: SeatHold;
  /** Null before the confirmation. */
  lead: BookingLead | null;
}

/** A booking with the parts of the catalog that its answer shows. */
export interface ShownState extends OctoState {
  tour: Tour;
  /** The tour with its texts in the wished languages. */
  shown: Tour;
  /** The language of the shown name. */
  language: string;
  departure: SoldDeparture;
  quote: Quoter;
}

/** Returns the bookings of these holds, in their order. */
export async function findStates(db: Db, tenantId: string, holdIds: string[]): Promise<OctoState[]> {
  const holds = new Map((await getHolds(db, tenantId, holdIds)).map((hold) => [hold.id, hold]));
  const converted = holdIds.filter((id) => holds.get(id)?.status === 'converted');
  const found = converted.length > 0 ? await bookingsOfHolds(db, converted) : [];
  const leads = new Map(found.map((lead) => [lead.holdId, lead]));
  return holdIds.flatMap((id) => {
    const hold = holds.get(id);
    return hold?.octo ? [{ hold, octo: hold.octo, lead: leads.get(id) ?? null }] : [];
  });
}

/**
 * Returns the tenant's booking.
 * @param uuid any text
 * @throws OctoRefusalError INVALID_BOOKING_UUID for an unknown booking and for a booking of another tenant
 */
export async function getState(db: Db, tenantId: string, uuid: string): Promise<OctoState> {
  return assertKnown(await findState(db, tenantId, uuid), uuid);
}

/** Returns the tenant's booking. Undefined: there is none. @param uuid any text */
export async function findState(db: Db, tenantId: string, uuid: string): Promise<OctoState | undefined> {
  const placed = isUuid(uuid) ? await findPlacedByOcto(db, tenantId, uuid.toLowerCase()) : undefined;
  return placed && (await findStates(db, tenantId, [placed.holdId]))[0];
}

/** @throws OctoRefusalError INVALID_BOOKING_UUID for an unknown booking */
export function assertKnown(found: OctoState | undefined, uuid: string): OctoState {
  if (!found) throw invalidId('uuid', uuid);
  return found;
}

/**
 * Locks the present departure of a booking and, for a move, the new departure. Then reads and returns the booking. Every other change of
 * the booking needs the same lock, so the returned booking stays current. The functions of holds, bookings and sales take the lock again:
 * this costs a round trip, but never waits.
 * @throws SaleMovedError if the booking moved during the wait: the transaction is then repeated; DepartureBusyError after two seconds
 */
export async function lockState(
  trx: Trx,
  tenantId: string,
  uuid: string,
  to: DepartureMove,
): Promise<OctoState> {
  const found = await getState(trx, tenantId, uuid);
  const [from, target] = await departuresOf(trx, found, to);
  await lockDeparturesOfChange(trx, [from, target]);
  const state = await getState(trx, tenantId, uuid);
  assertNotMoved(from, { departureId: departureIdOf(state) });
  return state;
}

/** Returns true if the tenant has a booking with the UUID. @param uuid in lower case */
export async function isUuidTaken(db: Db, tenantId: string, uuid: string): Promise<boolean> {
  return (await findPlacedByOcto(db, tenantId, uuid)) !== undefined;
}

/**
 * Returns the booking that the same request has placed earlier.
 * @param request its content, which names the departure but not its product
 * @throws OctoRefusalError INVALID_BOOKING_UUID if a different request has placed it, or if it is anonymized
 */
export async function getRepeated(
  db: Db,
  tenant: Tenant,
  uuid: string,
  request: { compared: ComparedRequest; departureId: string; productId: string },
): Promise<OctoState> {
  const placed = await findPlacedByOcto(db, tenant.id, uuid);
  if (!placed?.fingerprint || !isSameRequest(placed.fingerprint, request.compared))
    throw invalidId('uuid', uuid);
  const [first] = await departuresOfSales(db, tenant, [request.departureId]);
  if (first?.departure.tour.id !== request.productId) throw invalidId('uuid', uuid);
  return getState(db, tenant.id, uuid);
}

/** Returns the departure of the booking. After a move, the lead has another departure than its hold. */
function departureIdOf({ hold, lead }: OctoState): string {
  return lead?.departureId ?? hold.departureId;
}

/** Returns the departures that a change locks: the present departure of the booking and, for a move, the new one. */
export async function departuresOf(
  db: Db,
  found: OctoState,
  to: DepartureMove,
): Promise<[from: string, target: string | null]> {
  const sale = { ...(found.lead ?? found.hold), departureId: departureIdOf(found) };
  return [sale.departureId, (await findDepartureAfterChange(db, sale, to)).departureId];
}

/** Returns the tour and the date of a booking. */
export function placeOf({ hold, lead }: OctoState): { tourId: string; departureDate: string } {
  const { tour, departureDate } = lead ?? hold;
  return { tourId: tour.id, departureDate: departureDate! };
}

/** Returns the tour of a booking, also one that the tenant does not see any more. */
export async function tourOf(db: Db, tenant: Tenant, state: OctoState): Promise<Tour> {
  const [tour] = await toursOfSales(db, tenant, [placeOf(state).tourId]);
  return tour!;
}

export function partyOf({ hold, lead }: OctoState): Party {
  return lead ? lead.party : partyOfHold(hold);
}

/** Returns the units that a booking has, and those whose price its hold has locked. Its product may have some of them no more. */
export function keptUnitsOf(state: OctoState): OctoUnitId[] {
  const { hold, lead } = state;
  const party = partyOf(state);
  return OCTO_UNIT_IDS.filter((unit) => party[unit] > 0 || (!lead && hold.prices[unit] !== undefined));
}

/** The tenant, and the languages of the shown texts. Undefined: each tour's own language. */
interface Reader {
  tenant: Tenant;
  wished: WishedLanguages | undefined;
}

/** Adds the parts of the catalog that the booking's answer shows. */
export async function withItsCatalog(db: Db, reader: Reader, state: OctoState): Promise<ShownState> {
  return (await withCatalog(db, reader, [state]))[0]!;
}

/**
 * Adds the parts of the catalog that the bookings' answers show, in a constant number of statements. Reads translations only for wished
 * languages.
 */
export async function withCatalog(
  db: Db,
  { tenant, wished }: Reader,
  states: OctoState[],
): Promise<ShownState[]> {
  const tourIds = [...new Set(states.map(({ hold, lead }) => (lead ?? hold).tour.id))];
  const tours = await toursOfSales(db, tenant, tourIds);
  const translated = wished ? await showTours(db, tours, wished) : [];
  const texts = new Map(
    tours.map((tour, index) => {
      const { tour: shown = tour, shown: languages } = translated[index] ?? {};
      return [tour.id, { tour, shown, language: languages?.name ?? tour.language }];
    }),
  );
  const priced = await departuresOfSales(db, tenant, [...new Set(states.map(departureIdOf))]);
  const departures = new Map(priced.map((one) => [one.departure.id, one]));
  const quote = await createQuoter(db, tenant, tourIds);
  return states.map((state) => ({
    ...state,
    ...texts.get((state.lead ?? state.hold).tour.id)!,
    departure: departures.get(departureIdOf(state))!,
    quote,
  }));
}

const BOOKINGS_MAX = 1000;

/** The part of the filter that a request chooses. */
export type RequestedFilter = Omit<OctoFilter, 'only' | 'limit'>;

/**
 * Returns the hold ids of the bookings that match the filter, newest first. A key with booking:create finds holds, a key with booking:read
 * finds leads.
 * @throws OctoRefusalError BAD_REQUEST for more than 1,000 bookings; InsufficientScopeError (401)
 */
export async function findBookings(
  db: Db,
  principal: ApiKeyPrincipal,
  filter: RequestedFilter,
): Promise<string[]> {
  const page = { ...filter, only: onlyFor(principal), limit: BOOKINGS_MAX + 1 };
  const holdIds = await findOctoHolds(db, principal.tenant.id, page);
  if (holdIds.length > BOOKINGS_MAX)
    throw badOctoRequest('More than 1,000 bookings match. Ask for fewer days.');
  return holdIds;
}

function onlyFor(principal: ApiKeyPrincipal): OctoFilter['only'] {
  const { scopes } = principal;
  if (!scopes.includes('booking:create')) {
    assertScope(principal, 'booking:read');
    return 'leads';
  }
  return scopes.includes('booking:read') ? undefined : 'holds';
}
