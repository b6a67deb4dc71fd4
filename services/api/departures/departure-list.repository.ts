import { CLOCK, type Db } from '../../platform/database/database';
import { describeRow, selected } from '../../platform/database/row-description';
import { HAS_CUTOFF, SALES_END_AT } from '../catalog/departure-state';
import { START_TIME } from '../catalog/start-time';
import type { DepartureStatus, ListedDeparture } from './departure';
import { DEPARTURE_STATUS, NOT_PAST } from './departure.repository';
import { listedFields } from './departure-row';

/** A departure with its real seats by kind. Together they are its `seatsTaken`. */
export interface CountedDeparture extends ListedDeparture {
  tourSlug: string;
  /** In live holds. */
  seatsHeld: number;
  /** In standing bookings that are not paid. */
  seatsUnpaid: number;
  seatsConfirmed: number;
}

export interface DepartureListFilter {
  /** UUID. Undefined: the departures of all tours. */
  tourId?: string;
  /** The first date, YYYY-MM-DD. By default past departures are left out, except with the status `gone`. */
  from?: string;
  /** The last date. */
  to?: string;
  status?: DepartureStatus;
  /** The code of a resource that the departures use. */
  resource?: string;
  /** The id of the last departure of the previous page. */
  after?: string;
  limit: number;
}

/**
 * The tour of the departure `d`. OFFSET makes the planner look up the tour of each departure. Without OFFSET, the planner uses a join that
 * reads all tours if a date has many departures.
 */
const TOUR_OF_DEPARTURE = 'cross join lateral (select * from tours where id = d.tour_id offset 0) t';

/** The order of the list. A departure without a start time comes first on its date. */
const POSITION = `d.departure_date, coalesce(${START_TIME}, ''), d.id`;

const COUNTED = describeRow<CountedDeparture>({
  ...listedFields('false'),
  tourSlug: selected('t.slug'),
  seatsHeld: selected('holds.held'),
  seatsUnpaid: selected('leads.unpaid'),
  seatsConfirmed: selected('leads.confirmed'),
});

/**
 * Returns departures by date, start time and id, for operators. Reads all departures of a date together, because an index cannot contain
 * the start times of tours. Counts the seats of the departures of one page. If the status depends on seats, counts the seats of further
 * departures until the page is full.
 */
export async function findCountedDepartures(
  db: Db,
  filter: DepartureListFilter,
): Promise<CountedDeparture[]> {
  const { rows } = await db.raw(
    `${CLOCK}, page as materialized (
       select d.id from departures d ${TOUR_OF_DEPARTURE} cross join clock
       where ${conditionsOf(filter).join(' and ')}
       order by ${POSITION} limit :limit)
     select ${COUNTED.select}
     from page join departures d on d.id = page.id join tours t on t.id = d.tour_id cross join clock
       cross join lateral (
         select coalesce(sum(h.seats), 0)::integer as held from seat_holds h
         where h.departure_id = d.id and not h.sandbox and hold_lives(h.status, h.expires_at, clock.at)) holds
       cross join lateral (
         select coalesce(sum(l.seats) filter (where lead_is_unpaid(l.status, l.payment_due_at, clock.at)), 0)::integer as unpaid,
           coalesce(sum(l.seats) filter (where not lead_is_unpaid(l.status, l.payment_due_at, clock.at)), 0)::integer as confirmed
         from booking_leads l
         where l.departure_id = d.id and not l.sandbox and lead_stands(l.status, l.payment_due_at, clock.at)) leads
     order by ${POSITION}`,
    { ...filter, sandbox: false } as Record<string, unknown> as Record<string, string>,
  );
  return rows.map(COUNTED.read);
}

/** Returns whether there is a departure with this id. */
export async function departureExists(db: Db, id: string): Promise<boolean> {
  return (await db('departures').where({ id }).first('id')) !== undefined;
}

/**
 * Returns the SQL of the UTC date plus an offset in days. The date in any time zone is at most one day before or after the UTC date. Uses
 * now(), which lets the planner use an index by date.
 */
const utcDay = (offset: string) => `(now() at time zone 'UTC')::date ${offset}`;

const SCHEDULED = `d.status = 'scheduled' and ${DEPARTURE_STATUS} = :status`;

/**
 * The condition of each status. Compares columns too, so that PostgreSQL can use the index of the cancelled or of the scheduled departures,
 * and counts no seats for departures that are not closed.
 */
const HAVING_STATUS: Record<DepartureStatus, string> = {
  available: SCHEDULED,
  sold_out: SCHEDULED,
  cancelled: "d.status = 'cancelled'",
  gone: `d.departure_date <= ${utcDay('+ 1')} and ${SCHEDULED}`,
  closed: `(d.closes_at <= clock.at or ${HAS_CUTOFF}) and ${SALES_END_AT} <= clock.at and ${SCHEDULED}`,
};

function conditionsOf({ tourId, from, to, status, resource, after }: DepartureListFilter): string[] {
  const conditions = [
    tourId !== undefined && 'd.tour_id = :tourId::uuid',
    from !== undefined && 'd.departure_date >= :from::date',
    from === undefined &&
      status !== 'gone' &&
      `d.departure_date >= ${utcDay('- 1')} and (d.departure_date > ${utcDay('+ 1')} or ${NOT_PAST})`,
    to !== undefined && 'd.departure_date <= :to::date',
    resource !== undefined && USES_RESOURCE,
    after !== undefined && AFTER,
    status !== undefined && HAVING_STATUS[status],
  ];
  const given = conditions.filter((condition) => condition !== false);
  return given.length > 0 ? given : ['true'];
}

const USES_RESOURCE =
  'exists (select from departure_uses u join resources r on r.id = u.resource_id where u.departure_id = d.id and r.code = :resource)';

/** Continues the list after the departure `:after`. The first condition follows from the second one, and can use an index. */
const AFTER = `d.departure_date >= (select departure_date from departures where id = :after::uuid)
  and (${POSITION}) > (select ${POSITION} from departures d join tours t on t.id = d.tour_id where d.id = :after::uuid)`;
