import { lowestPercentAt, sharedPercent } from '../bookings/refund';
import { type CancellationPolicy, policyOf } from '../catalog/cancellation-policy';
import { NO_CUTOFF } from '../catalog/cutoff';
import type { Db } from '../../platform/database/database';
import type { BookingLead } from '../bookings/booking-lead';
import { isStanding } from '../bookings/booking-status';
import { bookingsOfHolds } from '../bookings/find-booking';
import { toursOfSales } from '../catalog/find-tour';
import { showTours } from '../catalog/list-catalog';
import type { Tour } from '../catalog/tour';
import type { PreferredLanguages } from '../catalog/tour-text';
import type { ApiKeyPrincipal } from '../credentials/credential';
import { assertScope } from '../credentials/verify-credential';
import { departuresById, departuresOfSales, type SoldDeparture } from '../departures/find-departures';
import { getHolds, holdOfOcto } from '../holds/find-hold';
import { isConsumed, isLive } from '../holds/hold-status';
import type { OctoDetails } from '../holds/octo-booking';
import type { SeatHold } from '../holds/seat-hold';
import { type ComparedRequest, isSameRequest } from '../idempotency/fingerprint';
import type { Category } from '../parties/category';
import { type Party, soldCategories, toParty } from '../parties/party-rules';
import type { Quoter } from '../pricing/quote-tenant-price';
import type { Tenant } from '../tenants/tenant';
import { badOctoRequest, invalidId } from './octo.errors';
import { findOctoHolds, findPlacedByOcto, type OctoFilter } from './octo-bookings.repository';
import { unitCategories } from './sold-units';
import { isUuid } from '../../platform/forms/text-forms';

/** A booking of OCTO: its hold, and the lead that consumed the hold. */
export interface StoredOctoBooking {
  octo: OctoDetails;
  hold: SeatHold;
  /** Null before the confirmation. */
  lead: BookingLead | null;
}

/** A booking with the parts of the catalog that its answer shows. */
export type ShownOctoBooking = StoredOctoBooking & ShownParts;

/** The parts of the catalog that the answer of a booking shows. */
export interface ShownParts {
  tour: Tour;
  /** The tour with its texts in the preferred languages. */
  shown: Tour;
  /** The language of the shown name. */
  language: string;
  departure: SoldDeparture;
  quote: Quoter;
}

/** Returns the bookings of these holds, in their order. */
export async function findOctoBookings(
  db: Db,
  tenantId: string,
  holdIds: string[],
): Promise<StoredOctoBooking[]> {
  const holds = new Map((await getHolds(db, tenantId, holdIds)).map((hold) => [hold.id, hold]));
  return withLeads(
    db,
    holdIds.flatMap((id) => holds.get(id) ?? []),
  );
}

/** Returns the bookings of those holds that OCTO has placed, in their order. */
async function withLeads(db: Db, holds: SeatHold[]): Promise<StoredOctoBooking[]> {
  const converted = holds.filter(isConsumed).map(({ id }) => id);
  const found = converted.length > 0 ? await bookingsOfHolds(db, converted) : [];
  const leads = new Map(found.map((lead) => [lead.holdId, lead]));
  return holds.flatMap((hold) =>
    hold.octo ? [{ hold, octo: hold.octo, lead: leads.get(hold.id) ?? null }] : [],
  );
}

/**
 * Returns the tenant's booking.
 * @param uuid any text
 * @throws OctoRefusalError INVALID_BOOKING_UUID for an unknown booking and for a booking of another tenant
 */
export async function getOctoBooking(db: Db, tenantId: string, uuid: string): Promise<StoredOctoBooking> {
  const found = await findOctoBooking(db, tenantId, uuid);
  if (!found) throw invalidId('uuid', uuid);
  return found;
}

/** Returns the tenant's booking. Undefined: there is none. @param uuid any text */
export async function findOctoBooking(
  db: Db,
  tenantId: string,
  uuid: string,
): Promise<StoredOctoBooking | undefined> {
  const hold = isUuid(uuid) ? await holdOfOcto(db, tenantId, uuid.toLowerCase()) : undefined;
  return hold && (await withLeads(db, [hold]))[0];
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
): Promise<StoredOctoBooking> {
  const placed = await findPlacedByOcto(db, tenant.id, uuid);
  if (!placed?.fingerprint || !isSameRequest(placed.fingerprint, request.compared))
    throw invalidId('uuid', uuid);
  const [departure] = await departuresById(db, tenant, [request.departureId]);
  if (departure?.tour.id !== request.productId) throw invalidId('uuid', uuid);
  return getOctoBooking(db, tenant.id, uuid);
}

/** Returns the tour and the departure of a booking. After a move, the lead has another departure than its hold. */
export function placeOf({ hold, lead }: StoredOctoBooking) {
  const { tour, departureDate } = lead ?? hold;
  const departureId = lead?.departureId ?? hold.departureId;
  return { tourId: tour.id, departureId, departureDate: departureDate! };
}

