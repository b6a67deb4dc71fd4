import { toMajor } from '../money/currency';
import type { Quote } from '../pricing/quote-tenant-price';
import type { CatalogItem, TourDetail, TourLocationDto } from './tour.dto';
import type { ListedTour, Tour, TourLocation } from './tour';
import { tenantPricesAnswer } from '../pricing/prices-answer';

/** @param baseUrl where a path of ours, such as a drawn cover, is served */
export function catalogItem(tour: ListedTour, quote: Quote, baseUrl: string): CatalogItem {
  return {
    id: tour.id,
    slug: tour.slug,
    name: tour.name,
    summary: tour.summary,
    continent: tour.continent,
    country: tour.country,
    duration_days: tour.durationDays,
    image_url: absoluteUrl(tour.imageUrl, baseUrl),
    tags: tour.tags,
    currency: tour.currency,
    price_from: toMajor(quote.tenant.adult, tour.currencyDigits),
    next_departure_date: tour.nextDepartureDate,
    updated_at: tour.updatedAt.toISOString(),
  };
}

export function tourDetail(tour: Tour, quote: Quote, baseUrl: string): TourDetail {
  return {
    ...catalogItem(tour, quote, baseUrl),
    description: tour.description,
    itinerary: tour.itinerary.map(({ day, title, description }) => ({
      day,
      title,
      description: description ?? null,
    })),
    inclusions: tour.inclusions,
    exclusions: tour.exclusions,
    images: tour.images.map(({ url, alt }) => ({ url: absoluteUrl(url, baseUrl)!, alt: alt ?? null })),
    languages: tour.languages,
    start_location: locationAnswer(tour.startLocation),
    end_location: locationAnswer(tour.endLocation),
    time_zone: tour.timeZone,
    group_size_max: tour.groupSizeMax,
    cancellation_policy: tour.cancellationPolicy,
    tenant_prices: tenantPricesAnswer(quote, tour.currencyDigits),
  };
}

function absoluteUrl(url: string | null, baseUrl: string): string | null {
  return url?.startsWith('/') ? baseUrl + url : url;
}

function locationAnswer(location: TourLocation | null): TourLocationDto | null {
  return location && { name: location.name, lat: location.lat ?? null, lng: location.lng ?? null };
}
