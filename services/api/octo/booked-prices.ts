import { mapPrices, totalOf } from '../pricing/price-categories';
import { type OctoPricing, toPricing } from './pricing.dto';
import { saleOf, type ShownOctoBooking } from './stored-octo-booking';
import type { Prices } from '../parties/party-rules';

/** The locked prices of a booking. */
export interface BookedPrices {
  /** One unit of each category with a locked price, by code. */
  units: Record<string, OctoPricing>;
  total: OctoPricing;
}

/**
 * Returns the locked prices. `net` is the platform's price when the price was locked, in the currency of the sale. If it is not
 * known, `net` is the platform's present price.
 */
export function bookedPrices(state: ShownOctoBooking): BookedPrices {
  const sale = saleOf(state);
  const { prices, party, currency, currencyDigits } = sale;
  const present = presentPlatformPrices(state, currency);
  const platform = mapPrices(prices, (retail, code) => sale.platformPrices[code] ?? present[code] ?? retail);
  const pricing = (net: number, retail: number) => toPricing({ net, retail, currency, currencyDigits });
  const units: BookedPrices['units'] = {};
  for (const [code, retail] of Object.entries(prices)) units[code] = pricing(platform[code]!, retail);
  const total = pricing(totalOf(party, platform), totalOf(party, prices));
  // The adjustment of a booking is a line beside its units: only what the customer pays has it.
  return { units, total: { ...total, retail: state.lead?.totalMinor ?? total.retail } };
}

/** Returns the platform's present prices in the currency of the sale, if they can be converted. */
function presentPlatformPrices(
  { departure: { departure, quote } }: ShownOctoBooking,
  currency: string,
): Prices {
  if (quote?.currency === currency) return quote.converted;
  return departure.tour.currency === currency ? departure.prices : {};
}
