/** The columns of a tour that an import writes. A file has a field for each, except for derived columns. */
export const STORED_TOUR_COLUMNS = [
  ...['slug', 'name', 'name_folded', 'continent', 'country', 'duration_days', 'currency', 'currency_digits'],
  ...['base_price_minor', 'summary', 'description', 'image_url', 'images', 'tags', 'time_zone', 'status'],
  ...[
    'group_size_max',
    'languages',
    'start_location',
    'end_location',
    'itinerary',
    'inclusions',
    'exclusions',
  ],
  'cancellation_policy',
];
export const STORED_DEPARTURE_COLUMNS = [
  ...['departure_date', 'return_date', 'seats_total', 'prices_minor', 'status', 'closes_at'],
];

const DERIVED = ['name_folded', 'currency_digits', 'base_price_minor'];
/** The columns with the same name in a file. */
export const TOUR_FIELDS = STORED_TOUR_COLUMNS.filter((column) => !DERIVED.includes(column));

/** Builds the JSON object of a departure's row, with times in UTC and milliseconds. */
export function departureJson(row: string): string {
  return `json_build_object('departure_date', ${row}.departure_date, 'return_date', ${row}.return_date,
    'seats_total', ${row}.seats_total, 'prices_minor', ${row}.prices_minor, 'status', ${row}.status,
    'closes_at', to_char(${row}.closes_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))`;
}

/** A tour's row as JSON. */
export type TourJson = Record<string, unknown> & { currency_digits: number; base_price_minor: number };

export interface DepartureJson {
  departure_date: string;
  return_date: string | null;
  seats_total: number;
  prices_minor: Partial<Record<PriceCategory, number>>;
  status: string;
  closes_at: string | null;
}

export const PRICE_CATEGORIES = ['adult', 'child', 'single_supplement'] as const;
type PriceCategory = (typeof PRICE_CATEGORIES)[number];
