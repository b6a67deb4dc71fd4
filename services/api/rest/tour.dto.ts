import type { CancellationPolicy } from '../catalog/cancellation-policy';
import type { Category } from '../parties/category';
import type { PickupOfferAnswer } from '../pickups/pickup-answer';
import type { Question } from '../questions/question';
import type { TenantPricesAnswer } from '../pricing/price-categories';
import type { TourSummary } from './tour-summary';

/** One tour of a list, with the tenant's price. */
export interface CatalogItem extends TourSummary {
  /** When the tour, its departures, or the tenant's rules for it changed last. RFC 3339, UTC. */
  updated_at: string;
}

/** A tour that the tenant does not see any more. Only with `updated_since`. */
export interface RemovedItem {
  id: string;
  slug: string;
  removed: true;
}

export interface CatalogPage {
  items: (CatalogItem | RemovedItem)[];
  /** Pass as `cursor` for the next page; null at the end. */
  next_cursor: string | null;
  /**
   * Only with `updated_since`. RFC 3339, UTC; the same on all pages of a list. Pass it as `updated_since` next time, and no change is
   * missed. If the catalog has not changed for long, this time is long ago.
   */
  as_of?: string;
}

export interface CountedValueAnswer {
  /** @example "asia" */
  value: string;
  /**
   * Number of tours with this value.
   * @isInt
   * @example 12
   */
  tours: number;
}

export interface DurationRangeAnswer {
  /**
   * Days of the shortest tour; null if there is no tour.
   * @isInt
   * @example 1
   */
  min: number | null;
  /**
   * Days of the longest tour; null if there is no tour.
   * @isInt
   * @example 21
   */
  max: number | null;
}

export interface DateRangeAnswer {
  /** YYYY-MM-DD: the first date that is open for booking; null if there is none. */
  from: string | null;
  /** YYYY-MM-DD: the last date that is open for booking; null if there is none. */
  to: string | null;
}

/** The values by which the catalog can be filtered, of the tours that the tenant sees. */
export interface CatalogFiltersAnswer {
  /** @example [{"value": "asia", "tours": 12}] */
  continents: CountedValueAnswer[];
  /**
   * ISO 3166 alpha-2.
   * @example [{"value": "VN", "tours": 3}]
   */
  countries: CountedValueAnswer[];
  /** @example [{"value": "kayak", "tours": 2}] */
  tags: CountedValueAnswer[];
  duration_days: DurationRangeAnswer;
  departures: DateRangeAnswer;
}

export interface TourImageAnswer {
  /** @example "https://images.example.com/ha-long-kayak.jpg" */
  url: string;
  alt: string | null;
}

export interface TourLocationAnswer {
  /**
   * The place where the tour begins or ends.
   * @example "Tuan Chau Marina"
   */
  name: string;
  lat: number | null;
  lng: number | null;
}

export interface ItineraryDayAnswer {
  /** @isInt */
  day: number;
  /** @example "Hanoi to Tuan Chau" */
  title: string;
  /** @example "By coach to the marina, then on board." */
  description: string | null;
}

export interface TourDetail extends CatalogItem {
  description: string | null;
  itinerary: ItineraryDayAnswer[];
  inclusions: string[];
  exclusions: string[];
  images: TourImageAnswer[];
  languages: string[];
  start_location: TourLocationAnswer | null;
  end_location: TourLocationAnswer | null;
  /** IANA name. */
  time_zone: string;
  /** @isInt */
  group_size_max: number | null;
  /** The operator's own words about cancellations. */
  cancellation_policy: string | null;
  /** The refund of a cancellation. Null: not stated. */
  cancellation: CancellationPolicy | null;
  /**
   * Departures close so long before their start, unless they have a closing time of their own (`closes_at` of a departure). Minutes, hours,
   * or calendar days in the tour's time zone. `0m`: they close at their start.
   * @example "36h"
   */
  booking_cutoff: string;
  /** Local time, HH:MM, at which departures without a start time of their own begin. Null: the tour has no such time. */
  start_time: string | null;
  /** The price categories, in the order of the operator. `price_from` and the deposit mean the first one. */
  categories: Category[];
  /** The questions that a booking answers, in the order of the operator. Empty: nothing is asked. */
  questions: Question[];
  /** Where the tour fetches its guests. Null: nowhere. */
  pickup: PickupOfferAnswer | null;
  tenant_prices: TenantPricesAnswer;
}
