/** The page's own words in one language. What stands in the catalog is shown in the catalog's language. */
export interface Words {
  tours: string;
  search: string;
  continents: string;
  all: string;
  from: string;
  nextDeparture: string;
  /** In place of a next departure. */
  noDates: string;
  nextPage: string;
  firstPage: string;
  /** With {count} in it; so written that the number needs no plural. */
  shown: string;
  loading: string;
  nothing: string;
  nothingHint: string;
  /** The same search without the chosen continent. */
  everywhere: string;
  showAll: string;
  /** A tenant without a single tour. */
  empty: string;
  emptyHint: string;
  failed: string;
  retry: string;
  /** What to do, by the answer's status; the last resort is 500. */
  advice: Record<400 | 401 | 403 | 429 | 500, string>;
  offline: string;
}
