import type { Db } from '../../platform/database/database';
import { InvalidInputError } from '../../platform/errors';
import { changedFields, withGiven } from '../audit/changed-fields';
import {
  BookingAnonymizedError,
  BookingStateConflictError,
  CurrencyConflictError,
} from '../bookings/booking.errors';
import {
  assertTravellersBooked,
  type BookingLead,
  type ChangedBooking,
  isStanding,
  type NamedBooking,
  type Traveller,
} from '../bookings/booking-lead';
import { columnsOfLead } from '../bookings/booking-lead.repository';
import { eventOfLead } from '../bookings/change-booking';
import { refundPercentAt } from '../bookings/refund';
import { getBookingPlace } from '../bookings/find-booking';
import type { DepartureChoice } from '../departures/choose-departure';
import {
  type CancellationPolicy,
  type DatedTier,
  describePolicy,
  policyOf,
} from '../catalog/cancellation-policy';
import type { Departure, LockedDeparture } from '../departures/departure';
import { findDepartureAfterChange } from '../departures/find-departures';
import { comparedCustomer, type PartialCustomer, withGivenCustomer } from '../holds/seat-hold';
import type { StoredColumns } from '../holds/seat-hold';
import { depositOf } from '../pricing/apply-price-rule';
import { toMajor } from '../pricing/currency';
import { assertPartySize, assertPriced, type Party, seatsOf, totalOf } from '../pricing/party';
import { CATEGORIES, type Category, type Prices } from '../pricing/price-categories';
import { PLATFORM_PRICE } from '../pricing/quote-tenant-price';
import { sellingCurrencyOf } from '../pricing/selling-currency';
import type { Actor } from '../tenants/actor';
import type { Tenant } from '../tenants/tenant';
import { assertPartyOfChange } from './check-party';
import { assertExpectedTotal } from './decide/decide-booking';
import { existingDeparture, quoteDeparture } from './decide/departure-rules';
import type { DepartureFacts } from './read/sale-facts';
import type { Seller } from './sale';
import { changeOfBooking, unchangedBooking } from './stored-booking';
import { datesOfLead, type Decided } from './decided';
import { departuresOfMove } from './seat-change';
import type { StoredChange, StoredLead } from './stored-change';

/** The changes of a booking that a request asks for; an undefined field stays as it is, and null clears it. */
export interface BookingAmendment {
  /** A departure of the same tour, on `departureDate`. Undefined: the date and the time name it. */
  departureId?: string;
  /** YYYY-MM-DD, another date of the same tour. */
  departureDate?: string;
  /** HH:MM */
  departureTime?: string;
  party: Partial<Party>;
  customer: Partial<PartialCustomer>;
  notes?: string | null;
  externalRef?: string | null;
  travellers?: Traveller[] | null;
  /** The new total that the customer saw, in major units. Null: not named. */
  expectedTotal: number | null;
}

/**
 * Builds the change of a standing booking: it reserves additional seats or frees seats, calculates the price, and has the event
 * `booking.updated`. On the same departure, a category that is already booked keeps its unit price. A new category, and each category on another departure, gets the
 * present price. A change to the same values writes nothing and has no event.
 * @throws BookingNotFoundError (404), InvalidInputError (400); the decision also TourNotFoundError (404), BookingStateConflictError,
 *   CurrencyConflictError, BookingAnonymizedError, DepartureGoneError, DepartureCancelledError, InsufficientSeatsError,
 *   HoldLimitReachedError, PriceChangedError (409)
 */
export async function prepareBookingChange(
  db: Db,
  seller: Seller<ChangedBooking>,
  { bookingRef, by, ...amendment }: NamedBooking & BookingAmendment,
): Promise<StoredChange<ChangedBooking>> {
  const { tenant } = seller;
  const found = await getBookingPlace(db, tenant.id, bookingRef);
  const { departureId, departureDate, departureTime } = amendment;
  const to = await findDepartureAfterChange(db, found, { departureId, departureDate, departureTime });
  const change = changeOfBooking(seller, found, (lead, facts) =>
    decideBookingChange(facts, tenant, lead, { by, to, amendment }),
  );
  return { ...change, hidesDates: true, departureIds: departuresOfMove(found.departureId, to) };
}

export interface BookingChange {
  by: Actor | null;
  /** The departure after the change. */
  to: DepartureChoice;
  amendment: BookingAmendment;
}

