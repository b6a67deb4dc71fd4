import type { Category } from '../parties/category';
import { firstCategory, type Prices } from '../parties/party-rules';
import type { CancellationPolicy } from './cancellation-policy';
import type { CutoffText } from './cutoff';
import type { OfferedPickup } from '../pickups/pickup';
import type { Question } from '../questions/question';
import { isHttpsAddress, isOwnPath, isSlug, isUuid } from '../../platform/forms/text-forms';

export const TOUR_STATUSES = ['published', 'draft', 'archived'] as const;
export type TourStatus = (typeof TOUR_STATUSES)[number];

/** The fields of a published tour that lists show. Prices are in minor units of the tour's currency. */
export interface ListedTour {
  id: string;
  slug: string;
  /** The language tag of the tour's own texts. */
  language: string;
  name: string;
  nameFolded: string;
  summary: string | null;
  continent: string;
  country: string;
  durationDays: number;
  currency: string;
  currencyDigits: number;
  categories: readonly Category[];
  /** The price of one unit of the first category, for a booking without a date. */
  basePriceMinor: number;
  imageUrl: string | null;
  tags: string[];
  updatedAt: Date;
  /** The first date that is open for booking, with or without free seats; YYYY-MM-DD. */
  nextDepartureDate: string | null;
  /** The first time, by the database's clock, at which one of the open departures closes. Null: there is no open departure. */
  firstClosingAt: Date | null;
  /** Null: not stated. */
  cancellation: CancellationPolicy | null;
  /** The time until which the cancellation of a booking of the next open departure refunds in full. Null: it does not, or not any more. */
  fullRefundUntil: Date | null;
  /** The lowest price of the first category for each group of open dates to which the same price rules of the tenant apply. */
  lowestPrices: LowestPrices[];
}

/** The platform's lowest prices of a group of open dates. */
export interface LowestPrices {
  /** The first date of the group, YYYY-MM-DD. */
  date: string;
  /** Each is the lowest of its category, so they may be of different dates. A category without a price on any of the dates is left out. */
  prices: Prices;
}

/** The start times of the open departures on a date, HH:MM, in their order. */
export interface DateTimes {
  /** YYYY-MM-DD */
  date: string;
  times: string[];
}

/** All fields of a published tour. */
export interface Tour extends ListedTour {
  description: string | null;
  images: TourImage[];
  languages: string[];
  /** IANA name. It decides what "past" and "today" mean for the tour's departures. */
  timeZone: string;
  groupSizeMax: number | null;
  startLocation: TourLocation | null;
  endLocation: TourLocation | null;
  itinerary: ItineraryDay[];
  inclusions: string[];
  exclusions: string[];
  cancellationPolicy: string | null;
  /** The questions that the sale asks. Empty: none. */
  questions: readonly Question[];
  /** Where the tour fetches its guests. Null: nowhere. */
  pickup: OfferedPickup | null;
  /** The departures close so long before their start. Null: at their start. */
  bookingCutoff: CutoffText | null;
  /** Local time, HH:MM, at which departures without a start time of their own begin. Null: no fixed time. */
  startTime: string | null;
  /**
   * The start times at which the tour departs: those of the open departures and the tour's own start time, each once, in order. If the tour
   * has no open departure and no start time of its own, the start times of all departures.
   */
  startTimes: string[];
  /** Increases when an operator changes the tour or its departures from the terminal, and when an import changes them. */
  revision: number;
  /** As in ListedTour, with the lowest price of every category. */
  lowestPrices: LowestPrices[];
}

interface TourImage {
  url: string;
  alt?: string;
}

export interface TourLocation {
  name: string;
  lat?: number;
  lng?: number;
  /** The name of this field in the catalog files, because the location is stored as it is imported. Only OCTO shows it. */
  google_place_id?: string;
}

interface ItineraryDay {
  day: number;
  title: string;
  description?: string;
}

/** The id and slug by which other answers name a tour. */
export interface TourRef {
  id: string;
  slug: string;
}

/** The key of a tour in a request. */
export type TourKey = { id: string } | { slug: string };

/**
 * Parses a UUID in any case, or a slug. Returns undefined for any other text. Runs before the query, because
 * `id::text = ? or slug = ?` reads the whole table (20 ms instead of 0.2 ms, for 100,000 tours).
 */
export function tourKey(idOrSlug: string): TourKey | undefined {
  if (isUuid(idOrSlug)) return { id: idOrSlug.toLowerCase() };
  return isSlug(idOrSlug) ? { slug: idOrSlug } : undefined;
}

/** Returns whether the text is a slug that does not look like a UUID. */
export function isTourSlug(text: string): boolean {
  return isSlug(text) && !isUuid(text);
}

/** A tour as operators list it, with any status and visibility. Prices are in minor units of the tour's currency. */
export interface CatalogTour {
  id: string;
  slug: string;
  name: string;
  continent: string;
  country: string;
  status: TourStatus;
  currency: string;
  currencyDigits: number;
  categories: readonly Category[];
  basePriceMinor: number;
  timeZone: string;
  revision: number;
  updatedAt: Date;
  /** The number of departures that are open for booking, with or without free seats. */
  upcomingDepartures: number;
  /** The date of the first open departure, YYYY-MM-DD. */
  nextDepartureDate: string | null;
  /** The platform's lowest price of the first category on the open departures. Without an open departure, the base price. */
  priceFromMinor: number;
}

export interface CatalogTourFilter {
  status?: TourStatus;
  continent?: string;
  /** Folded text to find in the folded name. */
  nameContains?: string;
  /** Id of the last tour of the previous page. Lists are in the order of names. */
  after?: string;
  limit: number;
}

export type CatalogSort = 'name' | 'next_departure_date';

/** Conditions for the tours of a list. A tour is listed if it meets all conditions that are defined. */
export interface TourSelection {
  continent?: string;
  /** ISO 3166 alpha-2. */
  country?: string;
  tag?: string;
  /** The tour has an open departure on one of these dates, both included; YYYY-MM-DD. */
  departsFrom?: string;
  departsTo?: string;
  /** In days, both included. */
  durationMin?: number;
  durationMax?: number;
  /** Folded text to find in the folded name. */
  nameContains?: string;
}

/** The position of a tour in a list by the shown name (`nameFolded`, `id`) or by next departure (`sortKey`, `at`). */
export interface PagePosition {
  nameFolded?: string;
  id?: string;
  /** The sort key of the tour in a list by next departure: the result of next_departure_key() (0105_departures.sql). */
  sortKey?: string;
  /** The time at which the first page was read. All pages of the list show the next departures of this time. */
  at?: string;
  /** The `as_of` of the first page of a list of changes (readAsOf). */
  asOf?: string;
  /** Defined: earlier pages have listed all changed tours, and the removed tours up to this id. */
  removedUpTo?: string;
}

/** Returns the platform's prices of a booking without a date: that of the first category. */
export function basePrices({
  categories,
  basePriceMinor,
}: Pick<ListedTour, 'categories' | 'basePriceMinor'>): Prices {
  return { [firstCategory(categories).code]: basePriceMinor };
}

/** Returns the complete address of a picture. Null: no picture, or an address that is neither https nor a path of this installation. */
export function pictureAddress(url: string | null, baseUrl: string): string | null {
  if (url === null) return null;
  if (isOwnPath(url)) return baseUrl + url;
  return isHttpsAddress(url) ? url : null;
}
