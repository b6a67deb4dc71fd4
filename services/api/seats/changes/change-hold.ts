import type { Db } from '../../../platform/database/database';
import { describePolicy, policyOf } from '../../catalog/cancellation-policy';
import type { TourRef } from '../../catalog/tour';
import type { DepartureChoice } from '../../departures/choose-departure';
import type { Departure } from '../../departures/departure';
import { findDepartureAfterChange } from '../../departures/find-departures';
import { getHoldPlace } from '../../holds/find-hold';
import { HoldAnonymizedError } from '../../holds/hold.errors';
import { nearerEnd } from '../../holds/hold-length';
import { holdOutcome } from '../../holds/hold-status';
import type { NamedHold, SeatHold, ChangedHold } from '../../holds/seat-hold';
import { columnsOfHold } from '../../holds/seat-hold.repository';
import type { LockedPrice } from '../../pricing/price-categories';
import { isLockedInSellingCurrency } from '../../pricing/quote-tenant-price';
import type { Tenant } from '../../tenants/tenant';
import {
  type Amended,
  amendedDeparture,
  amendedFields,
  amendedParty,
  assertAmendedParty,
  assertCurrencyStays,
  type FieldValues,
  placeOn,
  priceAfterMove,
} from '../rules/amended-seats';
import type { DepartureFacts, StoredHold } from '../read/facts';
import { dateOfHold, type Decided } from '../decided';
import { movingTo, type SeatChange, type Seller } from '../seat-change';
import { replaceSeats } from '../rules/counted-seats';
import { changeOfHold, unchangedHold, withFreeSeats } from '../stored-hold';
import { renewedCategories } from '../../parties/kept-categories';
import { seatsOf, type RequestedParty } from '../../parties/party-rules';
import { comparedCustomer, type PartialCustomer, withGivenCustomer } from '../../customers/customer';

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
  const move = { tourId: tour.id, departureId, departureDate, departureTime };
  const to = await findDepartureAfterChange(db, found, move);
  const change = changeOfHold(seller, found, (hold, facts) =>
    decideHoldChange(facts, seller.tenant, hold, { by, to, amendment }),
  );
  return movingTo(change, { ...to, tour });
}

/** Decides the change of a hold, under the locks of both departures. Throws the errors of changeHold. */
export function decideHoldChange(
  facts: DepartureFacts,
  tenant: Tenant,
  hold: StoredHold,
  { by, to, amendment }: Amended<HoldAmendment>,
): Decided<ChangedHold> {
  const { values, endsAt } = decideValues(facts, tenant, hold, to, amendment);
  const expiresAt = endsAt === undefined ? hold.expiresAt : new Date(endsAt);
  const amended: SeatHold = { ...hold, ...values, expiresAt };
  const fields = amendedFields<SeatHold>(hold, amended, historyOf, personalOf);
  if (Object.keys(fields).length === 0) return unchangedHold(hold);
  replaceSeats(facts, tenant, hold, amended);
  const after = withFreeSeats(facts, amended, tenant.sandbox);
  const columns = { ...columnsOfHold(values), expires_at: endsAt };
  return {
    result: { before: hold, after },
    hold: { id: hold.id, columns, change: { by, fields } },
    changed: [dateOfHold(hold, tenant.sandbox), dateOfHold(after, tenant.sandbox)],
  };
}

interface AmendedHold {
  values: Partial<SeatHold>;
  /** The end that the change brings nearer, with microseconds. Undefined: it stays. */
  endsAt: string | undefined;
}

function decideValues(
  facts: DepartureFacts,
  tenant: Tenant,
  hold: SeatHold,
  to: DepartureChoice,
  amendment: HoldAmendment,
): AmendedHold {
  const meant = amendedParty(facts, tenant, hold, to, amendment.party);
  holdOutcome(hold, 'change');
  assertNotErased(hold, amendment);
  const { tour = hold.tour, departureDate = hold.departureDate, departureTime } = amendment;
  const wanted = { ...to, tenant, tour, departureDate, departureTime, isLimited: !hold.byDesk };
  const { departure, moves, takesUnits } = amendedDeparture(facts, hold, meant, wanted);
  // Without a selling currency, only OCTO can move a hold to a tour in another currency, and it may.
  const isBound = tenant.sellIn !== null || isLockedInSellingCurrency(hold);
  if (moves && isBound) assertCurrencyStays('hold', tenant, hold, departure);
  const price = moves ? priceAfterMove(facts, tenant, hold, meant, departure) : lockedPrice(hold, departure);
  const { prices, platformPrices, categories, currency, currencyDigits, priceBreakdown } = price;
  const sold = { sold: categories, present: departure.tour.categories };
  assertAmendedParty(hold, meant, { ...sold, moves, prices });
  const { externalRef = hold.externalRef, customer } = amendment;
  const { party } = meant;
  const seats = seatsOf(party, categories);
  const values = {
    tour,
    ...placeOn(departure),
    party,
    seats,
    categories,
    prices,
    platformPrices,
    currency,
    currencyDigits,
    priceBreakdown,
    tiers: moves ? departure.tiers : hold.tiers,
    externalRef,
    customer: withGivenCustomer(hold.customer, customer),
  };
  return { values, endsAt: takesUnits ? nearerEnd(hold, departure) : undefined };
}

/** Returns the price of a hold that keeps its departure. */
function lockedPrice(hold: SeatHold, { tour }: Departure): LockedPrice {
  return { ...hold, categories: renewedCategories(hold, tour.categories) };
}

/** @throws HoldAnonymizedError for a change that would store personal data again (409) */
function assertNotErased({ anonymizedAt }: SeatHold, { customer, externalRef }: HoldAmendment): void {
  const personal = [...Object.values(customer), externalRef];
  if (anonymizedAt && personal.some((value) => value !== undefined)) throw new HoldAnonymizedError();
}

function historyOf({ tour, tiers, expiresAt }: SeatHold, seats: FieldValues) {
  return {
    tour: tour.id,
    ...seats,
    cancellation: describePolicy(policyOf(tiers)),
    expires_at: expiresAt.toISOString(),
  };
}

function personalOf({ externalRef, customer }: SeatHold) {
  return { external_ref: externalRef, ...comparedCustomer(customer) };
}
