import type { components } from '@tour-platform/client';

/** The answers of the platform that the pages show. */
type Schemas = components['schemas'];
export type CatalogItem = Schemas['CatalogItem'];
export type Filters = Schemas['CatalogFiltersAnswer'];
export type Tour = Schemas['TourDetail'];
export type Departure = Schemas['DepartureItem'];
export type Availability = Schemas['AvailabilityAnswer'];
export type Booking = Schemas['BookingDetail'];
