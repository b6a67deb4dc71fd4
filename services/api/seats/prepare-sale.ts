import type { Db } from '../../platform/database/database';
import type { CachedReads } from '../../platform/read-cache/read-cache';
import { InvalidInputError } from '../../platform/errors';
import { isUuid } from '../../platform/text-forms';
import {
  assertTravellersBooked,
  type BookingLead,
  type BookingSource,
  type Traveller,
} from '../bookings/booking-lead';
import { TourNotFoundError } from '../catalog/catalog.errors';
import { getTourShownByRules } from '../catalog/find-tour';
import { cachedVisibleTour } from '../catalog/cached-catalog';
import type { Tour, TourRef } from '../catalog/tour';
import type { ChoiceOfDate, DepartureChoice } from '../departures/choose-departure';
import { findDeparture } from '../departures/find-departures';
import { findOnlyLiveHold, getHold, getHolds } from '../holds/find-hold';
import type { NewOctoDetails } from '../holds/octo-booking';
import type { PartialCustomer, SeatHold } from '../holds/seat-hold';
import type { Category } from '../pricing/category';
import { partyOfRequest, type RequestedParty } from '../pricing/requested-party';
import type { Actor } from '../tenants/actor';
import type { PaymentMethod, Tenant } from '../tenants/tenant';
import type { BookingSale, HoldSale, Seller } from './sale';

export interface HoldRequest {
  departureDate: string;
  /** HH:MM. Undefined: not named. */
  departureTime?: string;
  party: RequestedParty;
  /** At most the tenant's maximum (assertHoldMinutes). Undefined: the tenant's default. */
  holdMinutes: number | undefined;
  externalRef: string | null;
  customer: PartialCustomer;
  octo?: NewOctoDetails;
  /** Null: unknown. */
  by: Actor | null;
}

/** A tour that the tenant sees, with the categories that its request may name. */
export type TourToSell = TourRef & { categories: readonly Category[] };

/**
 * Builds the sale of a hold. Locks nothing.
 * @param tour a tour that the tenant sees
 * @param choice the departure that the request names
 * @throws InvalidInputError for a party of a wrong size (400)
 */
export function prepareHold(
  seller: Seller<SeatHold>,
  { id, slug, categories }: TourToSell,
  { departureId, times }: DepartureChoice,
  request: HoldRequest,
): HoldSale {
  const { tenant, principal, claim, traceparent } = seller;
  return {
    ...request,
    ...partyOfRequest(request.party, categories),
    kind: 'hold',
    tenant,
    principal,
    claim,
    traceparent,
    tour: { id, slug },
    departureId,
    times,
    holdMinutes: request.holdMinutes ?? tenant.holdDefaultMinutes,
    octo: request.octo ?? null,
  };
}

export interface BookingRequest {
  /** Null: the booking takes the date of its hold; without a hold, it has no date and reserves no seats. */
  departureDate: string | null;
  /** HH:MM. Undefined: not named. */
  departureTime?: string;
  party: RequestedParty;
  /** Null: not named. */
  travellers: Traveller[] | null;
  customer: PartialCustomer;
  /** Null: the tenant's default. */
  paymentMethod: PaymentMethod | null;
  /** In lower case. */
  holdId: string | null;
  /** The total that the customer saw, in major units. */
  expectedTotal: number | null;
  externalRef: string | null;
  notes: string | null;
  /** By default tenant_api. */
  source?: BookingSource;
  /** True: the caller confirms the booking in the same transaction. By default false. */
  isConfirmed?: boolean;
  /** Null: unknown. */
  by: Actor | null;
}

/**
 * Finds the tour of a booking. A tour whose rate is missing is not visible, but a hold of this tour stays bookable, because its prices are
 * locked.
 * @param idOrSlug UUID in any case, or slug
 * @throws TourNotFoundError (404)
 */
export async function findTourToBook(
  reads: CachedReads,
  tenant: Tenant,
  idOrSlug: string,
  request: BookingRequest,
): Promise<Tour> {
  try {
    return await cachedVisibleTour(reads, tenant, idOrSlug);
  } catch (error) {
    if (!(error instanceof TourNotFoundError) || tenant.sellIn === null) throw error;
    const tour = await getTourShownByRules(reads.db, tenant, idOrSlug);
    if (!(await namesHoldOf(reads.db, tenant, tour.id, request))) throw error;
    return tour;
  }
}

