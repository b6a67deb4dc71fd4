import type { PricedCatalogTour } from '../catalog/list-catalog';
import { toMajor } from '../pricing/currency';
import type { Tenant } from '../tenants/tenant';
import { pictureOf } from './embed-cards';
import { formatsOf, type Locale } from './locale-formats';
import { tourLink } from './widget-tour';

/**
 * Returns the list as JSON-LD of schema.org: an ItemList of TouristTrip, each with an Offer at the tenant's price of one
 * adult. Short, because it repeats the cards.
 * @param baseUrl address of our own pictures
 */
export function structuredData(
  items: PricedCatalogTour[],
  tenant: Tenant,
  { locale, baseUrl }: { locale: Locale; baseUrl: string },
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

function trip({ tour, quote }: PricedCatalogTour, tenant: Tenant, locale: Locale, baseUrl: string): object {
  const picture = pictureOf(tour.imageUrl) ?? undefined;
  return {
    '@type': 'TouristTrip',
    name: tour.name,
    url: tourLink(tenant, tour.slug) ?? undefined,
    image: picture?.replace(/^\.\./, baseUrl),
    itinerary: { '@type': 'Country', name: formatsOf(locale).region(tour.country) },
    offers: {
      '@type': 'Offer',
      price: toMajor(quote.tenant.adult, tour.currencyDigits),
      priceCurrency: tour.currency,
    },
  };
}
