import type { OtherList } from './cut-json';

/** The extension of a catalog file decides its format. */
export const CATALOG_FILE_TYPES = ['.json', '.jsonl', '.csv'] as const;

/** One tour or departure of a file: any JSON value, not yet checked. */
export interface CatalogRecord {
  place: Place;
  value: unknown;
  /** A line of a departures file, which names its tour in `tour_slug`. Otherwise the record is a tour. */
  isDeparture?: boolean;
  /** The list of `{"resources": […]}` or of a line `{"resource": {…}}`, and as these for pickup points. Absent: a tour or a departure. */
  list?: OtherList;
  /** SHA-256 of a tour's text in a JSON file, hexadecimal. */
  digest?: string;
  /** Defined if the stored tour is equal to this entry. The entry is then parsed only when `value` is read. */
  unchanged?: UnchangedEntry;
}

/**
 * An entry with a stored digest. An earlier import made the tour equal to the entry, or found it equal. Nothing has changed the tour since.
 */
export interface UnchangedEntry {
  slug: string;
  /** Number of departures in the entry. */
  departures: number;
}

/** Finds unchanged entries by their digests. */
export interface KnownDigests {
  /** Digests the text of one tour in a JSON file, without the white space around it; hexadecimal. */
  digestOf: (text: string) => string;
  findUnchanged: (digests: string[]) => Promise<Map<string, UnchangedEntry>>;
}

/** The progress of an import: in bytes of the files while it reads, in rows while it compares and writes. */
export interface ImportProgress {
  phase: 'reading' | 'comparing' | 'writing';
  done: number;
  of: number;
}

export type WatchImport = (progress: ImportProgress) => void;

/** A position in a catalog file: lines count from 1, entries of a JSON array from 0. */
export interface Place {
  file: string;
  line?: number;
  index?: number;
}

/** An error in a catalog file, with the expected value. Never thrown, so that one import lists all issues of its files. */
export interface Issue extends Place {
  /** Path of the field, such as `departures[2].prices.adult`; empty for the whole entry. */
  field: string;
  message: string;
}

/** Warns of a complete last line without a line break. Some programs write no last line break, so it does not prove that the file is cut. */
export const NO_LINE_BREAK =
  'does not end with a line break: check that this last line of the file is complete';

/** The most issues that are kept. Further issues are only counted. */
const LISTED_MAX = 1000;

export type IssueList = ReturnType<typeof createIssueList>;

/**
 * Creates a list that collects the issues of an import in bounded memory.
 * @param files in the order they were given
 */
export function createIssueList(files: string[]) {
  const kept: Issue[] = [];
  const warnings: Issue[] = [];
  let count = 0;
  const position = ({ line, index }: Issue) => line ?? index ?? -1;
  return {
    add(issues: Issue[]): void {
      count += issues.length;
      kept.push(...issues.slice(0, LISTED_MAX - kept.length));
    },
    /** Adds what may be wrong, but does not refuse the import. */
    warn(warning: Issue): void {
      if (warnings.length < LISTED_MAX) warnings.push(warning);
    },
    warnings: () => warnings,
    /** Returns the number of all issues, listed or not. */
    count: () => count,
    /** Returns the first issues found, in the order of the files and of the positions in them. */
    listed: () =>
      [...kept].sort((a, b) => files.indexOf(a.file) - files.indexOf(b.file) || position(a) - position(b)),
  };
}

/** Formats a position for a message: "tours.json, index 3". */
export function describePlace({ file, line, index }: Place, field = ''): string {
  const place = line === undefined ? `index ${index}` : `line ${line}`;
  return [file, place, field].filter((word) => word !== '').join(', ');
}