/** Returns true if the booking names a hold of the tour: a hold of the tenant by its id, or the only live one by its reference. */
async function namesHoldOf(
  db: Db,
  tenant: Tenant,
  tourId: string,
  { holdId, externalRef, departureDate, departureTime }: BookingRequest,
): Promise<boolean> {
  if (holdId !== null) {
    const named = isUuid(holdId) ? await getHolds(db, tenant.id, [holdId]) : [];
    return named.some(({ tour }) => tour.id === tourId);
  }
  if (!externalRef) return false;
  const reference = { tourId, externalRef, departureDate, departureTime };
  return (await findOnlyLiveHold(db, tenant.id, reference)) !== null;
}

/** Chooses the departure of the booking's tour. @param date YYYY-MM-DD @param time HH:MM; undefined: not named */
type ChooseDeparture = (date: string, time: string | undefined) => Promise<ChoiceOfDate>;

/**
 * Builds the sale of a booking. Locks nothing. A named hold must match the tour and the date of the request.
 * @throws HoldNotFoundError (404), InvalidInputError (400)
 */
export async function prepareBooking(
  db: Db,
  seller: Seller<BookingLead>,
  tour: TourToSell,
  request: BookingRequest,
  choose: ChooseDeparture = (departureDate, departureTime) =>
    findDeparture(db, { tourId: tour.id, departureDate, departureTime }),
): Promise<BookingSale> {
  return toBookingSale(seller, tour, request, await placeOfRequest(db, seller.tenant, tour, request, choose));
}

/** Returns the sale of a booking on the departure of its hold. */
export function saleOfHold(
  seller: Seller<BookingLead>,
  hold: SeatHold,
  request: Omit<BookingRequest, 'holdId' | 'departureDate'>,
): BookingSale {
  return toBookingSale(
    seller,
    hold.tour,
    { ...request, holdId: hold.id, departureDate: null },
    placeOfHold(hold),
  );
}

function toBookingSale(
  { tenant, principal, claim, traceparent }: Seller<BookingLead>,
  { id, slug }: TourRef,
  request: BookingRequest,
  { categories, ...placed }: PlacedBooking,
): BookingSale {
  const meant = partyOfRequest(request.party, categories, placed.departureDate !== null);
  assertTravellersBooked(request.travellers ?? [], meant, categories);
  return {
    ...request,
    ...placed,
    ...meant,
    kind: 'booking',
    tenant,
    principal,
    claim,
    traceparent,
    tour: { id, slug },
    paymentMethod: request.paymentMethod ?? tenant.paymentMethod,
    source: request.source ?? 'tenant_api',
    isConfirmed: request.isConfirmed ?? false,
  };
}

interface PlacedBooking extends Pick<BookingSale, 'departureId' | 'departureDate' | 'times' | 'needsHold'> {
  /** The categories that the booking may name: those of its hold, or of its tour. */
  categories: readonly Category[];
}

/**
 * Finds the departure of a booking: the departure of the named hold, or the departure at the named date and time. If the request names no
 * date, or no time, uses the tenant's only live hold with the reference of the booking. So a request without a time never gets another
 * departure than its hold. Another request may consume this hold meanwhile, so the reference is checked again under the lock.
 */
async function placeOfRequest(
  db: Db,
  tenant: Tenant,
  { id: tourId, categories }: TourToSell,
  { holdId, departureDate, departureTime, externalRef }: BookingRequest,
  choose: ChooseDeparture,
): Promise<PlacedBooking> {
  if (holdId !== null) return placeOfHold(await getNamedHold(db, tenant, tourId, holdId, departureDate));
  const named = departureDate === null ? NO_DATE : await choose(departureDate, departureTime);
  const { departureId, times, isOneOfSeveral } = named;
  const leavesOpen = departureDate === null || isOneOfSeveral;
  const hold =
    leavesOpen && externalRef
      ? await findOnlyLiveHold(db, tenant.id, { tourId, externalRef, departureDate, departureTime })
      : null;
  return hold ? placeOfHold(hold) : { departureId, departureDate, times, categories, needsHold: false };
}

const NO_DATE: ChoiceOfDate = { departureId: null, times: [], isOneOfSeveral: false };

function placeOfHold({ departureId, departureDate, categories }: SeatHold): PlacedBooking {
  return { departureId, departureDate, categories, times: [], needsHold: true };
}

/** @throws HoldNotFoundError (404), InvalidInputError (400) */
async function getNamedHold(
  db: Db,
  tenant: Tenant,
  tourId: string,
  holdId: string,
  date: string | null,
): Promise<SeatHold> {
  const hold = await getHold(db, tenant.id, holdId);
  if (hold.tour.id !== tourId) throw new InvalidInputError('body', 'tour_id', 'must be the tour of the hold');
  if (date !== null && date !== hold.departureDate)
    throw new InvalidInputError('body', 'departure_date', "must be the hold's date, or left out");
  return hold;
}
