import type { PricedCatalogTour } from '../catalog/list-catalog';
import { toMajor } from '../money/currency';
import type { Tenant } from '../tenants/tenant';
import { linkOf, pictureOf } from './embed-card';
import { regionName } from './place-name';

/**
 * The list as schema.org knows it (JSON-LD): an ItemList of TouristTrip, each with an Offer at the tenant's price of one adult.
 * Short on purpose, since it says once more what the cards say.
 * @param baseUrl where pictures of ours are served
 */
export function structuredData(
  items: PricedCatalogTour[],
  tenant: Tenant,
  { locale, baseUrl }: { locale: string; baseUrl: string },
): object {
  return {
    '@context': 'https://schema.org',
    '@type': 'ItemList',
    itemListElement: items.map((item, index) => ({
      '@type': 'ListItem',
      position: index + 1,
      item: trip(item, tenant, locale, baseUrl),
    })),
  };
}

function trip({ tour, quote }: PricedCatalogTour, tenant: Tenant, locale: string, baseUrl: string): object {
  const picture = pictureOf(tour.imageUrl) ?? undefined;
  return {
    '@type': 'TouristTrip',
    name: tour.name,
    url: linkOf(tenant, tour.slug) ?? undefined,
    image: picture?.startsWith('data:') ? undefined : picture?.replace(/^\.\./, baseUrl),
    itinerary: { '@type': 'Country', name: regionName(tour.country, locale) },
    offers: {
      '@type': 'Offer',
      price: toMajor(quote.tenant.adult, tour.currencyDigits),
      priceCurrency: tour.currency,
    },
  };
}
