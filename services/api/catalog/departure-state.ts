import { START_TIME, startTimeOf } from './start-time';

// SQL about a departure `d` and its tour. Each rule is a function of the database (0141_closing_and_cancellation.sql); its arguments stand
// here alone.

const closing = (tour: string) =>
  `d.closes_at, coalesce(d.closes_before, ${tour}.booking_cutoff), ${tour}.time_zone`;

/** Returns the condition that the departure can be booked at an instant, whether it has free seats or not. @param tour the tour's alias */
export function openAt(at: string, tour = 't'): string {
  return `departure_is_open(d.status, d.departure_date, ${startTimeOf(tour)}, ${closing(tour)}, ${at})`;
}

/** Returns the condition that the departure has started or, if it has no start time, its date has ended. */
export function pastAt(at: string, tour = 't'): string {
  return `departure_is_past(d.departure_date, ${startTimeOf(tour)}, ${tour}.time_zone, ${at})`;
}

/** The first instant at which the departure `d` of the tour `t` cannot be booked. */
export const SALES_END_AT = `departure_closes_at(d.departure_date, ${startTimeOf('t')}, ${closing('t')})`;

/** The instant before its start at which the departure `d` of the tour `t` closes. Null: it closes at its start or the end of its date. */
export const CLOSES_EARLY_AT = `departure_closes_early_at(d.departure_date, ${startTimeOf('t')}, ${closing('t')})`;

/** The condition that a cut-off decides when the departure `d` of the tour `t` closes. Costs less than the instant. */
export const HAS_CUTOFF = '(d.closes_at is null and coalesce(d.closes_before, t.booking_cutoff) is not null)';

/** The first instant at which the departure `d` of the tour `t` is past. */
export const PAST_FROM = `departure_past_at(d.departure_date, ${startTimeOf('t')}, t.time_zone)`;

/** The dated tiers of the policy of the tour, hold or booking `row`, for the departure `d` of the tour `t`. Null: not stated, or no date. */
export function datedTiers(row: string): string {
  // The function is called only for a stated policy, because PostgreSQL calls it for each row.
  return `case when ${row}.cancellation is not null
    then dated_tiers(${row}.cancellation, d.departure_date, ${START_TIME}, t.time_zone) end`;
}

/**
 * Returns the condition that a departure has holds or leads to mark as expired at `clock.at`. False for a person who may not write them: the
 * sweeper marks them. @param id an SQL expression
 */
export function somethingExpired(id: string): string {
  return `((exists (select from seat_holds h where h.departure_id = ${id} and hold_lapsed(h.status, h.expires_at, clock.at))
    or exists (select from booking_leads l where l.departure_id = ${id} and lead_lapsed(l.status, l.payment_due_at, clock.at)))
    and has_any_column_privilege('seat_holds', 'update'))`;
}
