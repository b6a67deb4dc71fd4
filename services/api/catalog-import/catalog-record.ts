import type { Place } from './fault';
import type { KnownTour } from './known-tour';

/** One tour or departure as a file has it: whatever JSON can say, not yet checked. */
export interface CatalogRecord {
  place: Place;
  value: unknown;
  /** A line of a departures file, which names its tour in `tour_slug`; else a tour. */
  isDeparture?: boolean;
  /** Of a tour's text in a JSON file. */
  digest?: string;
  /** It is stored like that: `value` is read only if somebody asks for it. */
  known?: KnownTour;
}
