import { toMajor } from '../pricing/currency';
import type { Quoter } from '../pricing/quote-tenant-price';
import { assertSellable } from '../catalog/find-tour';
import { priceFrom, type PricedCatalogTour } from '../catalog/list-catalog';
import type { CatalogFilters } from '../catalog/catalog-filters';
import { NO_CUTOFF } from '../catalog/cutoff';
import type {
  CatalogFiltersAnswer,
  CatalogItem,
  RemovedItem,
  TourDetail,
  TourLocationAnswer,
} from './tour.dto';
import { basePrices, pictureAddress, type Tour, type TourLocation, type TourRef } from '../catalog/tour';
import type { ShownLanguages } from '../catalog/tour-text';
import { pickupOfferAnswer } from '../pickups/pickup-answer';
import { tenantPricesAnswer } from '../pricing/price-categories';

/** @param baseUrl the address of this installation, for pictures that this installation serves */
export function catalogItem(priced: PricedCatalogTour, baseUrl: string): CatalogItem {
  const { tour, shown, priceFromMinor, currency, currencyDigits } = priced;
  return {
    id: tour.id,
    slug: tour.slug,
    ...(shown && { lang: shown.name }),
    name: tour.name,
    summary: tour.summary,
    continent: tour.continent,
    country: tour.country,
    duration_days: tour.durationDays,
    image_url: pictureAddress(tour.imageUrl, baseUrl),
    tags: tour.tags,
    currency,
    price_from: toMajor(priceFromMinor, currencyDigits),
    next_departure_date: tour.nextDepartureDate,
    updated_at: tour.updatedAt.toISOString(),
  };
}

export function removedItem({ id, slug }: TourRef): RemovedItem {
  return { id, slug, removed: true };
}

export function filtersAnswer(filters: CatalogFilters): CatalogFiltersAnswer {
  const { continents, countries, tags } = filters;
  return {
    continents,
    countries,
    tags,
    duration_days: { min: filters.durationMin, max: filters.durationMax },
    departures: { from: filters.departsFrom, to: filters.departsTo },
  };
}

/**
 * @param baseUrl as in catalogItem
 * @param shown the languages of the texts, if the request prefers languages
 */
export function tourDetail(tour: Tour, quoter: Quoter, baseUrl: string, shown?: ShownLanguages): TourDetail {
  const quote = assertSellable(quoter(tour, basePrices(tour), null));
  return {
    ...catalogItem({ tour, ...assertSellable(priceFrom(tour, quoter)), shown }, baseUrl),
    description: tour.description,
    itinerary: tour.itinerary.map(({ day, title, description }) => ({
      day,
      title,
      description: description ?? null,
    })),
    inclusions: tour.inclusions,
    exclusions: tour.exclusions,
    images: picturesAnswer(tour.images, baseUrl),
    languages: tour.languages,
    start_location: locationAnswer(tour.startLocation),
    end_location: locationAnswer(tour.endLocation),
    time_zone: tour.timeZone,
    group_size_max: tour.groupSizeMax,
    cancellation_policy: tour.cancellationPolicy,
    cancellation: tour.cancellation,
    booking_cutoff: tour.bookingCutoff ?? NO_CUTOFF,
    start_time: tour.startTime,
    categories: [...tour.categories],
    questions: [...tour.questions],
    pickup: pickupOfferAnswer(tour.pickup, tour.startTime),
    tenant_prices: tenantPricesAnswer(quote),
  };
}

function picturesAnswer(images: Tour['images'], baseUrl: string): TourDetail['images'] {
  return images.flatMap(({ url, alt }) => {
    const address = pictureAddress(url, baseUrl);
    return address === null ? [] : [{ url: address, alt: alt ?? null }];
  });
}

function locationAnswer(location: TourLocation | null): TourLocationAnswer | null {
  return location && { name: location.name, lat: location.lat ?? null, lng: location.lng ?? null };
}
