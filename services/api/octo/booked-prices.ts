import { totalOf } from '../pricing/party';
import { CATEGORIES, type Prices } from '../pricing/price-categories';
import { PLATFORM_PRICE } from '../pricing/quote-tenant-price';
import { partyOf, type ShownOctoBooking } from './stored-octo-booking';
import { type OctoPricing, type OctoUnitId, toPricing } from './pricing.dto';

/** The locked prices of a booking. */
export interface BookedPrices {
  /** One unit. */
  units: Record<OctoUnitId, OctoPricing>;
  total: OctoPricing;
}

/**
 * Returns the locked prices. `net` is the platform's price when the price was locked, in the currency of the sale. If the stored calculation
 * lacks this price, `net` is the platform's present price.
 */
export function bookedPrices(state: ShownOctoBooking): BookedPrices {
  const { prices, currency, currencyDigits, priceBreakdown } = state.lead ?? state.hold;
  const platform: Prices = { adult: prices.adult, ...presentPlatformPrices(state, currency) };
  for (const category of CATEGORIES) {
    const locked = priceBreakdown[PLATFORM_PRICE[category]] as number | undefined;
    if (locked !== undefined) platform[category] = Math.round(locked * 10 ** currencyDigits);
  }
  const pricing = (net: number, retail: number) => toPricing({ net, retail, currency, currencyDigits });
  const party = partyOf(state);
  return {
    units: {
      adult: pricing(platform.adult, prices.adult),
      child: pricing(platform.child ?? prices.child ?? 0, prices.child ?? 0),
    },
    total: pricing(totalOf(party, platform), totalOf(party, prices)),
  };
}

/** Returns the platform's present prices in the currency of the sale, if they can be converted. */
function presentPlatformPrices(
  { departure: { departure, quote } }: ShownOctoBooking,
  currency: string,
): Partial<Prices> {
  if (quote?.currency === currency) return quote.converted;
  return departure.tour.currency === currency ? departure.prices : {};
}
