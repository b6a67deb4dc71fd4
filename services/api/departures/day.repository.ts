import { CLOCK, type Db } from '../../platform/database/database';
import { START_TIME } from '../catalog/start-time';
import { NOT_PAST } from './departure.repository';

/** A departure that the cancellation of a day concerns. */
export interface DepartureOfDay {
  id: string;
  tour: { id: string; slug: string };
  /** HH:MM. Null: none. */
  departureTime: string | null;
  /** The standing bookings, and their seats. */
  bookings: number;
  seats: number;
}

export interface DayFilter {
  /** YYYY-MM-DD, the local date of each tour. */
  date: string;
  continent?: string;
  /** UUIDs. Undefined: the departures of all tours. */
  tourIds?: string[];
  /**
   * True: bookings will be cancelled too. Then also finds cancelled departures that have standing bookings, and counts bookings of the
   * sandbox, which are cancelled too but need no notice.
   */
  cancelsBookings: boolean;
}

/**
 * Returns the departures of a date that are scheduled and have not left, closed ones included, by id.
 * @rule which departures the cancellation of a day takes: test/cli/cancel-day.long.test.ts
 */
export async function findDeparturesOfDay(
  db: Db,
  { date, continent, tourIds, cancelsBookings }: DayFilter,
): Promise<DepartureOfDay[]> {
  const { rows } = await db.raw(
    `${CLOCK}
     select d.id, t.id as tour_id, t.slug as tour_slug, ${START_TIME} as departure_time, standing.*
     from departures d join tours t on t.id = d.tour_id cross join clock
       cross join lateral (
         select count(*)::integer as bookings, coalesce(sum(l.seats), 0)::integer as seats from booking_leads l
         where l.departure_id = d.id and lead_stands(l.status, l.payment_due_at, clock.at)
           and (:cancelsBookings or not l.sandbox)) standing
     where d.departure_date = :day::date
       and (:continent::text is null or t.continent = :continent)
       and (:tourIds::uuid[] is null or t.id = any(:tourIds::uuid[]))
       and ${NOT_PAST} and (d.status = 'scheduled' or :cancelsBookings and standing.bookings > 0)
     order by d.id`,
    {
      day: date,
      continent: continent ?? null,
      tourIds: tourIds ?? null,
      cancelsBookings,
    } as Record<string, unknown> as Record<string, string>,
  );
  return rows.map(({ tourId, tourSlug, ...departure }: DepartureOfDayRow) => ({
    ...departure,
    tour: { id: tourId, slug: tourSlug },
  }));
}

type DepartureOfDayRow = Omit<DepartureOfDay, 'tour'> & { tourId: string; tourSlug: string };
