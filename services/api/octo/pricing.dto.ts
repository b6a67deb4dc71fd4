import type { Tour } from '../catalog/tour';
import type { Currency } from '../pricing/convert-price';
import type { Prices } from '../pricing/price-categories';
import type { Quote, Quoter } from '../pricing/quote-tenant-price';

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

export type OctoUnitId = 'adult' | 'child';

/**
 * The price of one unit in minor units.
 * @example {"unitId": "adult", "original": 48950, "retail": 48950, "net": 44500, "currency": "EUR", "currencyPrecision": 2, "includedTaxes": []}
 */
export interface OctoUnitPricing extends OctoPricing {
  unitId: OctoUnitId;
}

/** The units of all products, in their order. Each is the price category of the same name. */
export const OCTO_UNIT_IDS: readonly OctoUnitId[] = ['adult', 'child'];

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

/** Returns the prices of a departure by unit; a unit without a price is left out. */
export function toUnitPricing(quote: Quote): OctoUnitPricing[] {
  return OCTO_UNIT_IDS.flatMap((unitId) => {
    const price = priceOf(unitId, quote);
    return price ? [{ unitId, ...toPricing(price) }] : [];
  });
}

/** Returns the lowest price of each unit among several departures. A unit without a price on any of them is left out. */
export function lowestUnitPricing(departures: OctoUnitPricing[][]): OctoUnitPricing[] {
  const all = departures.flat().sort((a, b) => a.retail - b.retail);
  return OCTO_UNIT_IDS.flatMap((unitId) => all.find((one) => one.unitId === unitId) ?? []);
}

function priceOf(unit: OctoUnitId, quote: Quote): UnitPrice | undefined {
  const { converted, tenant, currency, currencyDigits } = quote;
  const [net, retail] = [converted[unit], tenant[unit]];
  return net === undefined || retail === undefined ? undefined : { net, retail, currency, currencyDigits };
}

/**
 * Returns the lowest price of a unit on the tour's open dates. If there is no open date, returns the base price for an adult.
 * @returns undefined for a child if no open date has a child price, and for a tour that the tenant has sold but whose rate is missing now
 */
export function lowestPrice(tour: Tour, quote: Quoter, unit: OctoUnitId): UnitPrice | undefined {
  const dates = tour.lowestPrices.map(({ date, adult, child }) => {
    const platform: Prices = { adult, ...(child === null ? {} : { child }) };
    return quote(tour, platform, date);
  });
  const base = quote(tour, { adult: tour.basePriceMinor }, null);
  const lowest = (quotes: (Quote | undefined)[]) =>
    quotes.flatMap((one) => (one && priceOf(unit, one)) ?? []).sort((a, b) => a.retail - b.retail)[0];
  return lowest(dates) ?? lowest([base]);
}