/** Decides the change of a booking, under the locks of both departures and of the booking. Throws the errors of prepareBookingChange. */
export function decideBookingChange(
  facts: DepartureFacts,
  tenant: Tenant,
  lead: StoredLead,
  { by, to, amendment }: BookingChange,
): Decided<ChangedBooking> {
  const amended = decideAmendment(facts, tenant, lead, to, amendment);
  const fields = changesOf(lead, amended);
  if (Object.keys(fields).length === 0) return unchangedBooking(lead);
  const after = afterAmendment(lead, amended);
  return {
    result: { before: lead, after },
    lead: {
      id: lead.id,
      columns: { ...columnsOf(amended), updated_at: lead.nextUpdatedAt },
      change: { by, fields },
    },
    events: [eventOfLead('booking.updated', after)],
    changed: [...datesOfLead(lead), ...datesOfLead(after)],
  };
}

/** The values of a booking after its change. */
interface AmendedLead {
  departure: LockedDeparture | null;
  party: Party;
  cancellation: CancellationPolicy | null;
  tiers: DatedTier[] | null;
  refundCeiling: number;
  prices: Prices;
  totalMinor: number;
  depositMinor: number;
  priceBreakdown: Record<string, unknown>;
  customer: PartialCustomer;
  notes: string | null;
  externalRef: string | null;
  travellers: Traveller[] | null;
}

function columnsOf({ departure, ...values }: AmendedLead): StoredColumns {
  const [departureId, departureDate] = [departure?.id ?? null, departure?.departureDate ?? null];
  return columnsOfLead({ ...values, departureId, departureDate });
}

function afterAmendment(lead: StoredLead, { departure, ...values }: AmendedLead): BookingLead {
  return {
    ...lead,
    ...values,
    departureId: departure?.id ?? null,
    departureDate: departure?.departureDate ?? null,
    departureTime: departure?.startTime ?? null,
    departureStatus: departure && (departure.cancelled ? 'cancelled' : 'scheduled'),
    updatedAt: new Date(lead.nextUpdatedAt),
  };
}

/**
 * Decides the change by the facts, under the locks of both departures and of the lead. Throws the errors of prepareBookingChange.
 * @param to the departure after the change
 */
function decideAmendment(
  facts: DepartureFacts,
  tenant: Tenant,
  before: BookingLead,
  to: DepartureChoice,
  amendment: BookingAmendment,
): AmendedLead {
  const party = amendedParty(before.party, amendment.party);
  const { travellers = before.travellers } = amendment;
  assertTravellersBooked(travellers ?? [], party);
  assertChangeable(before, amendment);
  const { tour } = before;
  const { departureDate = before.departureDate, departureTime } = amendment;
  const departure =
    departureDate === null
      ? null
      : existingDeparture(facts, { ...to, tenant, tour, party, departureDate, departureTime });
  const moves = departure !== null && departure.id !== before.departureId;
  const paid = before.status === 'confirmed';
  if (departure) {
    const change = { before: moves ? null : before.party, after: party, paid };
    assertPartyOfChange(facts, tenant, departure, change);
  }
  const price = amendedPrice(facts, tenant, before, { party, departure, moves });
  assertPriced(party, price.prices);
  const totalMinor = totalOf(party, price.prices);
  assertExpectedTotal(amendment.expectedTotal, totalMinor, before);
  const policy = moves ? policyAfterMove(before, departure) : before;
  const { notes = before.notes, externalRef = before.externalRef, customer } = amendment;
  return {
    departure,
    party,
    cancellation: policy.cancellation,
    tiers: policy.tiers,
    refundCeiling: policy.refundCeiling,
    prices: price.prices,
    totalMinor,
    notes,
    externalRef,
    travellers,
    ...amendedDeposit(tenant, before, { ...price, totalMinor, moves: moves && !paid }),
    customer: withGivenCustomer(before.customer, customer),
  };
}

/** @throws InvalidInputError (400) */
function amendedParty(now: Party, given: Partial<Party>): Party {
  const party = withGiven(now, given);
  assertPartySize(party);
  if (party.single_supplement > party.adult)
    throw new InvalidInputError('body', 'single_supplements', 'must not be more than the adults');
  return party;
}

/** @throws BookingStateConflictError, BookingAnonymizedError (409) */
function assertChangeable(lead: BookingLead, amendment: BookingAmendment): void {
  if (!isStanding(lead)) throw new BookingStateConflictError(lead.status, 'changed');
  const { customer, notes, externalRef, travellers } = amendment;
  const personal = [...Object.values(customer), notes, externalRef, travellers];
  if (lead.anonymizedAt && personal.some((value) => value !== undefined)) throw new BookingAnonymizedError();
}

