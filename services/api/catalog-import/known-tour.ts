/** A tour that is stored as an entry of the files has it, by that entry's digest: nobody has written it since it was compared. */
export interface KnownTour {
  slug: string;
  /** In the entry. */
  departures: number;
}

/** Which entries need not be read, by their digests. */
export type Recall = (digests: string[]) => Promise<Map<string, KnownTour>>;
