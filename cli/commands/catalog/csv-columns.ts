/** Describes the columns of both CSV files for the help; a test compares the names with those that an import reads. */
export const CSV_COLUMN_HELP = {
  tours: {
    slug: 'required; 2 to 63 of a-z, 0-9 and inner dashes',
    name: 'required',
    continent: 'required; a lower-case slug: south-america',
    country: 'required; ISO 3166: DE',
    duration_days: 'required; 1 to 366',
    currency: 'required; ISO 4217: EUR',
    base_price: 'required; with a decimal point: 1299.50',
    summary: 'one line',
    description: 'paragraphs',
    image_url: 'https, or a path that begins with /',
    images: 'JSON: [{"url": "https://…", "alt": "…"}]',
    tags: 'separated by |',
    time_zone: 'IANA name: Europe/Berlin; UTC if empty',
    status: 'published (if empty), draft or archived',
    group_size_max: 'a whole number',
    languages: 'separated by |',
    'start_location.name': 'a place',
    'start_location.lat': '-90 to 90',
    'start_location.lng': '-180 to 180',
    'end_location.name': 'a place',
    'end_location.lat': '-90 to 90',
    'end_location.lng': '-180 to 180',
    itinerary: 'JSON: [{"day": 1, "title": "…"}]',
    inclusions: 'separated by |',
    exclusions: 'separated by |',
    cancellation_policy: 'paragraphs',
    start_time: 'a local time: 09:30',
  },
  departures: {
    tour_slug: 'required; the slug of the tour',
    departure_date: 'required; YYYY-MM-DD',
    seats_total: 'required; 1 to 100000',
    'prices.adult': 'required; in the currency of the tour',
    'prices.child': 'a price',
    'prices.single_supplement': 'a price',
    return_date: 'YYYY-MM-DD',
    status: 'scheduled (if empty) or cancelled',
    closes_at: 'a time with its zone (RFC 3339)',
  },
};

/** Returns the columns as the end of a help text. */
export function describeCsvColumns(): string {
  const width = Math.max(
    ...Object.values(CSV_COLUMN_HELP).flatMap((columns) => Object.keys(columns).map((name) => name.length)),
  );
  const list = (columns: Record<string, string>) =>
    Object.entries(columns)
      .map(([name, about]) => `  ${name.padEnd(width)}  ${about}`)
      .join('\n');
  return [
    'Columns of a CSV file of tours; an empty cell keeps the stored value:',
    list(CSV_COLUMN_HELP.tours),
    '',
    'Columns of a CSV file of departures:',
    list(CSV_COLUMN_HELP.departures),
    '',
    'tourctl catalog export --out tours.csv writes both files with these columns.',
  ].join('\n');
}