/** Returns the policy of the new departure's tour. The share that a cancellation refunded until now is the highest one from now on. */
function policyAfterMove(before: BookingLead, { tiers }: LockedDeparture) {
  const refundCeiling = refundPercentAt(before, before.asOf) ?? before.refundCeiling;
  return { cancellation: policyOf(tiers), tiers, refundCeiling };
}

interface Priced {
  prices: Prices;
  priceBreakdown: Record<string, unknown>;
}

/** @throws CurrencyConflictError (409) */
function amendedPrice(
  facts: DepartureFacts,
  tenant: Tenant,
  before: BookingLead,
  { party, departure, moves }: { party: Party; departure: Departure | null; moves: boolean },
): Priced {
  const isNew = (category: Category) => party[category] > 0 && (moves || before.party[category] === 0);
  // Keeps the old price if there is no new category. Also keeps the price of a booking without a date, which can have a price for adults
  // only.
  if (!departure || !CATEGORIES.some(isNew)) return before;
  // Compares the currencies before the quote, because a rate of the new one may be missing.
  const { currency } = sellingCurrencyOf(tenant, departure.tour);
  if (currency !== before.currency) throw new CurrencyConflictError('booking', currency, before.currency);
  const today = quoteDeparture(facts, tenant, departure, seatsOf(party));
  if (moves) return today;
  const kept = { ...before.prices };
  // The calculation explains the price of an adult only. So the loop starts with the present calculation if the adult's price is new,
  // otherwise with the stored one, and sets the platform's price of each category.
  const priceBreakdown = { ...(isNew('adult') ? today : before).priceBreakdown };
  for (const category of CATEGORIES) {
    if (isNew(category)) kept[category] = today.prices[category]!;
    const field = PLATFORM_PRICE[category];
    priceBreakdown[field] = (isNew(category) ? today : before).priceBreakdown[field];
  }
  return { prices: kept, priceBreakdown };
}

/**
 * Returns the deposit after the change. A booking that is not confirmed gets a new deposit when its total changes. If the booking keeps its
 * departure, uses the percentage that was stored with the booking. If the booking moves to another departure, uses the tenant's present
 * percentage.
 */
function amendedDeposit(
  tenant: Tenant,
  before: BookingLead,
  { priceBreakdown, totalMinor, moves }: Priced & { totalMinor: number; moves: boolean },
) {
  const booked = moves ? undefined : (before.priceBreakdown['deposit_percent'] as number | undefined);
  const percent = booked ?? Number(tenant.depositPercent);
  const follows = before.status !== 'confirmed' && (moves || totalMinor !== before.totalMinor);
  return {
    priceBreakdown: { ...priceBreakdown, deposit_percent: percent },
    depositMinor: follows
      ? depositOf(totalMinor, String(percent), before.paymentMethod)
      : before.depositMinor,
  };
}

function changesOf(before: BookingLead, after: AmendedLead) {
  return changedFields(
    [
      {
        departure_date: before.departureDate,
        departure_time: before.departureTime,
        ...numbersOf(before, before),
      },
      {
        departure_date: after.departure?.departureDate ?? null,
        departure_time: after.departure?.startTime ?? null,
        ...numbersOf(after, before),
      },
    ],
    [personalOf(before), personalOf(after)],
  );
}

function numbersOf(
  {
    party,
    totalMinor,
    depositMinor,
    cancellation,
    refundCeiling,
  }: Pick<AmendedLead, 'party' | 'totalMinor' | 'depositMinor' | 'cancellation' | 'refundCeiling'>,
  { currencyDigits }: BookingLead,
) {
  return {
    adults: party.adult,
    children: party.child,
    single_supplements: party.single_supplement,
    total_price: toMajor(totalMinor, currencyDigits),
    deposit_total: toMajor(depositMinor, currencyDigits),
    cancellation: describePolicy(cancellation),
    highest_refund_percent: refundCeiling,
  };
}

type Personal = Pick<AmendedLead, 'customer' | 'notes' | 'externalRef' | 'travellers'>;

function personalOf({ customer, notes, externalRef, travellers }: Personal) {
  return { ...comparedCustomer(customer), notes, external_ref: externalRef, travellers };
}
