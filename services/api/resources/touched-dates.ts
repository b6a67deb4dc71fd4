import { runPrepared, type Db } from '../../platform/database/database';

/** A date of another departure whose free seats a change of a departure may change. */
export interface TouchedDate {
  /** The changed departure. */
  departureId: string;
  tourId: string;
  /** YYYY-MM-DD */
  date: string;
}

/**
 * Selects the dates of the departures that share a trip with one of the departures `:departureIds`, or whose trips meet its time on a resource.
 * Leaves out the departures themselves and those before yesterday.
 * @rule which other departures a change of seats touches: test/resources/operate-resources.test.ts
 */
export const TOUCHED_DATES = `
  select distinct mine.departure_id, d.tour_id, d.departure_date as date
  from departure_uses mine
    join resources r on r.id = mine.resource_id
    -- The uses at its time, with the turnaround before or after.
    join departure_uses near on near.resource_id = mine.resource_id and near.during
      && tstzrange(lower(mine.during) - make_interval(mins => r.turnaround), upper(mine.during) + make_interval(mins => r.turnaround))
    -- Their trips, which may be longer.
    join departure_uses touched on touched.resource_id = near.resource_id and touched.trip = near.trip
    join departures d on d.id = touched.departure_id
  where mine.departure_id = any(:departureIds::uuid[]) and d.id <> mine.departure_id
    and d.status = 'scheduled' and d.departure_date >= (now() at time zone 'UTC')::date - 1`;

/** Returns the dates that the departures touch. */
export async function findTouchedDates(db: Db, departureIds: string[]): Promise<TouchedDate[]> {
  const { rows } = await runPrepared<TouchedDate>(db, TOUCHED_DATES, { departureIds });
  return rows;
}
