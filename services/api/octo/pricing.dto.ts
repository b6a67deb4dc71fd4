import type { Tour } from '../catalog/tour';
import type { PricedTour, Prices } from '../pricing/price-categories';
import type { Quote, Quoter } from '../pricing/quote-tenant-price';

/**
 * One price in minor units.
 * @example {"original": 48950, "retail": 48950, "net": 44500, "currency": "EUR", "currencyPrecision": 2, "includedTaxes": []}
 */
export interface OctoPricing {
  /**
   * The price without any discount.
   * @isInt
   */
  original: number;
  /**
   * The price of the tenant's customer.
   * @isInt
   */
  retail: number;
  /**
   * The platform's price.
   * @isInt
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

/** The prices of one unit in minor units. */
interface UnitPrice {
  /** The platform's price. */
  net: number;
  /** The tenant's price. */
  retail: number;
}

/** Returns a price as OCTO shows it. The tenant's price has no discount, so it is also the `original` price. */
export function toPricing(
  { currency, currencyDigits }: Pick<PricedTour, 'currency' | 'currencyDigits'>,
  { net, retail }: UnitPrice,
): OctoPricing {
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
export function toUnitPricing(
  tour: PricedTour,
  quote: Pick<Quote, 'platform' | 'tenant'>,
): OctoUnitPricing[] {
  return OCTO_UNIT_IDS.flatMap((unitId) => {
    const price = priceOf(unitId, quote);
    return price ? [{ unitId, ...toPricing(tour, price) }] : [];
  });
}

/** Returns the lowest price of each unit among several departures. A unit without a price on any of them is left out. */
export function lowestUnitPricing(departures: OctoUnitPricing[][]): OctoUnitPricing[] {
  const all = departures.flat().sort((a, b) => a.retail - b.retail);
  return OCTO_UNIT_IDS.flatMap((unitId) => all.find((one) => one.unitId === unitId) ?? []);
}

function priceOf(unit: OctoUnitId, { platform, tenant }: Pick<Quote, 'platform' | 'tenant'>) {
  const [net, retail] = [platform[unit], tenant[unit]];
  return net === undefined || retail === undefined ? undefined : { net, retail };
}

/**
 * Returns the lowest price of a unit on the tour's open dates. If there is no open date, returns the base price for an adult.
 * @returns undefined for a child if no open date has a child price
 */
export function lowestPrice(tour: Tour, quote: Quoter, unit: OctoUnitId): UnitPrice | undefined {
  const dates = tour.lowestPrices.map(({ date, adult, child }) => {
    const platform: Prices = { adult, ...(child === null ? {} : { child }) };
    return priceOf(unit, quote(tour, platform, date));
  });
  const [lowest] = dates.filter((price) => price !== undefined).sort((a, b) => a.retail - b.retail);
  if (lowest || unit === 'child') return lowest;
  return priceOf(unit, quote(tour, { adult: tour.basePriceMinor }, null));
}
