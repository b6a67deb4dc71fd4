import { CLOCK, type Db } from '../../../platform/database';
import type { DepartureRow, OfTour, Stored, TourRow } from './stored-rows';

const TOUR_COLUMNS: (keyof Stored<TourRow>)[] = [
  'id',
  'slug',
  'name',
  'name_folded',
  'continent',
  'country',
  'duration_days',
  'currency',
  'currency_digits',
  'base_price_minor',
  'summary',
  'description',
  'image_url',
  'images',
  'tags',
  'time_zone',
  'status',
  'group_size_max',
  'languages',
  'start_location',
  'end_location',
  'itinerary',
  'inclusions',
  'exclusions',
  'cancellation_policy',
];

export async function findToursBySlugs(db: Db, slugs: string[]): Promise<Stored<TourRow>[]> {
  return db('tours').select(TOUR_COLUMNS).whereRaw('slug = any(?)', [slugs]);
}

/** The next tours in the order of their slugs. */
export async function findToursAfter(db: Db, slug: string, limit: number): Promise<Stored<TourRow>[]> {
  return db('tours').select(TOUR_COLUMNS).where('slug', '>', slug).orderBy('slug').limit(limit);
}

/** All departures of these tours, past ones too, in the order of their dates. */
export async function findDeparturesOfTours(
  db: Db,
  tourIds: string[],
): Promise<OfTour<Stored<DepartureRow>>[]> {
  const rows = await db('departures')
    .select(
      'id',
      'tour_id',
      'departure_date',
      'return_date',
      'seats_total',
      'prices_minor',
      'status',
      'closes_at',
    )
    .whereRaw('tour_id = any(?)', [tourIds])
    .orderBy(['tour_id', 'departure_date']);
  return rows.map((row: OfTour<Stored<DepartureRow>> & { closes_at: Date | null }) => ({
    ...row,
    closes_at: row.closes_at?.toISOString() ?? null,
  }));
}

/** Published and draft tours with other slugs than these. */
export async function findOtherTours(db: Db, slugs: string[]): Promise<{ id: string; slug: string }[]> {
  return db('tours')
    .select('id', 'slug')
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

/** Which of these departures have holds or unpaid leads whose time is over, though nobody wrote that down yet. */
export async function findDeparturesWithExpired(db: Db, departureIds: string[]): Promise<string[]> {
  const { rows } = await db.raw(
    `${CLOCK} select d.id from clock, unnest(?::uuid[]) as d(id)
     where exists (select from seat_holds h
                   where h.departure_id = d.id and hold_lapsed(h.status, h.expires_at, clock.at))
        or exists (select from booking_leads l
                   where l.departure_id = d.id and lead_lapsed(l.status, l.payment_due_at, clock.at))
     order by d.id`,
    [departureIds],
  );
  return rows.map((row: { id: string }) => row.id);
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
  return new Map(
    rows.map(
      (row: {
        id: string;
        seats_taken: number;
        referred: boolean;
        past: boolean;
        booking_refs: string[];
      }) => [
        row.id,
        {
          seatsTaken: row.seats_taken,
          referred: row.referred,
          past: row.past,
          bookingRefs: row.booking_refs,
        },
      ],
    ),
  );
}
