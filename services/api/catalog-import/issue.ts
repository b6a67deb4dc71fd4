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

/** Keeps at most this many issues; only counts the rest. */
const MOST_LISTED = 1000;

/** Accumulates the issues of an import in bounded memory. */
export interface IssueList {
  add(issues: Issue[]): void;
  /** Returns the number of all issues, listed or not. */
  count(): number;
  /** Returns the first issues found, in the order of the files and of the positions in them. */
  listed(): Issue[];
}

/** @param files in the order they were given */
export function createIssueList(files: string[]): IssueList {
  const kept: Issue[] = [];
  let count = 0;
  const position = ({ line, index }: Issue) => line ?? index ?? -1;
  return {
    add(issues) {
      count += issues.length;
      kept.push(...issues.slice(0, MOST_LISTED - kept.length));
    },
    count: () => count,
    listed: () =>
      [...kept].sort((a, b) => files.indexOf(a.file) - files.indexOf(b.file) || position(a) - position(b)),
  };
}

/** Formats a position for a message: "tours.json, index 3". */
export function describePlace({ file, line, index }: Place, field = ''): string {
  const place = line === undefined ? `index ${index}` : `line ${line}`;
  return [file, place, field].filter((word) => word !== '').join(', ');
}
