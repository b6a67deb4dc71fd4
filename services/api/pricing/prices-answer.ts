import { toMajor } from '../money/currency';
import type { Prices } from './prices';
import type { Quote } from './quote-tenant-price';

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

/** Prices by category as the wire has them: major units, absent where the departure has none. */
export function pricesAnswer(prices: Prices, digits: number): PricesAnswer {
  const { adult, child, single_supplement } = prices;
  return {
    adult: toMajor(adult, digits),
    ...(child === undefined ? {} : { child: toMajor(child, digits) }),
    ...(single_supplement === undefined ? {} : { single_supplement: toMajor(single_supplement, digits) }),
  };
}

/** The same names at the tenant's prices, and one adult's deposit. */
export function tenantPricesAnswer(quote: Quote, digits: number): TenantPricesAnswer {
  return { ...pricesAnswer(quote.tenant, digits), deposit: toMajor(quote.deposit, digits) };
}
