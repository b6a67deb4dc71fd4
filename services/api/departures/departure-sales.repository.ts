import { CLOCK, type Db, type Trx } from '../../platform/database/database';
import { describeRow, selected, time } from '../../platform/database/row-description';
import type { EventDeparture, EventLead, Subscriber } from '../../webhook-queue/enqueue-delivery';
import type { Departure } from './departure';
import { DEPARTURE_ROW } from './departure-row';
import { RESOURCES_COUNTED_UNTIL, TOUR_RESOURCES_COUNTED_UNTIL } from '../resources/counted-trips';
import { START_TIME } from '../catalog/start-time';
import { CLOSES_EARLY_AT, HAS_CUTOFF, PAST_FROM, pastAt } from '../catalog/departure-state';

// The SQL for the holds and bookings of departures: marks expired ones, finds out how long a count of seats is valid, and lists the
// tenants that a change of a departure concerns.

/** An expired hold, as the `hold.expired` event shows it. */
export interface ExpiredHold {
  id: string;
  tenantId: string;
  externalRef: string | null;
  seats: number;
  departureDate: string;
  /** HH:MM; null: none. */
  departureTime: string | null;
  expiresAt: Date;
}

const EXPIRED_HOLD = describeRow<ExpiredHold>({
  id: selected('h.id'),
  tenantId: selected('h.tenant_id'),
  externalRef: selected('h.external_ref'),
  seats: selected('h.seats'),
  departureDate: selected('d.departure_date'),
  departureTime: selected(START_TIME),
  expiresAt: time('h.expires_at'),
});

/** Marks the holds of the departures that expired at `at` or before, and returns them. */
export async function markExpiredHolds(trx: Trx, departureIds: string[], at: string): Promise<ExpiredHold[]> {
  const { rows } = await trx.raw(
    `update seat_holds h set status = 'expired', ended_at = h.expires_at
     from departures d join tours t on t.id = d.tour_id
     where h.departure_id = any(:departureIds::uuid[]) and d.id = h.departure_id
       and hold_lapsed(h.status, h.expires_at, :at)
     returning ${EXPIRED_HOLD.select}`,
    { departureIds, at },
  );
  return rows.map(EXPIRED_HOLD.read);
}

/** The data of an event about an expired lead `l`. */
const EXPIRED_LEAD = describeRow<EventLead>({
  tenantId: selected('l.tenant_id'),
  bookingRef: selected('l.booking_ref'),
  leadId: selected('l.id'),
  externalRef: selected('l.external_ref'),
  customer: {
    name: selected('l.customer_name'),
    phone: selected('l.customer_phone'),
    email: selected('l.customer_email'),
  },
  departureDate: selected('l.departure_date'),
  departureTime: selected(
    `(select ${START_TIME} from departures d join tours t on t.id = d.tour_id where d.id = l.departure_id)`,
  ),
  // As toMajor divides.
  totalPrice: selected('l.total_minor::float8 / 10::float8 ^ l.currency_digits'),
  updatedAt: time('l.updated_at'),
  refund: selected('null'),
  reduction: selected('null'),
});

/**
 * Marks the unpaid leads of the departures whose payment was due at `at` or before, and returns them.
 * @param departureIds null: the leads without a departure
 */
export async function markExpiredLeads(
  trx: Trx,
  departureIds: string[] | null,
  at: string,
): Promise<EventLead[]> {
  const { rows } = await trx.raw(
    `update booking_leads l set status = 'expired', expired_at = payment_due_at
     where ${departureIds === null ? 'departure_id is null' : 'departure_id = any(:departureIds::uuid[])'}
       and lead_lapsed(status, payment_due_at, :at)
     returning ${EXPIRED_LEAD.select}`,
    { ...(departureIds !== null && { departureIds }), at },
  );
  return rows.map(EXPIRED_LEAD.read);
}

/** Returns the departures with expired holds or leads to mark, in id order; null stands for leads without a departure. */
export async function findDeparturesWithExpiredSeats(db: Db, limit: number): Promise<(string | null)[]> {
  const { rows } = await db.raw(
    `select departure_id from (
       select h.departure_id from seat_holds h where hold_lapsed(h.status, h.expires_at, statement_timestamp())
       union
       select l.departure_id from booking_leads l
       where lead_lapsed(l.status, l.payment_due_at, statement_timestamp())) expired
     order by departure_id limit :limit`,
    { limit },
  );
  return rows.map((row: { departureId: string | null }) => row.departureId);
}

/** Departures with their seats, and the time until which the count of seats is valid. */
export interface CountedSeats {
  /** The departures of the date, by start time. Empty for a whole tour. */
  departures: Departure[];
  /** The revision of the tour; 0 if there is no such tour. */
  revision: number;
  asOf: Date;
  /** Null: no known expiry, closing time or start will change the count. */
  countedUntil: Date | null;
}

/**
 * Returns the departures of a date and the tour's revision. Also returns the time until which the count of seats is valid: the first
 * instant at which a counted hold or lead expires, or a departure closes or becomes past.
 */
