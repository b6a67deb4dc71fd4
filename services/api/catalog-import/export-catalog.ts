import type { Db } from '../../platform/database/database';
import { cutoffOf } from '../catalog/cutoff';
import { START_TIME } from '../catalog/start-time';
import { type TranslatedFields, translateFields } from '../catalog/tour-text';
import { DEFAULT_CATEGORIES } from '../parties/category';
import { TOUR_FIELDS } from './catalog-schema';

/** A tour or departure with the names and units of a catalog file. */
export type FileEntry = Record<string, unknown>;

/** Returns the SQL that converts minor to major units. A floating point division gives the number nearest to the exact value. */
export const major = (minor: string, tour: string) =>
  `${minor}::float8 / 10::float8 ^ ${tour}.currency_digits`;

/** Returns the SQL that builds the entry of a tour as JSON, without departures. @param row SQL: the alias of the tour's row */
export function tourJson(row: string): string {
  const fields = Object.keys(TOUR_FIELDS).map((field) => {
    const value = field === 'base_price' ? major(`${row}.base_price_minor`, row) : `${row}.${field}`;
    return `'${field}', ${value}`;
  });
  return `json_build_object(${fields.join()})`;
}

/** Returns the SQL that builds the entry of a departure as JSON, with its own start time. Instants are in UTC, with milliseconds. */
export function departureJson(row: string, tour: string): string {
  return `json_build_object('departure_date', ${row}.departure_date, 'start_time', ${row}.start_time, 'return_date', ${row}.return_date,
    'seats_total', ${row}.seats_total, 'prices', ${pricesJson(row, tour)}, 'status', ${row}.status,
    'closes_at', to_char(${row}.closes_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
    'closes_before', ${row}.closes_before, 'uses', ${row}.uses)`;
}

/** Returns the SQL of the prices of a departure: one for each category of the tour, or null. */
function pricesJson(row: string, tour: string): string {
  const priceOf = (code: string) => major(`(${row}.prices_minor->>${code})`, tour);
  const defaults = DEFAULT_CATEGORIES.map(({ code }) => `'${code}', ${priceOf(`'${code}'`)}`);
  // Names the default categories, because a subquery for each departure would make a large export slower.
  return `case when ${tour}.categories is null then json_build_object(${defaults.join()}) else
    (select json_object_agg(category->>'code', ${priceOf("(category->>'code')")} order by place)
     from jsonb_array_elements(${tour}.categories) with ordinality as listed (category, place)) end`;
}

/** Returns the fields of a tour that a catalog file has, without its departures. */
export async function exportTour(db: Db, id: string): Promise<FileEntry> {
  const { rows }: { rows: { tour: FileEntry }[] } = await db.raw(
    `select ${tourJson('t')} as tour from tours t where t.id = ?`,
    [id],
  );
  return rows[0]!.tour;
}

/** Returns all resources as entries of a catalog file, by code. */
export async function exportResources(db: Db): Promise<FileEntry[]> {
  const { rows }: { rows: { resource: FileEntry & { turnaround: number } }[] } = await db.raw(
    `select json_build_object('code', code, 'name', name, 'kind', kind, 'places', places, 'units', units,
       'turnaround', turnaround, 'time_zone', time_zone, 'phone', phone, 'email', email) as resource
     from resources order by code`,
  );
  return rows.map(({ resource }) => ({ ...resource, turnaround: cutoffOf(resource.turnaround) }));
}

/** Returns all pickup points as entries of a catalog file, by code. */
export async function exportPickupPoints(db: Db): Promise<FileEntry[]> {
  const { rows }: { rows: { point: FileEntry }[] } = await db.raw(
    `select json_build_object('code', code, 'name', name, 'address', address, 'lat', lat, 'lng', lng, 'directions', directions,
       'google_place_id', google_place_id, 'translations', translations) as point
     from pickup_points order by code`,
  );
  return rows.map(({ point }) => point);
}

/** Returns the language tags of all translations. */
export async function exportLanguages(db: Db): Promise<string[]> {
  const { rows }: { rows: { language: string }[] } = await db.raw(
    `select distinct l.tag collate "C" as language from tours t cross join lateral jsonb_object_keys(t.translation_names) as l (tag) order by 1`,
  );
  return rows.map(({ language }) => language);
}

/** A tour with texts that are not translated. */
export interface UntranslatedTour {
  slug: string;
  name: string;
  /** The names of the texts. */
  missing: string[];
}

/**
 * Yields the published tours and drafts with texts that a visitor of this language would see in the tour's own language, by slug.
 * @param language a language tag
 */
export async function* findUntranslated(db: Db, language: string): AsyncGenerator<UntranslatedTour> {
  for (let last = ''; ;) {
    const { rows }: { rows: { tour: NamedTour }[] } = await db.raw(
      `select ${tourJson('t')} as tour from tours t where t.slug > ? and t.status <> 'archived' order by t.slug limit ?`,
      [last, TOURS_A_CHUNK] as string[],
    );
    for (const { tour } of rows) {
      const { missing } = translateFields(tour, language);
      if (missing.length > 0) yield { slug: tour.slug, name: tour.name, missing };
    }
    if (rows.length < TOURS_A_CHUNK) return;
    last = rows.at(-1)!.tour.slug;
  }
}

interface NamedTour extends TranslatedFields {
  slug: string;
  name: string;
}

const TOURS_A_CHUNK = 200;

/**
 * Yields every tour, of any status, as an entry of a catalog file, by slug. Empty fields are null, so that an import of the file makes each
 * tour and departure equal to its entry. Reads the departures of each tour as one JSON array: with two million departures as separate rows,
 * the driver took three times as long.
 * @param db a transaction of isolation level repeatable read, so that all entries show one state of the catalog
 */
export async function* exportCatalog(db: Db): AsyncGenerator<FileEntry> {
  for (let last: unknown = ''; ;) {
    const { rows }: { rows: { tour: FileEntry; departures: FileEntry[] | null }[] } = await db.raw(
      `select ${tourJson('t')} as tour,
         (select json_agg(${departureJson('d', 't')} order by d.departure_date, ${START_TIME}) from departures d where d.tour_id = t.id)
           as departures
       from tours t where t.slug > ? order by t.slug limit ?`,
      [last, TOURS_A_CHUNK] as string[],
    );
    for (const { tour, departures } of rows) yield { ...tour, departures: departures ?? [] };
    if (rows.length < TOURS_A_CHUNK) return;
    last = rows.at(-1)!.tour.slug;
  }
}
