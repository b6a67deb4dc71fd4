import type { Prices } from '../pricing/prices';
import type { ItineraryDay, TourImage, TourLocation, TourStatus } from '../catalog/tour';

/** What an import may write of a tour, by its columns. */
export interface TourRow {
  slug: string;
  name: string;
  name_folded: string;
  continent: string;
  country: string;
  duration_days: number;
  currency: string;
  currency_digits: number;
  base_price_minor: number;
  summary: string | null;
  description: string | null;
  image_url: string | null;
  images: TourImage[];
  tags: string[];
  time_zone: string;
  status: TourStatus;
  group_size_max: number | null;
  languages: string[];
  start_location: TourLocation | null;
  end_location: TourLocation | null;
  itinerary: ItineraryDay[];
  inclusions: string[];
  exclusions: string[];
  cancellation_policy: string | null;
}

/** What is stored; whether one can be booked depends on the clock and its seats too. */
export const DEPARTURE_ROW_STATUSES = ['scheduled', 'cancelled'] as const;
export type DepartureRowStatus = (typeof DEPARTURE_ROW_STATUSES)[number];

/** What an import may write of a departure, by its columns. */
export interface DepartureRow {
  departure_date: string;
  return_date: string | null;
  seats_total: number;
  prices_minor: Prices;
  status: DepartureRowStatus;
  /** RFC 3339, UTC, milliseconds. */
  closes_at: string | null;
}

export type Stored<Row> = Row & { id: string };
/** A departure with the tour it belongs to. */
export type OfTour<Row> = Row & { tour_id: string };
