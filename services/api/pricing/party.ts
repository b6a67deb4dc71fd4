import { InvalidInputError } from '../../platform/errors';
import { toMajor } from './currency';
import { type Category, CATEGORIES, type Prices } from './prices';

/** The number of each price category: adults and children take a seat each, single supplements none. */
export type Party = Record<Category, number>;

export function adultsOnly(adult: number): Party {
  return { adult, child: 0, single_supplement: 0 };
}

/** Returns the seats of a party. */
export function seatsOf({ adult, child }: Party): number {
  return adult + child;
}

/** The request's field for the number of a category. */
const FIELD: Record<Category, string> = {
  adult: 'adults',
  child: 'children',
  single_supplement: 'single_supplements',
};

/**
 * Checks that every category of the party has a price.
 * @throws InvalidInputError (400)
 */
export function assertPriced(party: Party, prices: Prices): void {
  for (const category of CATEGORIES)
    if (party[category] > 0 && prices[category] === undefined)
      throw new InvalidInputError('body', FIELD[category], 'must be 0: this category has no price');
}

/** Returns the total of a party in minor units. Each of its categories has a price. */
export function totalOf(party: Party, prices: Prices): number {
  return CATEGORIES.reduce((total, category) => total + party[category] * (prices[category] ?? 0), 0);
}

/** Returns `2 adults, 1 child, 1 single supplement`. */
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

/** One line of a price breakdown; money in major units. */
export interface CategoryPrice {
  category: Category;
  /** @isInt */
  number: number;
  /** One traveller's price of this category, or one supplement. */
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