export async function findDeparturesWithHorizon(
  db: Db,
  tourId: string,
  date: string,
  sandbox: boolean,
): Promise<CountedSeats> {
  const { rows } = await db.raw(
    `${CLOCK} select ${DEPARTURE_ROW.select}, t.revision, least(
         (select min(h.expires_at) from seat_holds h
          where h.departure_id = d.id and h.sandbox = :sandbox and hold_lives(h.status, h.expires_at, clock.at)),
         (select min(l.payment_due_at) from booking_leads l
          where l.departure_id = d.id and l.sandbox = :sandbox and lead_is_unpaid(l.status, l.payment_due_at, clock.at)),
         ${RESOURCES_COUNTED_UNTIL},
         case when ${CLOSES_EARLY_AT} > clock.at then ${CLOSES_EARLY_AT} end,
         case when not ${pastAt('clock.at')}
           then ${PAST_FROM} end
       ) as counted_until
     from clock left join tours t on t.id = :tourId
       left join departures d on d.tour_id = t.id and d.departure_date = :wantedDate::date
     order by start_time`,
    // The binding is not named date, because Knex would replace it in every ::date.
    { tourId, sandbox, wantedDate: date },
  );
  const found = rows.filter(({ id }: { id: string | null }) => id !== null);
  const ends = rows.flatMap(
    ({ countedUntil }: { countedUntil: Date | null }) => countedUntil?.getTime() ?? [],
  );
  return {
    departures: found.map(DEPARTURE_ROW.read),
    revision: rows[0].revision ?? 0,
    asOf: rows[0].asOf,
    countedUntil: ends.length > 0 ? new Date(Math.min(...ends)) : null,
  };
}

/** Returns the tour's revision, and the time until which the counts of all its departures are valid (as in findDeparturesWithHorizon). */
export async function findTourHorizon(db: Db, tourId: string, sandbox: boolean): Promise<CountedSeats> {
  const { rows } = await db.raw(
    `${CLOCK} select coalesce(t.revision, 0) as revision, clock.at as as_of, least(
         (select min(h.expires_at) from departures d join seat_holds h on h.departure_id = d.id
          where d.tour_id = t.id and h.sandbox = :sandbox and hold_lives(h.status, h.expires_at, clock.at)),
         (select min(l.payment_due_at) from departures d join booking_leads l on l.departure_id = d.id
          where d.tour_id = t.id and l.sandbox = :sandbox and lead_is_unpaid(l.status, l.payment_due_at, clock.at)),
         ${TOUR_RESOURCES_COUNTED_UNTIL},
         (select min(${CLOSES_EARLY_AT}) from departures d
          where d.tour_id = t.id and (d.closes_at > clock.at or ${HAS_CUTOFF}) and ${CLOSES_EARLY_AT} > clock.at),
         (select ${PAST_FROM} from departures d
          where d.tour_id = t.id and d.departure_date >= tour_today(t.time_zone, clock.at)
            and not ${pastAt('clock.at')}
          order by d.departure_date, ${START_TIME} limit 1)
       ) as counted_until
     from clock left join tours t on t.id = :tourId`,
    { tourId, sandbox },
  );
  return { departures: [], ...rows[0] };
}

/** A departure that a transaction changes under the departure's lock. */
export interface DepartureChange {
  departureId: string;
  /** The API's names of the changed fields. Null: the departure becomes cancelled; other changes are then not named. */
  changed: string[] | null;
}

/**
 * Returns the departures that concern a subscribed tenant: one row for each changed departure and each subscriber with a live hold or a
 * standing booking on it. Runs as a separate statement after the locks: a statement that also takes the locks would read the holds and
 * bookings as they were before its wait.
 */
export async function findConcernedTenants(
  trx: Trx,
  changes: DepartureChange[],
  subscribers: Subscriber[],
): Promise<(EventDeparture & { sandbox: boolean })[]> {
  const { rows } = await trx.raw(
    `${CLOCK}
     select concerned.tenant_id, n.sandbox, json_build_object('id', t.id, 'slug', t.slug) as tour, d.departure_date,
       ${START_TIME} as departure_time, c.changed, d.updated_at,
       concerned.booking_refs, concerned.bookings_total
     from clock, json_to_recordset(:changes::json) as c ("departureId" uuid, changed text[])
     join departures d on d.id = c."departureId"
     join tours t on t.id = d.tour_id
     cross join lateral (
       select sale.tenant_id, count(sale.booking_ref)::integer as bookings_total,
         coalesce((array_agg(sale.booking_ref order by sale.id) filter (where sale.booking_ref is not null))[1:100], '{}')
           as booking_refs
       from (
         select h.tenant_id, null::bigint as id, null as booking_ref from seat_holds h
         where h.departure_id = d.id and hold_lives(h.status, h.expires_at, clock.at)
         union all
         select l.tenant_id, l.id, l.booking_ref from booking_leads l
         where l.departure_id = d.id and lead_stands(l.status, l.payment_due_at, clock.at)
       ) sale
       join json_to_recordset(:subscribers::json) as s ("tenantId" uuid, type text)
         on s."tenantId" = sale.tenant_id
         and s.type = case when c.changed is null then 'departure.cancelled' else 'departure.updated' end
       group by sale.tenant_id
     ) concerned
     join tenants n on n.id = concerned.tenant_id
     order by d.id, concerned.tenant_id`,
    { changes: JSON.stringify(changes), subscribers: JSON.stringify(subscribers) },
  );
  return rows;
}

/** Counts the live holds on real seats of a departure, and the seats that they hold. */
export async function countLiveHoldsOf(
  db: Db,
  departureId: string,
): Promise<{ holds: number; seats: number }> {
  const { rows } = await db.raw(
    `select count(*)::integer as holds, coalesce(sum(seats), 0)::integer as seats from seat_holds
     where departure_id = :departureId and not sandbox and hold_lives(status, expires_at, clock_timestamp())`,
    { departureId },
  );
  return rows[0];
}
