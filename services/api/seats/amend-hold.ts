import type { Trx } from '../../platform/database/database';
import { InvalidInputError } from '../../platform/errors';
import type { TourRef } from '../catalog/tour';
import type { Departure } from '../departures/departure';
import type { DepartureChoice } from '../departures/choose-departure';
import { findDepartureAfterChange } from '../departures/find-departures';
import { assertNotMoved } from '../departures/reserve-seats';
import { withoutKey, type RunIdempotent, type ReplayedResponse } from '../idempotency/run-idempotent';
import { CurrencyConflictError } from '../bookings/booking.errors';
import { assertPartySize, assertPriced, type Party, seatsOf } from '../pricing/party';
import { isLockedInSellingCurrency } from '../pricing/quote-tenant-price';
import { sellingCurrencyOf } from '../pricing/selling-currency';
import { assertPartyOfChange, decideForTenant, lockAndReadFacts } from './change-seats';
import { changedFields } from '../audit/changed-fields';
import { type DepartureFacts, existingDeparture, quoteDeparture } from './read/sale-facts';
import type { Tenant } from '../tenants/tenant';
import { assertActive, type ChangedHold } from '../holds/change-hold';
import { getHold } from '../holds/find-hold';
import { HoldAnonymizedError } from '../holds/hold.errors';
import {
  comparedCustomer,
  type NamedHold,
  type PartialCustomer,
  partyOfHold,
  type SeatHold,
  withGivenCustomer,
} from '../holds/seat-hold';
import { type AmendedHold, amendHoldRow, insertHoldChange } from '../holds/seat-hold.repository';

/** The changes of a hold that a request asks for; an undefined field stays as it is. */
export interface HoldAmendment {
  /** Adults and children together. Without `adults`, the adults are the quantity without the children. */
  quantity?: number;
  adults?: number;
  children?: number;
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
 * Changes a live hold. On the same departure its prices stay locked. On another departure the present prices are locked. The end of the
 * hold stays the same.
 * @throws HoldNotFoundError, TourNotFoundError (404), InvalidInputError (400), HoldExpiredError, HoldStateConflictError,
 *   HoldAnonymizedError, CurrencyConflictError, DepartureGoneError, DepartureCancelledError, InsufficientSeatsError,
 *   HoldLimitReachedError, DepartureBusyError (409)
 */
export async function amendHold(
  trx: Trx,
  tenant: Tenant,
  { holdId, by, ...amendment }: NamedHold & HoldAmendment,
  runIdempotent: RunIdempotent<ChangedHold> = withoutKey,
): Promise<ChangedHold | ReplayedResponse> {
  const found = await getHold(trx, tenant.id, holdId);
  return runIdempotent(async () => {
    const { departureId, departureDate, departureTime, tour = found.tour } = amendment;
    const move = { tourId: tour.id, departureId, departureDate, departureTime };
    const to = await findDepartureAfterChange(trx, found, move);
    const facts = await lockAndReadFacts(trx, tenant, tour.id, [found.departureId, to.departureId]);
    const before = await getHold(trx, tenant.id, holdId);
    assertNotMoved(found.departureId, before);
    const amended = await decideForTenant(trx, tenant, tour.id, () =>
      decideHoldAmendment(facts, tenant, before, to, amendment),
    );
    const fields = changesOf(before, amended);
    if (Object.keys(fields).length === 0) return { before, after: before };
    await amendHoldRow(trx, before.id, amended);
    await insertHoldChange(trx, before.id, { by, fields });
    return { before, after: await getHold(trx, tenant.id, holdId) };
  });
}

/**
 * Decides the change by the facts, under the locks of both departures. Throws the errors of amendHold.
 * @param to the departure after the change
 */
function decideHoldAmendment(
  facts: DepartureFacts,
  tenant: Tenant,
  hold: SeatHold,
  to: DepartureChoice,
  amendment: HoldAmendment,
): AmendedHold {
  const party = amendedParty(partyOfHold(hold), amendment);
  assertActive(hold);
  assertNotErased(hold, amendment);
  const { tour = hold.tour, departureDate = hold.departureDate, departureTime } = amendment;
  const departure = existingDeparture(facts, { ...to, tenant, tour, party, departureDate, departureTime });
  const stays = departure.id === hold.departureId;
  const before = stays ? partyOfHold(hold) : null;
  assertPartyOfChange(facts, tenant, departure, { before, after: party, paid: false });
  if (!stays) assertSellingCurrencyStays(tenant, hold, departure);
  const price = stays ? hold : quoteDeparture(facts, tenant, departure, seatsOf(party));
  assertPriced(party, price.prices);
  const { externalRef = hold.externalRef } = amendment;
  return {
    departure,
    party,
    price,
    externalRef,
    customer: withGivenCustomer(hold.customer, amendment.customer),
  };
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

/** @throws InvalidInputError (400) */
function amendedParty(now: Party, { quantity, adults, children }: HoldAmendment): Party {
  const child = children ?? now.child;
  const adult = adults ?? (quantity === undefined ? now.adult : quantity - child);
  const seats = adult + child;
  if (adult < 0 || child < 0 || (quantity ?? seats) !== seats)
    throw new InvalidInputError('body', 'quantity', 'must be the adults and children together');
  const party = { adult, child, single_supplement: 0 };
  assertPartySize(party);
  return party;
}

function changesOf(before: SeatHold, { departure, party, externalRef, customer }: AmendedHold) {
  const { adult, child } = partyOfHold(before);
  return changedFields(
    [
      {
        tour: before.tour.id,
        departure_date: before.departureDate,
        departure_time: before.departureTime,
        adults: adult,
        children: child,
      },
      {
        tour: departure.tour.id,
        departure_date: departure.departureDate,
        departure_time: departure.startTime,
        adults: party.adult,
        children: party.child,
      },
    ],
    [
      { external_ref: before.externalRef, ...comparedCustomer(before.customer) },
      { external_ref: externalRef, ...comparedCustomer(customer) },
    ],
  );
}
