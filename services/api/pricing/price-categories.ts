import { toMajor } from './currency';

/**
 * The price categories. A single supplement is for an adult who has a room alone. These files decide the prices of all categories:
 * - departures/change-departure.ts and catalog-import/: the platform's price of each category of a departure.
 * - choose-price-rule.ts: which price rule of the tenant applies.
 * - apply-price-rule.ts: which categories the rule changes, and how.
 * - party.ts: the total of a party.
 */
export const CATEGORIES = ['adult', 'child', 'single_supplement'] as const;
export type Category = (typeof CATEGORIES)[number];

/** Prices by category, in minor units: the platform's in the currency of the tour, the tenant's in the currency of the sale. */
export interface Prices {
  adult: number;
  child?: number;
  single_supplement?: number;
}

/** The tenant's prices by category, in minor units: those that a hold has locked, or the present ones. */
export interface LockedPrice {
  prices: Prices;
  currency: string;
  currencyDigits: number;
  priceBreakdown: Record<string, unknown>;
}

/** Returns the SQL expression of the prices of a hold or lead, without the categories that have none. */
export function lockedPrices(table: string): string {
  return `json_strip_nulls(json_build_object('adult', ${table}.unit_price_minor, 'child', ${table}.child_price_minor,
    'single_supplement', ${table}.single_supplement_minor))`;
}

/** Returns the columns of the prices of a hold or lead. */
export function priceColumns({ adult, child, single_supplement }: Prices) {
  return {
    unit_price_minor: adult,
    child_price_minor: child ?? null,
    single_supplement_minor: single_supplement ?? null,
  };
}

/** The fields of a tour that pricing uses. */
export interface PricedTour {
  id: string;
  continent: string;
  currency: string;
  currencyDigits: number;
}

/**
 * Prices by category in major units.
 * @example {"adult": 445, "child": 311.5, "single_supplement": 120}
 */
export interface PricesAnswer {
  adult: number;
  child?: number;
  single_supplement?: number;
}

/** The tenant's prices by category in major units, and one adult's deposit. */
export interface TenantPricesAnswer extends PricesAnswer {
  deposit: number;
}

/** Converts prices to major units. Leaves out categories without a price. */
export function pricesAnswer(prices: Prices, digits: number): PricesAnswer {
  const { adult, child, single_supplement } = prices;
  const answer: PricesAnswer = { adult: toMajor(adult, digits) };
  if (child !== undefined) answer.child = toMajor(child, digits);
  if (single_supplement !== undefined) answer.single_supplement = toMajor(single_supplement, digits);
  return answer;
}

/** Converts the tenant's prices and one adult's deposit to major units. All amounts are in the currency of `currencyDigits`. */
export function tenantPricesAnswer({
  tenant,
  deposit,
  currencyDigits,
}: {
  tenant: Prices;
  deposit: number;
  currencyDigits: number;
}): TenantPricesAnswer {
  return { ...pricesAnswer(tenant, currencyDigits), deposit: toMajor(deposit, currencyDigits) };
}
