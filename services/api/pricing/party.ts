import { InvalidInputError } from '../../platform/errors';
import { toMajor } from './currency';
import { type Category, CATEGORIES, type Prices } from './price-categories';

/**
 * The number of travellers or supplements in each price category. An adult and a child take a seat each, a single supplement takes none.
 */
export type Party = Record<Category, number>;

export function adultsOnly(adult: number): Party {
  return { adult, child: 0, single_supplement: 0 };
}

export function seatsOf({ adult, child }: Party): number {
  return adult + child;
}

/** The request field that has the number of travellers, or of supplements, of each category. */
const FIELD: Record<Category, string> = {
  adult: 'adults',
  child: 'children',
  single_supplement: 'single_supplements',
};

/** The party has a category that has no price. */
export class UnpricedCategoryError extends InvalidInputError {
  constructor(readonly category: Category) {
    super('body', FIELD[category], 'must be 0: this category has no price');
  }
}

/** Checks that every category of the party has a price. @throws UnpricedCategoryError (400) */
export function assertPriced(party: Party, prices: Prices): void {
  for (const category of CATEGORIES)
    if (party[category] > 0 && prices[category] === undefined) throw new UnpricedCategoryError(category);
}

/** Returns the total of a party in minor units. The caller has checked that each category has a price (assertPriced). */
export function totalOf(party: Party, prices: Prices): number {
  return CATEGORIES.reduce((total, category) => total + party[category] * (prices[category] ?? 0), 0);
}

/** Describes the party, for example as `2 adults, 1 child, 1 single supplement`. */
export function describeParty(party: Party): string {
  const counted = CATEGORIES.filter((category) => party[category] > 0);
  return counted
    .map((category) => `${party[category]} ${NOUN[category][party[category] === 1 ? 0 : 1]}`)
    .join(', ');
}

const NOUN: Record<Category, [one: string, more: string]> = {
  adult: ['adult', 'adults'],
  child: ['child', 'children'],
  single_supplement: ['single supplement', 'single supplements'],
};

/** One line of a price breakdown. Money is in major units. */
export interface CategoryPrice {
  category: Category;
  /** @isInt */
  number: number;
  /** The price of one traveller of this category, or of one supplement. */
  unit_price: number;
  total: number;
}

/** Returns the categories of the party with their number and unit price. */
export function priceByCategory(party: Party, prices: Prices, digits: number): CategoryPrice[] {
  return CATEGORIES.filter((category) => party[category] > 0).map((category) => ({
    category,
    number: party[category],
    unit_price: toMajor(prices[category]!, digits),
    total: toMajor(prices[category]! * party[category], digits),
  }));
}

/** The most adults and children together in one request. */
const PARTY_MAX = 50;

/**
 * The largest price at which a tenant can sell, in minor units. Up to it, the total of the largest party, with a single supplement for each
 * adult, is an exact number.
 */
const LARGEST_PRICE = Math.floor(Number.MAX_SAFE_INTEGER / (2 * PARTY_MAX));

/** Returns whether totals of these prices are exact. */
export function areExactInTotal(prices: Prices): boolean {
  return CATEGORIES.every((category) => (prices[category] ?? 0) <= LARGEST_PRICE);
}

export interface PartyBody {
  adults?: number;
  children?: number;
  single_supplements?: number;
}

/**
 * Reads the numbers of travellers and supplements of a booking. If tsoa refuses a number, uses the default in its place, because tsoa
 * reports the issue.
 * @throws InvalidInputError (400) for no travellers, for more than 50, and for more single supplements than adults
 */
export function partyInput(body: PartyBody): Party {
  const adults = numberOr(1, body.adults);
  const children = numberOr(0, body.children);
  const single_supplements = numberOr(0, body.single_supplements);
  if (adults + children < 1)
    throw new InvalidInputError('body', 'adults', 'must be at least 1 without children');
  if (adults + children > PARTY_MAX)
    throw new InvalidInputError('body', 'children', `must be at most ${PARTY_MAX} together with the adults`);
  if (single_supplements > adults)
    throw new InvalidInputError('body', 'single_supplements', 'must not be more than the adults');
  return { adult: adults, child: children, single_supplement: single_supplements };
}

/**
 * Reads the party of a hold. Adults and children together are its quantity; by default all seats are for adults.
 * @throws InvalidInputError (400)
 */
export function holdPartyInput(body: { quantity: number; adults?: number; children?: number }): Party {
  const quantity = numberOr(1, body.quantity);
  const child = numberOr(0, body.children);
  const adult = numberOr(quantity - child, body.adults);
  const numbers = [body.quantity, body.adults, body.children].filter((number) => number !== undefined);
  if (!numbers.every(isCount)) return adultsOnly(quantity);
  if (adult < 0 || adult + child !== quantity)
    throw new InvalidInputError('body', 'quantity', 'must be the adults and children together');
  return { adult, child, single_supplement: 0 };
}

/**
 * Checks the number of people after a change.
 * @throws InvalidInputError (400)
 */
export function assertPartySize(party: Party): void {
  const seats = seatsOf(party);
  if (seats < 1 || seats > PARTY_MAX)
    throw new InvalidInputError(
      'body',
      'adults',
      `must be from 1 to ${PARTY_MAX} together with the children`,
    );
}

export function numberOr(fallback: number, value: unknown): number {
  return isCount(value) ? value : fallback;
}

function isCount(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) <= PARTY_MAX;
}
