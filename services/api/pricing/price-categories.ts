import type { Category } from '../parties/category';
import { firstCategory, type Party, type Prices, UNITS_MAX } from '../parties/party-rules';
import { toMajor } from './currency';
import type { PriceCalculation } from './explained-rules';

/*
 * Prices by the code of the category, in minor units: the platform's in the currency of the tour, the tenant's in the currency of the sale. These files
 * decide the prices:
 * - departures/add-departures.ts and catalog-import/: the platform's price of each category of a departure.
 * - choose-price-rule.ts: which price rule of the tenant decides each category.
 * - apply-price-rule.ts: how the rule changes the price.
 */

/** The prices by category that a hold has locked, or the present ones. */
export interface LockedPrice {
  /** The tenant's. */
  prices: Prices;
  /** The platform's in the currency of the sale. A category without one: a sale from before these prices were locked (ADR 38). */
  platformPrices: Partial<Prices>;
  /** The categories of the tour, as the hold has locked them, or the present ones. */
  categories: readonly Category[];
  currency: string;
  currencyDigits: number;
  priceBreakdown: PriceCalculation;
}

/** The fields of a tour that pricing uses. */
export interface PricedTour {
  id: string;
  continent: string;
  currency: string;
  currencyDigits: number;
  categories: readonly Category[];
}

/** Returns the prices with that of each category changed. */
export function mapPrices(prices: Prices, change: (minor: number, code: string) => number): Prices {
  const changed: Prices = {};
  for (const code in prices) changed[code] = change(prices[code]!, code);
  return changed;
}

/** Returns the price of one unit of the first category. It always has a price. */
export function firstPrice(prices: Prices, categories: readonly Category[]): number {
  return prices[firstCategory(categories).code]!;
}

/**
 * Prices by category in major units.
 * @example {"adult": 445, "child": 311.5, "single_supplement": 120}
 */
export interface PricesAnswer {
  [code: string]: number;
}

/**
 * The tenant's prices by category in major units, and the deposit of one unit of the first category.
 * @example {"adult": 445, "child": 311.5, "single_supplement": 120, "deposit": 133.5}
 */
export interface TenantPricesAnswer {
  [code: string]: number;
}

/** Converts prices to major units, in the order of the categories. Leaves out categories without a price. */
export function pricesAnswer(
  prices: Partial<Prices>,
  categories: readonly Category[],
  digits: number,
): PricesAnswer {
  const answer: PricesAnswer = {};
  for (const { code } of categories) {
    const minor = prices[code];
    if (minor !== undefined) answer[code] = toMajor(minor, digits);
  }
  return answer;
}

/** Converts the tenant's prices and the deposit to major units. All amounts are in the currency of `currencyDigits`. */
export function tenantPricesAnswer({
  tenant,
  categories,
  deposit,
  currencyDigits,
}: {
  tenant: Prices;
  categories: readonly Category[];
  deposit: number;
  currencyDigits: number;
}): TenantPricesAnswer {
  return { ...pricesAnswer(tenant, categories, currencyDigits), deposit: toMajor(deposit, currencyDigits) };
}

/**
 * Returns the total of a party in minor units. The caller has checked that each category has a price (assertWantedParty).
 * @rule the total of a party: test/api/booking-price.test.ts
 */
export function totalOf(party: Party, prices: Prices): number {
  return Object.entries(party).reduce((total, [code, units]) => total + units * (prices[code] ?? 0), 0);
}

/** One line of a price breakdown. Money is in major units. */
export interface CategoryPrice {
  /**
   * The code of the category.
   * @example "adult"
   */
  category: string;
  /** @isInt */
  number: number;
  /** The price of one unit of this category. */
  unit_price: number;
  total: number;
}

/** Returns the categories of the party with their number and unit price. */
export function priceByCategory(party: Party, prices: Prices, digits: number): CategoryPrice[] {
  return Object.entries(party).map(([category, number]) => ({
    category,
    number,
    unit_price: toMajor(prices[category]!, digits),
    total: toMajor(prices[category]! * number, digits),
  }));
}

/** The largest price at which a tenant can sell, in minor units. Up to it, the total of the largest party is an exact number. */
const LARGEST_PRICE = Math.floor(Number.MAX_SAFE_INTEGER / (UNITS_MAX + 1));

/** Returns whether totals of these prices are exact. */
export function areExactInTotal(prices: Prices): boolean {
  return Object.values(prices).every((price) => price <= LARGEST_PRICE);
}
