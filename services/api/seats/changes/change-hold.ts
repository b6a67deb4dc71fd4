import type { Db } from '../../../platform/database/database';
import { changedFields } from '../../audit/changed-fields';
import { CurrencyConflictError } from '../../bookings/booking.errors';
import { type DatedTier, describePolicy, policyOf } from '../../catalog/cancellation-policy';
import type { TourRef } from '../../catalog/tour';
import type { DepartureChoice } from '../../departures/choose-departure';
import type { Departure } from '../../departures/departure';
import { findDepartureAfterChange } from '../../departures/find-departures';
import type { ChangedHold } from '../../holds/change-hold';
import { getHoldPlace } from '../../holds/find-hold';
import { HoldAnonymizedError } from '../../holds/hold.errors';
import { nearerEnd } from '../../holds/hold-length';
import { holdOutcome } from '../../holds/hold-status';
import {
  comparedCustomer,
  type NamedHold,
  type PartialCustomer,
  type SeatHold,
  withGivenCustomer,
} from '../../holds/seat-hold';
import type { StoredColumns } from '../../holds/seat-hold';
import { columnsOfHold } from '../../holds/seat-hold.repository';
import { partyFields } from '../../holds/party-history';
import { categoriesToCheck, lostCodes, renewedCategories, withPricesOf } from '../../pricing/kept-categories';
import { type Party, seatsOf } from '../../pricing/party';
import type { Category } from '../../pricing/category';
import { assertMeantParty, changedParty, type RequestedParty } from '../../pricing/requested-party';
import type { LockedPrice } from '../../pricing/price-categories';
import { isLockedInSellingCurrency } from '../../pricing/quote-tenant-price';
import { sellingCurrencyOf } from '../../pricing/selling-currency';
import type { Actor } from '../../tenants/actor';
import type { Tenant } from '../../tenants/tenant';
import { assertPartyOfChange, categoriesOfChange, takesUnits } from '../rules/party-of-change';
import { existingDeparture, lockedDeparture, quoteDeparture } from '../rules/departure-rules';
import type { DepartureFacts, StoredHold } from '../read/facts';
import { dateOfHold, type Decided } from '../decided';
import { departuresOfMove, type SeatChange, type Seller } from '../seat-change';
import { changeOfHold, freeSeatsAfter, unchangedHold } from '../stored-hold';

/** The changes of a hold that a request asks for; an undefined field stays as it is. */
export interface HoldAmendment {
  party?: RequestedParty;
  /** A tour that the tenant sees. */
  tour?: TourRef;
  /** The departure to which the hold moves, on `departureDate`. Undefined: the date and the time choose the departure. */
  departureId?: string;
  /** YYYY-MM-DD */
  departureDate?: string;
  /** HH:MM */
  departureTime?: string;
  /** Null clears it. */
  externalRef?: string | null;
  customer: Partial<PartialCustomer>;
}

/**
 * Builds the change of a live hold. On the same departure its prices stay locked. On another departure the present prices are locked. The
 * end of the hold stays the same, unless the hold takes more units or moves: then it ends no later than its departure closes.
 * @throws HoldNotFoundError (404), InvalidInputError (400); the decision also TourNotFoundError (404), HoldExpiredError,
 *   HoldStateConflictError, HoldAnonymizedError, CurrencyConflictError, DepartureGoneError, DepartureCancelledError,
 *   InsufficientSeatsError, HoldLimitReachedError (409)
 */
export async function changeHold(
  db: Db,
  seller: Seller<ChangedHold>,
  { holdId, by, ...amendment }: NamedHold & HoldAmendment,
): Promise<SeatChange<ChangedHold>> {
  const found = await getHoldPlace(db, seller.tenant.id, holdId);
  const { departureId, departureDate, departureTime, tour = found.tour } = amendment;
  const to = await findDepartureAfterChange(db, found, {
    tourId: tour.id,
    departureId,
    departureDate,
    departureTime,
  });
  const change = changeOfHold(seller, found, (hold, facts) =>
    decideHoldChange(facts, seller.tenant, hold, { by, to, amendment }),
  );
  return {
    ...change,
    locks: { departureIds: departuresOfMove(found.departureId, to.departureId) },
    reads: { ...change.reads, tourId: tour.id },
    hiddenTourId: tour.id,
  };
}

