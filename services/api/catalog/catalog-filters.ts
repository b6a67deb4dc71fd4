/** A value of a field and the number of tours that have it. */
export interface CountedValue {
  value: string;
  tours: number;
}

/** The values by which a tenant's catalog can be filtered. */
export interface CatalogFilters {
  continents: CountedValue[];
  countries: CountedValue[];
  tags: CountedValue[];
  /** The shortest and the longest tour; null if the tenant sees no tour. */
  durationMin: number | null;
  durationMax: number | null;
  /** The first and the last date of an open departure, YYYY-MM-DD; null if there is no open departure. */
  departsFrom: string | null;
  departsTo: string | null;
}