/** Returns true unless the booking is cancelled or expired. */
export function stands({ hold, lead }: StoredOctoBooking): boolean {
  return lead ? isStanding(lead) : isLive(hold);
}

/** Returns the booking or, before the confirmation, its hold: the party, and the prices and categories that it has locked. */
export function saleOf({ hold, lead }: StoredOctoBooking): BookingLead | SeatHold {
  return lead ?? hold;
}

/** Returns the units of the booking: its party without supplements, which only REST sells. */
export function unitsOfBooking(booking: StoredOctoBooking): Party {
  const { party, categories } = saleOf(booking);
  const units: Party = {};
  for (const { code } of unitCategories(categories)) if (party[code]) units[code] = party[code];
  return units;
}

/** Returns the numbers of a change to these units: 0 for each other unit of the booking. Its supplements stay as they are. */
export function changedUnits(booking: StoredOctoBooking, units: Party): Record<string, number> {
  const others: Record<string, number> = {};
  for (const code of Object.keys(unitsOfBooking(booking))) others[code] = 0;
  return { ...others, ...units };
}

/** Returns the party of the booking after a change to these units. */
export function partyWithUnits(booking: StoredOctoBooking, units: Party): Party {
  const { party, categories } = saleOf(booking);
  return toParty({ ...party, ...changedUnits(booking, units) }, categories);
}

/** Returns the units that a booking shows: those of the locked categories that have a locked price. */
export function lockedUnits(booking: StoredOctoBooking): Category[] {
  const { prices, categories } = saleOf(booking);
  return soldCategories(unitCategories(categories), prices);
}

/**
 * Returns the units that a booking has, also those that its product has no more, and those whose price its hold has locked.
 * @param categories those of its tour
 */
export function keptUnits(booking: StoredOctoBooking, categories: readonly Category[]): Category[] {
  const { party } = saleOf(booking);
  const isSold = (code: string) => !booking.lead && categories.some((one) => one.code === code);
  return lockedUnits(booking).filter(({ code }) => party[code] || isSold(code));
}

/** The tenant, and the languages of the shown texts. Undefined: each tour's own language. */
export interface Reader {
  tenant: Tenant;
  preferred: PreferredLanguages | undefined;
}

/** Returns the booking with the parts of the catalog that its answer shows. */
export async function withItsCatalog(
  db: Db,
  reader: Reader,
  booking: StoredOctoBooking,
): Promise<ShownOctoBooking> {
  return { ...booking, ...(await shownParts(db, reader, placeOf(booking))) };
}

/** Returns the bookings with the parts of the catalog that their answers show, in a constant number of statements. */
export async function withCatalog(
  db: Db,
  reader: Reader,
  bookings: StoredOctoBooking[],
): Promise<ShownOctoBooking[]> {
  const parts = await partsOf(db, reader, bookings.map(placeOf));
  return bookings.map((booking, index) => ({ ...booking, ...parts[index]! }));
}

interface Place {
  tourId: string;
  departureId: string;
}

/** Returns the parts of the catalog that the answer of a booking shows at this place. */
export async function shownParts(db: Db, reader: Reader, place: Place): Promise<ShownParts> {
  return (await partsOf(db, reader, [place]))[0]!;
}

/** Returns the parts for each place, also of tours that the tenant does not see any more. Reads translations only for preferred languages. */
async function partsOf(db: Db, { tenant, preferred }: Reader, places: Place[]): Promise<ShownParts[]> {
  const tourIds = [...new Set(places.map(({ tourId }) => tourId))];
  const tours = await toursOfSales(db, tenant, tourIds);
  const translated = preferred ? await showTours(db, tours, preferred) : [];
  const texts = new Map(
    tours.map((tour, index) => {
      const { tour: shown = tour, shown: languages } = translated[index] ?? {};
      return [tour.id, { tour, shown, language: languages?.name ?? tour.language }];
    }),
  );
  const departureIds = [...new Set(places.map(({ departureId }) => departureId))];
  const { sold, quote } = await departuresOfSales(db, tenant, departureIds, tourIds);
  const departures = new Map(sold.map((one) => [one.departure.id, one]));
  return places.map(({ tourId, departureId }) => ({
    ...texts.get(tourId)!,
    departure: departures.get(departureId)!,
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

/** Returns the cancellation policy that the booking has locked, with its own highest and lowest share. Null: nothing is stated. */
export function lockedPolicy({ hold, lead }: StoredOctoBooking): CancellationPolicy | null {
  if (!lead) return policyOf(hold.tiers);
  const { cancellation, refundCeiling, asOf } = lead;
  const lowest = lowestPercentAt(lead, asOf);
  if (cancellation === null && lowest === null) return null;
  const tiers = (cancellation?.tiers ?? []).map((tier) => ({
    until: tier.until,
    refund_percent: Math.max(sharedPercent(tier, refundCeiling), lowest ?? 0),
  }));
  // The lowest share has no tier of its own, and applies until the start. The greater share wins, as in refundPercentAt (bookings/refund.ts).
  if (lowest) tiers.push({ until: NO_CUTOFF, refund_percent: lowest });
  return { tiers };
}