export interface HoldChange {
  by: Actor | null;
  /** The departure after the change. */
  to: DepartureChoice;
  amendment: HoldAmendment;
}

/** Decides the change of a hold, under the locks of both departures. Throws the errors of changeHold. */
export function decideHoldChange(
  facts: DepartureFacts,
  tenant: Tenant,
  hold: StoredHold,
  { by, to, amendment }: HoldChange,
): Decided<ChangedHold> {
  const amended = decideHoldAmendment(facts, tenant, hold, to, amendment);
  const fields = changesOf(hold, amended);
  if (Object.keys(fields).length === 0) return unchangedHold(hold);
  const after = afterAmendment(hold, amended);
  const dates = [dateOfHold(hold, tenant.sandbox), dateOfHold(after, tenant.sandbox)];
  return {
    result: { before: hold, after },
    hold: { id: hold.id, columns: columnsOf(amended), change: { by, fields } },
    changed: dates,
  };
}

/** The values of a hold after its change. */
interface AmendedHold {
  tour: TourRef;
  departure: Departure;
  party: Party;
  price: LockedPrice;
  tiers: DatedTier[] | null;
  /** The end that the change brings nearer. Undefined: it stays. */
  endsAt: string | undefined;
  externalRef: string | null;
  customer: PartialCustomer;
}

function columnsOf(amended: AmendedHold): StoredColumns {
  const { departure, party, price, tiers, endsAt, externalRef, customer } = amended;
  const { prices, platformPrices, categories, currency, currencyDigits, priceBreakdown } = price;
  const columns = columnsOfHold({
    departureId: departure.id,
    party,
    seats: seatsOf(party, categories),
    categories,
    prices,
    platformPrices,
    currency,
    currencyDigits,
    priceBreakdown,
    tiers,
    externalRef,
    customer,
  });
  return { ...columns, expires_at: endsAt };
}

function afterAmendment(hold: StoredHold, amended: AmendedHold): SeatHold {
  const { tour, departure, party, price, tiers, externalRef, customer } = amended;
  const seats = seatsOf(party, price.categories);
  const stays = departure.id === hold.departureId;
  return {
    ...hold,
    tour,
    departureId: departure.id,
    departureDate: departure.departureDate,
    departureTime: departure.startTime,
    party,
    seats,
    categories: price.categories,
    prices: price.prices,
    platformPrices: price.platformPrices,
    currency: price.currency,
    currencyDigits: price.currencyDigits,
    priceBreakdown: price.priceBreakdown,
    tiers,
    expiresAt: endAfter(hold, amended),
    externalRef,
    customer,
    seatsAvailable: freeSeatsAfter(departure, seats - (stays ? hold.seats : 0)),
  };
}

function endAfter({ expiresAt }: SeatHold, { endsAt }: AmendedHold): Date {
  return endsAt === undefined ? expiresAt : new Date(endsAt);
}

/**
 * Decides the change by the facts, under the locks of both departures. Throws the errors of changeHold.
 * @param to the departure after the change
 */
