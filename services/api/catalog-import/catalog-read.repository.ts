import { CLOCK, type Db } from '../../platform/database';
import type { Prices } from '../pricing/prices';
import { TOUR_COLUMNS } from './stored-columns';
import type { DepartureRow, DepartureRowStatus, OfTour, Stored, TourRow } from './stored-rows';

/** With the row's version (its xmin): whether it was changed in between. */
export type Versioned<Row> = Row & { version: string };
export type StoredTourRow = Versioned<Stored<TourRow>>;
export type StoredDepartureRow = Versioned<OfTour<Stored<DepartureRow>>>;

export async function findToursBySlugs(db: Db, slugs: string[]): Promise<StoredTourRow[]> {
  const { rows } = await db.raw(
    `select ${tourJson("'version'", 'xmin::text')} from tours where slug = any(?)`,
    [slugs],
  );
  return rows.map(({ tour }: { tour: StoredTourRow }) => tour);
}

/** The next tours in the order of their slugs. */
export async function findToursAfter(db: Db, slug: string, limit: number): Promise<Stored<TourRow>[]> {
  const { rows } = await db.raw(`select ${tourJson()} from tours where slug > ? order by slug limit ?`, [
    slug,
    limit,
  ]);
  return rows.map(({ tour }: { tour: Stored<TourRow> }) => tour);
}

/** The tour by its columns, as the files name most of them. */
function tourJson(...more: string[]): string {
  const columns = ['id', ...TOUR_COLUMNS].map((column) => `'${column}', ${column}`);
  return `json_build_object(${[...columns, ...more].join(', ')}) as tour`;
}

type DepartureCells = [
  string,
  string,
  string,
  string | null,
  number,
  Prices,
  DepartureRowStatus,
  string | null,
];

/**
 * All departures of these tours by tour, past ones too, in the order of their dates. One row a tour: two million rows by
 * themselves took three times as long in the driver.
 */
export async function findDeparturesOfTours(
  db: Db,
  tourIds: string[],
): Promise<Map<string, StoredDepartureRow[]>> {
  const { rows } = await db.raw(
    `select tour_id, json_agg(json_build_array(
         id, xmin::text, departure_date, return_date, seats_total, prices_minor, status,
         to_char(closes_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) order by departure_date) as departures
     from departures where tour_id = any(?) group by tour_id`,
    [tourIds],
  );
  return new Map(
    rows.map(({ tourId, departures }: { tourId: string; departures: DepartureCells[] }) => [
      tourId,
      departures.map((cells) => toDepartureRow(tourId, cells)),
    ]),
  );
}

function toDepartureRow(tour_id: string, cells: DepartureCells): StoredDepartureRow {
  const [id, version, departure_date, return_date, seats_total, prices_minor, status, closes_at] = cells;
  return { id, tour_id, version, departure_date, return_date, seats_total, prices_minor, status, closes_at };
}

/** Published and draft tours with other slugs than these. */
export async function findOtherTours(
  db: Db,
  slugs: string[],
): Promise<Versioned<{ id: string; slug: string }>[]> {
  return db('tours')
    .select('id', 'slug', db.raw('xmin::text as version'))
    .whereNot('status', 'archived')
    .whereRaw('slug <> all(?)', [slugs])
    .orderBy('slug');
}

export async function findUnknownTimeZones(db: Db, names: string[]): Promise<string[]> {
  const { rows } = await db.raw(
    'select asked.name from unnest(?::text[]) as asked(name) where asked.name not in (select name from pg_timezone_names)',
    [names],
  );
  return rows.map((row: { name: string }) => row.name);
}

/** The date of today in these time zones. */
export async function findToday(db: Db, timeZones: string[]): Promise<{ name: string; date: string }[]> {
  const { rows } = await db.raw(
    'select zone.name, tour_today(zone.name, clock_timestamp()) as date from unnest(?::text[]) as zone(name)',
    [timeZones],
  );
  return rows;
}

/** Which of these tours have live holds or standing leads: somebody was promised a price in their currency. */
export async function findToursInUse(db: Db, tourIds: string[]): Promise<Set<string>> {
  const { rows } = await db.raw(
    `select t.id from unnest(?::uuid[]) as t(id)
     where exists (select from departures d join seat_holds h on h.departure_id = d.id
                   where d.tour_id = t.id and hold_lives(h.status, h.expires_at, clock_timestamp()))
        or exists (select from booking_leads l
                   where l.tour_id = t.id and lead_stands(l.status, l.payment_due_at, clock_timestamp()))`,
    [tourIds],
  );
  return new Set(rows.map((row: { id: string }) => row.id));
}

/** What stands in the way of changing a departure. */
export interface DepartureUse {
  /** Seats of live holds and standing leads. */
  seatsTaken: number;
  /** Some hold or lead, even an ended one, names it: its row must stay. */
  referred: boolean;
  /** Its date is over in the tour's time zone. */
  past: boolean;
  /** Of standing leads, oldest first. */
  bookingRefs: string[];
}

export async function findDepartureUse(db: Db, departureIds: string[]): Promise<Map<string, DepartureUse>> {
  if (departureIds.length === 0) return new Map();
  const { rows } = await db.raw(
    `${CLOCK} select d.id, seats_taken(d.id, clock.at) as seats_taken,
       exists (select from seat_holds h where h.departure_id = d.id)
         or exists (select from booking_leads l where l.departure_id = d.id) as referred,
       d.departure_date < tour_today(t.time_zone, clock.at) as past,
       array(select l.booking_ref from booking_leads l
             where l.departure_id = d.id and l.status in ('pending_payment', 'confirmed')
               and lead_stands(l.status, l.payment_due_at, clock.at) order by l.id) as booking_refs
     from clock, departures d join tours t on t.id = d.tour_id
     where d.id = any(?)`,
    [departureIds],
  );
  return new Map(rows.map(({ id, ...use }: DepartureUse & { id: string }) => [id, use]));
}
