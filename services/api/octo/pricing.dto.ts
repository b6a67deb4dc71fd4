import { basePrices, type Tour } from '../catalog/tour';
import type { Currency } from '../pricing/convert-price';
import type { Quote, Quoter } from '../pricing/quote-tenant-price';
import { unitCategories } from './sold-units';

/**
 * One price in minor units.
 * @example {"original": 48950, "retail": 48950, "net": 44500, "currency": "EUR", "currencyPrecision": 2, "includedTaxes": []}
 */
export interface OctoPricing {
  /**
   * The price without any discount.
   * @isLong
   */
  original: number;
  /**
   * The price of the tenant's customer.
   * @isLong
   */
  retail: number;
  /**
   * The platform's price, converted to the currency of the sale.
   * @isLong
   */
  net: number;
  /** ISO 4217. */
  currency: string;
  /**
   * Decimals of the currency: 2 for EUR, 0 for JPY.
   * @isInt
   */
  currencyPrecision: number;
  /** Always empty. */
  includedTaxes: string[];
}

/**
 * The price of one unit in minor units.
 * @example {"unitId": "adult", "original": 48950, "retail": 48950, "net": 44500, "currency": "EUR", "currencyPrecision": 2, "includedTaxes": []}
 */
export interface OctoUnitPricing extends OctoPricing {
  unitId: string;
}

/** The prices of one unit, in minor units of the currency of the sale. */
interface UnitPrice extends Currency {
  /** The platform's price. */
  net: number;
  /** The tenant's price. */
  retail: number;
}

/** Returns a price as OCTO shows it. The tenant's price has no discount, so it is also the `original` price. */
export function toPricing({ net, retail, currency, currencyDigits }: UnitPrice): OctoPricing {
  return {
    original: retail,
    retail,
    net,
    currency,
    currencyPrecision: currencyDigits,
    includedTaxes: [],
  };
}

/** Returns the prices of a departure by unit, in the order of the categories; a unit without a price is left out. */
export function toUnitPricing(quote: Quote): OctoUnitPricing[] {
  return unitCategories(quote.categories).flatMap(({ code }) => {
    const price = priceOf(code, quote);
    return price ? [{ unitId: code, ...toPricing(price) }] : [];
  });
}

/** Returns the lowest price of each unit among departures of one tour. A unit without a price on any of them is left out. */
export function lowestUnitPricing(quotes: Quote[]): OctoUnitPricing[] {
  const all = quotes.flatMap(toUnitPricing).sort((a, b) => a.retail - b.retail);
  return unitCategories(quotes[0]!.categories).flatMap(
    ({ code }) => all.find(({ unitId }) => unitId === code) ?? [],
  );
}

function priceOf(code: string, quote: Quote): UnitPrice | undefined {
  const { converted, tenant, currency, currencyDigits } = quote;
  const [net, retail] = [converted[code], tenant[code]];
  return net === undefined || retail === undefined ? undefined : { net, retail, currency, currencyDigits };
}

/**
 * Returns the lowest price of a category on the tour's open dates. If there is no open date, returns the base price for the first category.
 * @returns undefined for another category if no open date has a price for it, and for a tour that the tenant has sold but whose rate is
 *   missing now
 */
export function lowestPrice(tour: Tour, quote: Quoter, code: string): UnitPrice | undefined {
  const dates = tour.lowestPrices.map(({ date, prices }) => quote(tour, prices, date));
  const base = quote(tour, basePrices(tour), null);
  const lowest = (quotes: (Quote | undefined)[]) =>
    quotes.flatMap((one) => (one && priceOf(code, one)) ?? []).sort((a, b) => a.retail - b.retail)[0];
  return lowest(dates) ?? lowest([base]);
}
