/** One entry of a header such as Accept-Language or Accept-Encoding: `de-AT;q=0.8`. */
interface WeightedEntry {
  value: string;
  /** 0 to 1; 0 for an invalid weight. */
  weight: number;
}

/** Limits for the header. Browsers send less than 100 characters and a dozen entries. */
const MOST_CHARACTERS = 500;
const MOST_ENTRIES = 20;

/** Reads the entries of a header with weights (RFC 9110 section 12.4.2), in their order. */
export function readWeightedList(header: string): WeightedEntry[] {
  return header.slice(0, MOST_CHARACTERS).split(',', MOST_ENTRIES).map(readEntry);
}

function readEntry(entry: string): WeightedEntry {
  const [value = '', ...parameters] = entry.split(';').map((part) => part.trim());
  const weight = parameters.find((parameter) => /^q=/i.test(parameter))?.slice(2) ?? '1';
  return { value, weight: Number(weight) || 0 };
}
