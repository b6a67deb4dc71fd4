import type { TourStatus } from './tour';

/** A tour as operators list it, whatever its status and whoever may see it. Prices are minor units of its currency. */
export interface CatalogTour {
  id: string;
  slug: string;
  name: string;
  continent: string;
  country: string;
  status: TourStatus;
  currency: string;
  currencyDigits: number;
  basePriceMinor: number;
  timeZone: string;
  revision: number;
  updatedAt: Date;
  /** Departures that can still be booked, whatever their seats. */
  upcomingDepartures: number;
  /** The first of them, YYYY-MM-DD. */
  nextDepartureDate: string | null;
}

export interface CatalogTourFilter {
  status?: TourStatus;
  continent?: string;
  /** Folded text that the folded name contains. */
  nameContains?: string;
  /** Id of the tour behind which it goes on: lists run by name. */
  after?: string;
  limit: number;
}
