import type { Db } from '../../platform/database';
import { DEPARTURE_TYPES, TOUR_TYPES } from './stored-columns';

/** Control characters stand in no field, so that no two rows have the same text. */
export const UNIT = '\x1f';
export const WHOLE = '\x1e';
export const NOTHING = '\x01';

/** What some tours of the files speak of. */
export interface Shape {
  /** Columns. */
  tour: string[];
  /** Columns, and `prices.adult`, with commas between; '' for an empty list; undefined: no list at all. */
  departures?: string;
}

/** @returns by slug; `departures` is null of a tour without any */
export async function findDigests(
  db: Db,
  slugs: string[],
  shape: Shape,
  prune: boolean,
): Promise<Map<string, { own: string; departures: string | null }>> {
  const own = shape.tour.map((column) => cell(`t.${column}`, typeOf(TOUR_TYPES, column)));
  const parts = (shape.departures ?? '').split(',').filter(Boolean).map(departureCell);
  const line = parts.length > 0 ? `concat_ws(${UNIT_SQL}, ${parts.join(', ')})` : 'd.id::text';
  const ofDepartures = `(select md5(string_agg(${line}, ${WHOLE_SQL} order by d.departure_date))
                         from departures d where d.tour_id = t.id)`;
  // An archived tour that is in the files of a pruning import is back.
  const standing = prune && !shape.tour.includes('status') ? "and t.status <> 'archived'" : '';
  const { rows } = await db.raw(
    `select t.slug, md5(concat_ws(${UNIT_SQL}, ${own.join(', ')})) as own,
            ${shape.departures === undefined ? 'null' : ofDepartures} as departures
     from tours t where t.slug = any(?) ${standing}`,
    [slugs],
  );
  return new Map(
    rows.map((row: { slug: string; own: string; departures: string | null }) => [row.slug, row]),
  );
}

const [UNIT_SQL, WHOLE_SQL, NOTHING_SQL] = ['chr(31)', 'chr(30)', 'chr(1)'];

function departureCell(name: string): string {
  const [field, category] = name.split('.') as [string, string?];
  if (category) return `coalesce(d.prices_minor->>'${category}', ${NOTHING_SQL})`;
  return cell(`d.${field}`, typeOf(DEPARTURE_TYPES, field));
}

function cell(column: string, type: string): string {
  const text =
    type === 'text[]'
      ? `array_to_json(${column})::text`
      : type === 'timestamptz'
        ? `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
        : `${column}::text`;
  return `coalesce(${text}, ${NOTHING_SQL})`;
}

/** Only columns that are known get into a statement. */
function typeOf(types: Record<string, string>, column: string): string {
  const type = types[column];
  if (type === undefined) throw new Error(`${column} is no column of a catalog file`);
  return type;
}
