import type { components, TourPlatform } from '@tour-platform/client';

/** The answers of the platform that the pages show. */
type Schemas = components['schemas'];
export type CatalogItem = Schemas['CatalogItem'];
export type Filters = Schemas['CatalogFiltersAnswer'];
export type Tour = Schemas['TourDetail'];
export type Category = Schemas['Category'];
export type Departure = Schemas['DepartureItem'];
export type Availability = Schemas['AvailabilityAnswer'];
export type Booking = Schemas['BookingDetail'];
export type CancellationPolicy = Schemas['CancellationPolicy'];
export type CancellationQuote = Schemas['CancellationQuote'];

/** Returns all upcoming departures of a tour: the platform sends at most 366 in an answer. */
export async function upcomingDepartures(platform: TourPlatform, tour: string): Promise<Departure[]> {
  const departures: Departure[] = [];
  let cursor: string | undefined;
  do {
    const { data } = await platform.GET('/api/tenant/tours/{id_or_slug}/departures', {
      params: { path: { id_or_slug: tour }, query: { limit: 366, cursor } },
    });
    departures.push(...data.items);
    cursor = data.next_cursor ?? undefined;
  } while (cursor);
  return departures;
}
