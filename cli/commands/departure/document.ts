import { nameDeparture } from '../../../services/api/catalog/start-time';
import type { NewPrices } from '../../../services/api/departures/add-departures';
import {
  type Departure,
  departureStatus,
  type ListedDeparture,
  seatsAvailable,
  SEATS_TOTAL_MAX,
} from '../../../services/api/departures/departure';
import { MINOR_UNITS_MAX } from '../../../services/api/pricing/currency';
import { pricesAnswer } from '../../../services/api/pricing/price-categories';
import { flag, flagName } from '../../engine/command';
import { refuseMistakes } from '../../engine/failure';
import {
  decimal,
  formatMoney,
  type OfCategory,
  ofCategory,
  repeatedCategories,
  wholeNumber,
} from '../../engine/values';

/** Parses the number of seats of a departure. */
export const seats = wholeNumber(1, SEATS_TOTAL_MAX);

/** Parses a price. The use case checks the decimals and the limit, which depend on the currency. */
export const price = decimal(0, MINOR_UNITS_MAX, 4);
export const ADULT_FLAG = flag('--adult <money>', "an adult's price", { parse: price });
export const CHILD_FLAG = flag('--child <money>', "a child's price", { parse: price });
export const SINGLE_FLAG = flag('--single-supplement <money>', 'what an adult pays more for a single room', {
  parse: price,
});

export const PRICE_FLAG = flag('--price <code=money>', 'the price of a category, such as senior=430', {
  parse: ofCategory(price, 'senior=430'),
  repeats: true,
});
export const PRICE_FLAGS = [ADULT_FLAG, CHILD_FLAG, SINGLE_FLAG, PRICE_FLAG];

/** Decimal texts in major units. */
export interface PriceOptions {
  adult?: string;
  child?: string;
  singleSupplement?: string;
  price?: OfCategory<string>[];
}

/**
 * Returns the given prices by the codes of their categories.
 * @throws UsageError for a category with two prices
 */
export function toNewPrices({ adult, child, singleSupplement, price: listed = [] }: PriceOptions): NewPrices {
  const named: [code: string, flag: string, amount: string | undefined][] = [
    ['adult', flagName(ADULT_FLAG), adult],
    ['child', flagName(CHILD_FLAG), child],
    ['single_supplement', flagName(SINGLE_FLAG), singleSupplement],
  ];
  refuseMistakes(repeatedCategories(listed, flagName(PRICE_FLAG), named));
  const given = named.flatMap(([code, , amount]) => (amount === undefined ? [] : [[code, amount]]));
  return Object.fromEntries([...given, ...listed]) as NewPrices;
}

/** Returns the price of the first category with its code: `adult 480.00 EUR`. A past departure may have lost this price. */
export function describeFirstPrice({
  prices,
  currency,
}: Pick<DepartureDocument, 'prices' | 'currency'>): string {
  const [first] = Object.entries(prices);
  return first === undefined ? 'no price' : `${describeCode(first[0])} ${formatMoney(first[1], currency)}`;
}

/** Returns the code of a category for a person: `single supplement`. */
export function describeCode(code: string): string {
  return code.replaceAll('_', ' ');
}

export type DepartureDocument = ReturnType<typeof toDepartureDocument>;

/** Converts a departure for lists and answers. */
export function toDepartureDocument(tourSlug: string, departure: Departure) {
  const { currency, currencyDigits, categories } = departure.tour;
  return {
    id: departure.id,
    tour: tourSlug,
    departure_date: departure.departureDate,
    start_time: departure.startTime,
    return_date: departure.returnDate,
    status: departureStatus(departure),
    seats_total: departure.seatsTotal,
    seats_taken: departure.seatsTaken,
    seats_available: seatsAvailable(departure),
    currency,
    prices: pricesAnswer(departure.prices, categories, currencyDigits),
  };
}

/** Converts a departure of a list. `closes_at` is the instant at which it stops being open. */
export function toListedDocument(tourSlug: string, departure: ListedDeparture) {
  return {
    ...toDepartureDocument(tourSlug, departure),
    closes_at: departure.salesEndAt.toISOString(),
    closes_before: departure.closesBefore,
  };
}

/** Returns the name of the departure in messages: its date, with its start time if it has one. */
export function nameOf({
  departure_date: date,
  start_time: time,
}: Pick<DepartureDocument, 'departure_date' | 'start_time'>): string {
  return nameDeparture(date, time);
}

/** Returns the name of a departure in messages, as nameOf. */
export function nameOfDeparture({ departureDate, startTime }: Departure): string {
  return nameDeparture(departureDate, startTime);
}

/** Returns the values of a departure that a change may set, for its audit row. */
export function toAuditedDeparture({ cancelled, startTime, seatsTotal, prices, tour }: Departure) {
  return {
    cancelled,
    start_time: startTime,
    seats_total: seatsTotal,
    prices: pricesAnswer(prices, tour.categories, tour.currencyDigits),
  };
}
