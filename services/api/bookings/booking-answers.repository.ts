import { CLOCK, type Trx } from '../../platform/database/database';
import type { ChangedFields } from '../audit/changed-fields';
import type { BookedPickup } from '../pickups/pickup';
import type { Actor } from '../tenants/actor';
import { pastAt } from '../catalog/departure-state';
import { START_TIME } from '../catalog/start-time';

/** A booking whose answers were checked. */
export interface CheckedAnswers {
  leadId: number;
  /** True: it stands, its departure is to come, and a required answer is missing. */
  lacksAnswers: boolean;
}

/**
 * Marks the bookings of which answers are due: three calendar days before the start of their departure. Skips those that another transaction has
 * locked. A booking that does not stand stays unmarked until its departure is past, because it may be confirmed.
 * @rule when missing answers are announced: test/cli/questions.test.ts
 */
export async function checkDueAnswers(trx: Trx, limit: number): Promise<CheckedAnswers[]> {
  const { rows } = await trx.raw<{ rows: CheckedAnswers[] }>(
    `${CLOCK}, due as (
       select a.lead_id, clock.at, a.missing > 0 and place.stands and not place.past as lacks_answers
       from clock, booking_answers a join booking_leads l on l.id = a.lead_id
         join departures d on d.id = l.departure_id join tours t on t.id = d.tour_id
         cross join lateral (select lead_stands(l.status, l.payment_due_at, clock.at) as stands, ${pastAt('clock.at')} as past) place
       where a.checked_at is null
         and (place.past or (place.stands and clock.at >= instant_before_start(d.departure_date, ${START_TIME}, '3d', t.time_zone)))
       order by a.lead_id limit :limit
       for no key update of a skip locked
     )
     update booking_answers a set checked_at = due.at from due where a.lead_id = due.lead_id
     returning a.lead_id, due.lacks_answers`,
    { limit },
  );
  return rows;
}

/** Erases the answers, and the point or place at which guests are fetched. */
const ERASED = `answers = '[]', missing = 0, pickup = pickup || '{"chosen": null}'`;

/** Erases the answers of bookings. */
export async function eraseAnswersOfLeads(trx: Trx, leadIds: number[]): Promise<void> {
  await trx.raw(`update booking_answers set ${ERASED} where lead_id = any(:leadIds::bigint[])`, {
    leadIds,
  });
}

/** Selects the date of return of a departure `d` of the tour `t`. */
const RETURN_DATE = 'coalesce(d.return_date, d.departure_date + t.duration_days - 1)';
/** Matches the travellers of a lead `l` of whom one has a note (0166_questions.sql). */
const HAS_NOTES = "jsonb_path_exists(l.travellers, '$[*].note \\? (@ != null)')";

/** Erases the answers of up to `limit` bookings whose travellers returned more than `days` days ago. Returns their number. */
export async function eraseLateAnswers(trx: Trx, days: number, limit: number): Promise<number> {
  const { rowCount } = await trx.raw<{ rowCount: number }>(
    `with late as (
       select a.lead_id from booking_answers a join booking_leads l on l.id = a.lead_id
         join departures d on d.id = l.departure_id join tours t on t.id = d.tour_id
       where (a.answers <> '[]' or a.pickup -> 'chosen' <> 'null') and ${RETURN_DATE} < (statement_timestamp() at time zone 'UTC')::date - :days::integer
       order by a.lead_id limit :limit
       for no key update of a skip locked
     )
     update booking_answers a set ${ERASED} from late where a.lead_id = late.lead_id`,
    { days, limit },
  );
  return rowCount;
}

/** Erases the notes of the travellers of up to `limit` bookings, as eraseLateAnswers does. */
export async function eraseLateNotes(trx: Trx, days: number, limit: number): Promise<number> {
  const { rowCount } = await trx.raw<{ rowCount: number }>(
    `with late as (
       select l.id from booking_leads l
         join departures d on d.id = l.departure_id join tours t on t.id = d.tour_id
       where ${HAS_NOTES} and l.departure_date < (statement_timestamp() at time zone 'UTC')::date - :days::integer
         and ${RETURN_DATE} < (statement_timestamp() at time zone 'UTC')::date - :days::integer
       order by l.departure_date limit :limit
       for no key update of l skip locked
     )
     update booking_leads l
     set travellers = (select jsonb_agg(one || '{"note": null}' order by place)
                       from jsonb_array_elements(l.travellers) with ordinality as listed (one, place))
     from late where l.id = late.id`,
    { days, limit },
  );
  return rowCount;
}

/** Erases the pickups of up to `limit` reservations of OCTO, as eraseLateAnswers does. */
export async function eraseLateOctoPickups(trx: Trx, days: number, limit: number): Promise<number> {
  const { rowCount } = await trx.raw<{ rowCount: number }>(
    `with late as (
       select o.hold_id from octo_bookings o join seat_holds h on h.id = o.hold_id
         left join booking_leads l on l.hold_id = o.hold_id
         join departures d on d.id = coalesce(l.departure_id, h.departure_id) join tours t on t.id = d.tour_id
       where o.pickup is not null and o.departure_date < (statement_timestamp() at time zone 'UTC')::date - :days::integer
         and ${RETURN_DATE} < (statement_timestamp() at time zone 'UTC')::date - :days::integer
       order by o.departure_date limit :limit
       for no key update of o skip locked
     )
     update octo_bookings o set pickup = null from late where o.hold_id = late.hold_id`,
    { days, limit },
  );
  return rowCount;
}

/** A booking whose pickup changes. */
export interface RenewedPickup {
  leadId: number;
  pickup: BookedPickup;
  fields: ChangedFields;
}

/** Stores the pickups of bookings and records the changes. The caller has locked their departure and the bookings. */
export async function recordPickups(trx: Trx, renewed: RenewedPickup[], by: Actor): Promise<void> {
  const leadIds = renewed.map(({ leadId }) => leadId);
  await trx.raw(
    `update booking_answers a set pickup = given.pickup::jsonb
     from unnest(:leadIds::bigint[], :pickups::text[]) as given (lead_id, pickup) where a.lead_id = given.lead_id`,
    { leadIds, pickups: renewed.map(({ pickup }) => JSON.stringify(pickup)) },
  );
  await trx.raw(
    `update booking_leads l set updated_at = next_update_of(l, clock_timestamp()) where l.id = any(:leadIds::bigint[])`,
    { leadIds },
  );
  await trx.raw(
    `insert into booking_changes (lead_id, at, by, fields)
     select lead_id, clock_timestamp(), :by, fields::json
     from unnest(:leadIds::bigint[], :fields::text[]) as changed (lead_id, fields)`,
    { leadIds, by, fields: renewed.map(({ fields }) => JSON.stringify(fields)) },
  );
}
