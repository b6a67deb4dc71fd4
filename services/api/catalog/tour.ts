export const TOUR_STATUSES = ['published', 'draft', 'archived'] as const;
export type TourStatus = (typeof TOUR_STATUSES)[number];

/** What lists show of a published tour of the central catalog. Prices are minor units of its currency. */
export interface ListedTour {
  id: string;
  slug: string;
  name: string;
  nameFolded: string;
  summary: string | null;
  continent: string;
  country: string;
  durationDays: number;
  currency: string;
  currencyDigits: number;
  basePriceMinor: number;
  imageUrl: string | null;
  tags: string[];
  updatedAt: Date;
  /** The first date that can still be booked, whatever its seats; YYYY-MM-DD. */
  nextDepartureDate: string | null;
  /** Until then, by the database's clock; null where there is none. */
  nextDepartureUntil: Date | null;
}

/** The whole of it. */
export interface Tour extends ListedTour {
  description: string | null;
  images: TourImage[];
  languages: string[];
  /** IANA name: "past" and "today" of its departures are judged there. */
  timeZone: string;
  groupSizeMax: number | null;
  startLocation: TourLocation | null;
  endLocation: TourLocation | null;
  itinerary: ItineraryDay[];
  inclusions: string[];
  exclusions: string[];
  cancellationPolicy: string | null;
  /** Grows with every change made in the terminal. */
  revision: number;
}

export interface TourImage {
  url: string;
  alt?: string;
}

export interface TourLocation {
  name: string;
  lat?: number;
  lng?: number;
}

export interface ItineraryDay {
  day: number;
  title: string;
  description?: string;
}
