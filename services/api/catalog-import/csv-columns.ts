import { DEPARTURE, TOUR } from './tour-shape';

/** Makes of a cell's text what JSON would hold. What it cannot make stays text, and the field's check says what it wants. */
export type Column = (cell: string) => unknown;

export const TOUR_OF_DEPARTURE = 'tour_slug';

/** More digits than a floating point number keeps are no price. */
const NUMBER = /^-?\d{1,15}(\.\d{1,6})?$/;

const asText: Column = (cell) => cell;
const asNumber: Column = (cell) => (NUMBER.test(cell) ? Number(cell) : cell);
const asList: Column = (cell) => cell.split('|').map((item) => item.trim());
const asJson: Column = (cell) => {
  try {
    return JSON.parse(cell);
  } catch {
    return cell;
  }
};

const LOCATION = { name: asText, lat: asNumber, lng: asNumber };

export const TOUR_COLUMNS = columns(Object.keys(TOUR), {
  duration_days: asNumber,
  base_price: asNumber,
  group_size_max: asNumber,
  tags: asList,
  languages: asList,
  inclusions: asList,
  exclusions: asList,
  // Lists of objects have no better form in one cell.
  images: asJson,
  itinerary: asJson,
  start_location: LOCATION,
  end_location: LOCATION,
});

export const DEPARTURE_COLUMNS = columns([TOUR_OF_DEPARTURE, ...Object.keys(DEPARTURE)], {
  seats_total: asNumber,
  prices: { adult: asNumber, child: asNumber, single_supplement: asNumber },
});

function columns(
  fields: string[],
  kinds: Record<string, Column | Record<string, Column>>,
): Record<string, Column> {
  const entries = fields.flatMap((field): [string, Column][] => {
    const kind = kinds[field] ?? asText;
    if (typeof kind === 'function') return [[field, kind]];
    return Object.entries(kind).map(([part, column]) => [`${field}.${part}`, column]);
  });
  return Object.fromEntries(entries);
}
