import type { CatalogTour } from './catalog-tour';
import type { Mood } from './covers/mood';
import type { Scene } from './covers/scene';
import type { Schedule } from './departure-calendar';

type AsInCatalog = Required<
  Pick<
    CatalogTour,
    | 'slug'
    | 'name'
    | 'country'
    | 'currency'
    | 'base_price'
    | 'summary'
    | 'tags'
    | 'time_zone'
    | 'group_size_max'
    | 'languages'
    | 'start_location'
    | 'inclusions'
    | 'exclusions'
  >
> &
  Pick<CatalogTour, 'end_location'>;

/** A demo tour as it is written down here; `demoCatalog` makes a catalog tour with departures of it. */
export interface DemoTour extends AsInCatalog {
  /** Paragraphs. */
  description: string[];
  /** `Title: text` of each day; their number is the duration. */
  itinerary: string[];
  cancellation: CancellationTerms;
  schedule: Schedule;
  rates: Rates;
  /** Places on a departure, where more than one group leaves on the same day. */
  seats?: number;
  cover: Cover;
}

export type CancellationTerms = 'day-tour' | 'flexible' | 'standard' | 'permits' | 'voyage';

/** What a departure costs beside the base price: parts of the adult's price, and the months above and below it. */
interface Rates {
  child?: number;
  single?: number;
  high?: number[];
  low?: number[];
  /** How far high months rise; low ones fall by two thirds of it. */
  swing?: number;
}

interface Cover {
  scene: Scene;
  /** Without it the slug picks one that suits the scene. */
  mood?: Mood;
  /** What stands in the picture, in the words of its scene, e.g. `felucca`. */
  motif?: string;
  alt: string;
}