function decideHoldAmendment(
  facts: DepartureFacts,
  tenant: Tenant,
  hold: SeatHold,
  to: DepartureChoice,
  amendment: HoldAmendment,
): AmendedHold {
  const categories = categoriesOfChange(hold, lockedDeparture(facts, tenant, to.departureId));
  const meant = changedParty(hold.party, amendment.party ?? {}, categories);
  const { party, seats } = meant;
  holdOutcome(hold, 'change');
  assertNotErased(hold, amendment);
  const { tour = hold.tour, departureDate = hold.departureDate, departureTime } = amendment;
  const departure = existingDeparture(facts, { ...to, tenant, tour, seats, departureDate, departureTime });
  const stays = departure.id === hold.departureId;
  const change = { before: stays ? hold.party : null, after: party, categories, paid: false };
  assertPartyOfChange(facts, tenant, departure, change);
  if (!stays) assertSellingCurrencyStays(tenant, hold, departure);
  const price = stays
    ? { ...hold, categories: renewedCategories(hold, departure.tour.categories) }
    : priceAfterMove(facts, tenant, hold, { departure, seats, categories });
  const sold = { sold: price.categories, present: departure.tour.categories };
  if (!stays || party !== hold.party)
    assertMeantParty(meant, categoriesToCheck(party, hold, sold), price.prices);
  const { externalRef = hold.externalRef } = amendment;
  return {
    tour,
    departure,
    party,
    price,
    tiers: (stays ? hold : departure).tiers,
    endsAt: takesUnits(change) ? nearerEnd(hold, departure) : undefined,
    externalRef,
    customer: withGivenCustomer(hold.customer, amendment.customer),
  };
}

/**
 * Quotes the prices of the departure to which a hold moves. A category that its tour has lost has no present price, so its units keep the
 * locked one, unless the currency changes.
 * @throws errors of quoteDeparture
 */
function priceAfterMove(
  facts: DepartureFacts,
  tenant: Tenant,
  hold: SeatHold,
  { departure, seats, categories }: { departure: Departure; seats: number; categories: readonly Category[] },
): LockedPrice {
  const today = { ...quoteDeparture(facts, tenant, departure, seats), categories };
  const keepsPrices = departure.tour.id === hold.tour.id && today.currency === hold.currency;
  return keepsPrices ? withPricesOf(today, hold, lostCodes(hold, departure.tour.categories)) : today;
}

/** @throws HoldAnonymizedError for a change that would store personal data again (409) */
function assertNotErased({ anonymizedAt }: SeatHold, { customer, externalRef }: HoldAmendment): void {
  const personal = [...Object.values(customer), externalRef];
  if (anonymizedAt && personal.some((value) => value !== undefined)) throw new HoldAnonymizedError();
}

/**
 * Checks that a hold of a tenant with a selling currency keeps its currency, also if a rate of the new one is missing. Without a selling
 * currency, only OCTO can move a hold to a tour in another currency, and it may.
 * @throws CurrencyConflictError (409)
 */
function assertSellingCurrencyStays(tenant: Tenant, hold: SeatHold, { tour }: Departure): void {
  const isBound = tenant.sellIn !== null || isLockedInSellingCurrency(hold);
  const { currency } = sellingCurrencyOf(tenant, tour);
  if (isBound && currency !== hold.currency) throw new CurrencyConflictError('hold', currency, hold.currency);
}

function changesOf(before: SeatHold, amended: AmendedHold) {
  const { departure, party, tiers, externalRef, customer } = amended;
  const codes = new Set(Object.keys({ ...before.party, ...party }));
  return changedFields(
    [
      {
        tour: before.tour.id,
        departure_date: before.departureDate,
        departure_time: before.departureTime,
        ...partyFields(before.party, codes),
        cancellation: describePolicy(policyOf(before.tiers)),
        expires_at: before.expiresAt.toISOString(),
      },
      {
        tour: departure.tour.id,
        departure_date: departure.departureDate,
        departure_time: departure.startTime,
        ...partyFields(party, codes),
        cancellation: describePolicy(policyOf(tiers)),
        expires_at: endAfter(before, amended).toISOString(),
      },
    ],
    [
      { external_ref: before.externalRef, ...comparedCustomer(before.customer) },
      { external_ref: externalRef, ...comparedCustomer(customer) },
    ],
  );
}
