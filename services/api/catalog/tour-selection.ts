export type CatalogSort = 'name' | 'next_departure_date';

/** Conditions for the tours of a list. Each one that is defined must hold. */
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

/** The place of a tour in a list: by name, or by next departure. */
export interface PagePosition {
  nameFolded?: string;
  id?: string;
  /** next_departure_key() of migration 0016. */
  sortKey?: string;
  /** The clock reading of the first page, by which the next departures of all pages are chosen. */
  at?: string;
  /** readAsOf() of the first page of changes. */
  asOf?: string;
  /** All changed tours are listed, and the removed tours up to this id. */
  removedUpTo?: string;
}
