import type { DepartureRow, TourRow } from './stored-rows';

/** Columns that an import writes, with their types. */
export const TOUR_TYPES: Record<keyof TourRow, string> = {
  slug: 'text',
  name: 'text',
  name_folded: 'text',
  continent: 'text',
  country: 'text',
  duration_days: 'integer',
  currency: 'text',
  currency_digits: 'smallint',
  base_price_minor: 'bigint',
  summary: 'text',
  description: 'text',
  image_url: 'text',
  images: 'jsonb',
  tags: 'text[]',
  time_zone: 'text',
  status: 'text',
  group_size_max: 'integer',
  languages: 'text[]',
  start_location: 'jsonb',
  end_location: 'jsonb',
  itinerary: 'jsonb',
  inclusions: 'text[]',
  exclusions: 'text[]',
  cancellation_policy: 'text',
};
export const DEPARTURE_TYPES: Record<keyof DepartureRow, string> = {
  departure_date: 'date',
  return_date: 'date',
  seats_total: 'integer',
  prices_minor: 'jsonb',
  status: 'text',
  closes_at: 'timestamptz',
};

export const TOUR_COLUMNS = Object.keys(TOUR_TYPES) as (keyof TourRow)[];
export const DEPARTURE_COLUMNS = Object.keys(DEPARTURE_TYPES) as (keyof DepartureRow)[];
