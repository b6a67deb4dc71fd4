import { type Category, firstCategory } from './category';
import { toMajor } from './currency';
import type { PriceCalculation } from './explained-rules';

/**
 * Prices by the code of the category, in minor units: the platform's in the currency of the tour, the tenant's in the currency of the sale. A
 * category without a price is not sold. These files decide the prices:
 * - departures/add-departures.ts and catalog-import/: the platform's price of each category of a departure.
 * - choose-price-rule.ts: which price rule of the tenant decides each category.
 * - apply-price-rule.ts: how the rule changes the price.
 * - party.ts: the total of a party.
 */
export type Prices = Record<string, number>;

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
