import type { Card } from './embed-card';
import type { Surroundings } from './embed-document';

/** One page of the list, as it is to be shown. */
export interface TourPage extends Surroundings {
  tenantName: string;
  cards: Card[];
  /** JSON-LD of the same tours. */
  structuredData: object;
  /** Slugs. */
  continents: string[];
  filter: { continent?: string; q?: string };
  /** What every link repeats: the pass, and the settings of the embedding page. Never the token. */
  kept: Record<string, string>;
  isFirst: boolean;
  nextCursor: string | null;
}
