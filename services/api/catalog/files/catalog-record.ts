import type { Place } from './fault';

/** One tour or departure as a file has it: whatever JSON can say, not yet checked. */
export interface CatalogRecord {
  place: Place;
  value: unknown;
  /** A line of a departures file, which names its tour in `tour_slug`; else a tour. */
  isDeparture?: boolean;
}
