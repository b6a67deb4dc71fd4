import { type ChangedFields, changedFields } from '../../audit/changed-fields';
import { CurrencyConflictError } from '../../bookings/booking.errors';
import type { DepartureChoice } from '../../departures/choose-departure';
import type { LockedDeparture } from '../../departures/departure';
import type { LockedPrice } from '../../pricing/price-categories';
import { sellingCurrencyOf } from '../../pricing/selling-currency';
import type { Actor } from '../../tenants/actor';
import type { Tenant } from '../../tenants/tenant';
import type { DepartureFacts } from '../read/facts';
import { withoutSale } from './counted-seats';
import {
  existingDeparture,
  lockedDeparture,
  quoteDeparture,
  type RequestedDeparture,
} from './departure-rules';
import { assertPartyOfChange } from './party-of-change';
import { partyFields } from '../../parties/party';
import type { Category } from '../../parties/category';
import { categoriesToCheck, lostCodes, categoriesOfChange, takesUnits } from '../../parties/kept-categories';
import { withPricesOf } from '../../pricing/quote-tenant-price';
import type { Party, Prices, RequestedParty } from '../../parties/party-rules';
import { changedParty, assertWantedParty, type WantedParty } from '../../parties/requested-party';

/** The change of the fields of a hold or booking: what a request asks for, its actor, and the departure after the change. */
export interface Amended<Amendment> {
  by: Actor | null;
  to: DepartureChoice;
  amendment: Amendment;
}

/** The fields of a hold or booking that decide which seats it has. */
interface Seats {
  tour: { id: string };
  departureId: string | null;
  departureDate: string | null;
  departureTime: string | null;
  party: Party;
  seats: number;
  categories: readonly Category[];
}

/** The party of a hold or booking after a change, and the categories by which it is read. */
export interface AmendedParty extends WantedParty {
  categories: readonly Category[];
}

/** Reads the party that a request means after the change. @throws InvalidInputError (400) */
export function amendedParty(
  facts: DepartureFacts,
  tenant: Tenant,
  sale: Seats,
  to: DepartureChoice,
  requested: RequestedParty = {},
): AmendedParty {
  const categories = categoriesOfChange(sale, lockedDeparture(facts, tenant, to.departureId));
  return { ...changedParty(sale.party, requested, categories), categories };
}

/** The departure of a hold or booking after a change. */
export interface AmendedDeparture {
  /** Without the seats of the hold or booking. */
  departure: LockedDeparture;
  /** True: it is another departure than before. */
  moves: boolean;
  /** True: the change takes more units of a category, or all units of another departure. */
  takesUnits: boolean;
}

/**
 * Finds the departure after the change, and checks that it may be sold to the party.
 * @param isLimited true: the tenant's share of the departure limits the seats
 * @throws errors of existingDeparture, assertPartyOfChange
 * @rule the seats of a hold or booking after a change: test/api/moved-sale.test.ts
 */
export function amendedDeparture(
  facts: DepartureFacts,
  sale: Seats,
  { party, seats, categories }: AmendedParty,
  { isLimited, ...wanted }: Omit<RequestedDeparture, 'seats'> & { isLimited: boolean },
): AmendedDeparture {
  const found = existingDeparture(facts, { ...wanted, seats });
  const moves = found.id !== sale.departureId;
  const departure = withoutSale(facts, found, sale, seats);
  const change = { before: moves ? null : sale.party, after: party, categories, isLimited };
  assertPartyOfChange(facts, wanted.tenant, departure, change);
  return { departure, moves, takesUnits: takesUnits(change) };
}

/**
 * Checks that the tour sells the party. A party that the change keeps on its departure stays as it is.
 * @param sold the categories of the hold or booking after the change; `present`: those of its tour now
 * @throws errors of assertWantedParty (400)
 */
export function assertAmendedParty(
  sale: Seats,
  meant: AmendedParty,
  {
    moves,
    prices,
    ...categories
  }: { moves: boolean; prices: Prices } & Record<'sold' | 'present', readonly Category[]>,
): void {
  if (!moves && meant.party === sale.party) return;
  assertWantedParty(meant, categoriesToCheck(meant.party, sale, categories), prices);
}

/**
 * Checks that a hold or booking keeps its currency on the departure, also if a rate of the new one is missing.
 * @throws CurrencyConflictError (409)
 */
export function assertCurrencyStays(
  kind: 'hold' | 'booking',
  tenant: Tenant,
  { currency: before }: LockedPrice,
  { tour }: LockedDeparture,
): void {
  const { currency } = sellingCurrencyOf(tenant, tour);
  if (currency !== before) throw new CurrencyConflictError(kind, currency, before);
}

/**
 * Quotes the prices of another departure. A category that its tour has lost has no present price, so its units keep the locked one, unless
 * the tour or the currency changes.
 * @throws errors of quoteDeparture
 */
export function priceAfterMove(
  facts: DepartureFacts,
  tenant: Tenant,
  sale: Seats & LockedPrice,
  { seats, categories }: AmendedParty,
  departure: LockedDeparture,
): LockedPrice {
  const today = { ...quoteDeparture(facts, tenant, departure, seats), categories };
  const keepsPrices = departure.tour.id === sale.tour.id && today.currency === sale.currency;
  return keepsPrices ? withPricesOf(today, sale, lostCodes(sale, departure.tour.categories)) : today;
}

/** Returns the place of a hold or booking on a departure. */
export function placeOn({ id, departureDate, startTime }: LockedDeparture) {
  return { departureId: id, departureDate, departureTime: startTime };
}

export type FieldValues = Record<string, string | number | null>;

/**
 * Compares a hold or booking before and after a change, for its history.
 * @param fieldsOf returns the fields of the history; `seats` are those that every hold and booking has
 */
export function amendedFields<Sale extends Seats>(
  before: Sale,
  after: Sale,
  fieldsOf: (sale: Sale, seats: FieldValues) => FieldValues,
  personalOf: (sale: Sale) => Record<string, unknown>,
): ChangedFields {
  const codes = new Set(Object.keys({ ...before.party, ...after.party }));
  const fields = (sale: Sale) =>
    fieldsOf(sale, {
      departure_date: sale.departureDate,
      departure_time: sale.departureTime,
      ...partyFields(sale.party, codes),
    });
  return changedFields([fields(before), fields(after)], [personalOf(before), personalOf(after)]);
}
