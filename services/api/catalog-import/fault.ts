/** Where in which file something stands: lines count from 1, places of a JSON array from 0. */
export interface Place {
  file: string;
  line?: number;
  index?: number;
  /** Path of the field, such as `departures[2].prices.adult`; empty for the whole. */
  field: string;
}

/** What is wrong there and what was expected; never an exception, so that a file's faults are told all at once. */
export interface Fault extends Place {
  message: string;
}

/** The place of a part, written as it is appended: `.slug`, `[2]`. */
export function partOf(place: Place, part: string): Place {
  const field = place.field + part;
  return { ...place, field: field.startsWith('.') ? field.slice(1) : field };
}

export function faultAt(place: Place, part: string, message: string): Fault {
  return { ...partOf(place, part), message };
}

/** In the order of the files, as they were given, and of the places in them. */
export function inFileOrder(faults: Fault[], files: string[]): Fault[] {
  const position = (fault: Fault) => fault.line ?? fault.index ?? -1;
  return [...faults].sort(
    (a, b) => files.indexOf(a.file) - files.indexOf(b.file) || position(a) - position(b),
  );
}
