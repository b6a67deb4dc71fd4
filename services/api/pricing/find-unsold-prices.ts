import type { Db } from '../../platform/database/database';
import { type Conversion, convertPrices, type Currency, ratesByCurrency } from './convert-price';
import {
  findExchangeRates,
  findTenantsWithSellingCurrency,
  type TenantWithSellingCurrency,
} from './exchange-rate.repository';
import {
  findPlatformPrices,
  findPriceRanges,
  findScopedTourIds,
  type PlatformPrices,
} from './platform-prices.repository';
import type { Prices } from '../parties/party-rules';
import { staysSellable } from './quote-tenant-price';
import { saleFinder } from './selling-currency';

/** A tour with prices that a tenant does not sell, because they become 0 or too large in its selling currency. */
export interface UnsoldPrices {
  tenant: string;
  tour: string;
  /** The currency of the tour. */
  currency: string;
  sellIn: string;
  /** Units of `sellIn` for one unit of `currency`. */
  rate: number;
  /** YYYY-MM-DD. The day of the rate. */
  rateDate: string;
  /** The number of its open departures with such a price, plus one for its base price. */
  prices: number;
}

/** A tenant, and the function that finds its conversion of a tour's prices. Undefined: it converts none, or a rate is missing. */
interface Seller {
  tenant: TenantWithSellingCurrency;
  conversionOf: (tour: Currency) => Conversion | undefined;
}

const TOURS_A_PAGE = 500;
const ALL_TOURS = { all: true, tourIds: [], continents: [] };

/**
 * Finds the published tours that a tenant does not sell at some of their prices, whether the tenant sees them or not: their base prices,
 * and the prices of their open departures. Leaves out prices that only a price rule makes too large. Looks at no further page of tours once
 * it has found `limit`.
 */
export async function findUnsoldPrices(db: Db, limit: number): Promise<UnsoldPrices[]> {
  const rates = ratesByCurrency(await findExchangeRates(db));
  const ranges = await findPriceRanges(db);
  const sellers = (await findTenantsWithSellingCurrency(db))
    .map((tenant): Seller => {
      const saleOf = saleFinder(tenant, rates);
      return { tenant, conversionOf: (tour) => saleOf(tour)?.conversion ?? undefined };
    })
    .filter(({ conversionOf }) =>
      ranges.some(({ currency, digits, lowest, highest }) => {
        const conversion = conversionOf({ currency, currencyDigits: digits });
        // The conversion keeps the order of prices, so it is enough to check both ends of the range.
        return isUnsold({ lowest, highest }, conversion);
      }),
    );
  const found = new Map<string, UnsoldPrices>();
  let after: string | undefined;
  while (sellers.length > 0 && found.size < limit) {
    const tourIds = await findScopedTourIds(db, ALL_TOURS, after, TOURS_A_PAGE);
    for (const priced of await findPlatformPrices(db, tourIds, []))
      for (const seller of sellers) addUnsoldPrices(found, priced, seller);
    if (tourIds.length < TOURS_A_PAGE) break;
    after = tourIds.at(-1);
  }
  return [...found.values()].slice(0, limit);
}

function isUnsold(prices: Prices, conversion: Conversion | undefined): boolean {
  return conversion !== undefined && !staysSellable(prices, convertPrices(prices, conversion));
}

function addUnsoldPrices(
  found: Map<string, UnsoldPrices>,
  { tour, prices, count }: PlatformPrices,
  { tenant, conversionOf }: Seller,
): void {
  const conversion = conversionOf(tour);
  if (!conversion || !isUnsold(prices, conversion)) return;
  const key = `${tenant.slug} ${tour.slug}`;
  const { rate, rateDate } = conversion;
  found.set(key, {
    tenant: tenant.slug,
    tour: tour.slug,
    currency: tour.currency,
    sellIn: tenant.sellIn,
    rate,
    rateDate,
    prices: (found.get(key)?.prices ?? 0) + count,
  });
}
