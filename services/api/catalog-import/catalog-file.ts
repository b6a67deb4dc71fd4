import type { Place } from './issue';

/** The extension of a catalog file decides its format. */
export const CATALOG_FILE_TYPES = ['.json', '.jsonl', '.csv'] as const;

/** One tour or departure of a file: any JSON value, not yet checked. */
export interface CatalogRecord {
  place: Place;
  value: unknown;
  /** A line of a departures file, which names its tour in `tour_slug`. Otherwise the record is a tour. */
  isDeparture?: boolean;
  /** SHA-256 of a tour's text in a JSON file, hexadecimal. */
  digest?: string;
  /** The tour is stored like this entry. `value` is parsed only if it is read. */
  unchanged?: UnchangedEntry;
}

/** A tour that an earlier import found or made equal to an entry with the same digest, and that was not changed since. */
export interface UnchangedEntry {
  slug: string;
  /** Number of departures in the entry. */
  departures: number;
}

/** Finds unchanged entries by their digests. */
export type FindUnchanged = (digests: string[]) => Promise<Map<string, UnchangedEntry>>;

/** Progress of an import: bytes of the files while it reads, rows while it compares and writes. */
export interface ImportProgress {
  phase: 'reading' | 'comparing' | 'writing';
  done: number;
  of: number;
}

export type WatchImport = (progress: ImportProgress) => void;
