import type { Db } from '../../services/platform/database/database';
import {
  daysFromToday,
  givenDeparture,
  givenTour,
  type GivenTour,
  type TourOverrides,
  unique,
} from './given';

/** A use of a resource, as `uses` of a tour or a departure has it. */
export interface GivenUse {
  resource: string;
  shared?: boolean;
  minutes?: number;
  before?: string;
  after?: string;
}

interface GivenResource {
  kind?: string;
  places?: number;
  units?: number;
  /** Minutes. */
  turnaround?: number;
}

/** Inserts a resource. @returns its code, which is unique */
export async function givenResource(db: Db, resource: GivenResource = {}): Promise<string> {
  const code = unique('boat');
  await db('resources').insert({ code, name: 'Boat Maria', ...resource });
  return code;
}

/** Lets a tour use resources. */
export async function givenUses(db: Db, tour: { id: string }, uses: GivenUse[]): Promise<void> {
  await db('tours')
    .where({ id: tour.id })
    .update({ uses: JSON.stringify(uses) });
}

/** Closes units of a resource from one instant to another, without a check. @param units undefined: all units */
export async function givenClosing(
  db: Db,
  code: string,
  { from, to, units = null }: { from: string; to: string; units?: number | null },
): Promise<void> {
  await db('resource_closings').insert({
    resource_id: db('resources').where({ code }).select('id'),
    during: db.raw('tstzrange(?::timestamptz, ?::timestamptz)', [from, to]),
    units,
    reason: 'Engine broken',
    created_by: 'operator',
  });
}

/** A tour with one departure. */
export interface GivenTrip {
  tour: GivenTour;
  date: string;
  /** The id of the departure. */
  id: string;
}

/** Creates a tour of one day with one departure, by default in 40 days with 12 seats, that uses resources. */
export async function givenTrip(
  db: Db,
  uses: GivenUse[],
  {
    startTime,
    seats = 12,
    date = daysFromToday(40),
    ...tourOverrides
  }: TourOverrides & { startTime?: string; seats?: number; date?: string } = {},
): Promise<GivenTrip> {
  const tour = await givenTour(db, { durationDays: 1, ...tourOverrides });
  if (uses.length > 0) await givenUses(db, tour, uses);
  await givenDeparture(db, tour, { date, startTime, seats });
  const { id } = await db('departures').where({ tour_id: tour.id }).first('id');
  return { tour, date, id };
}

/** Returns the seats that the resources of the departure leave, as the database counts them. Null: they limit none. */
export async function leftByResources(db: Db, { id }: GivenTrip, sandbox = false): Promise<number | null> {
  const { rows } = await db.raw<{ rows: [{ leaves: number | null }] }>(
    'select leaves from count_seats_of_resources(?, ?, clock_timestamp())',
    [id, sandbox],
  );
  return rows[0].leaves;
}
