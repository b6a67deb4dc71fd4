import { COUNTED_USES, LOCKED_RESOURCES } from '../../resources/counted-trips';
import { TOUCHED_DATES } from '../../resources/touched-dates';
import type { SeatChange } from '../seat-change';
import { type FactList, tenantsCounting } from './fact-lists';

// The lists of facts about the resources that a transaction has locked. None is read if it has locked none.

/** Selects the resources that the transaction has locked. */
export function resources(resourceIds: string[]): FactList {
  return {
    isWanted: resourceIds.length > 0,
    sql: LOCKED_RESOURCES,
    values: { resourceIds },
  };
}

/**
 * Selects the uses of the resources that may decide about the departures, with their seats.
 * @param kinds as `departures` has it
 */
export function uses(resourceIds: string[], departureIds: string[], kinds: boolean[]): FactList {
  return {
    isWanted: resourceIds.length > 0,
    sql: COUNTED_USES,
    values: { resourceIds, departureIds, kinds },
  };
}

/** Selects the dates of other departures that a change of the departures touches, so that a sale needs no statement more for them. */
export function touchedDates(resourceIds: string[], departureIds: string[]): FactList {
  return {
    isWanted: resourceIds.length > 0,
    sql: TOUCHED_DATES,
    values: { departureIds },
  };
}

/** Counts the trips without a booking of the tenants' live holds, without those of the desk, if the transaction locks resources. */
export function holdTrips(changes: SeatChange[], resourceIds: string[]): FactList {
  const tripTenants = tenantsCounting(changes, 'hold');
  return {
    isWanted: resourceIds.length > 0 && tripTenants.length > 0,
    sql: `
      select w.tenant_id, (
        select count(distinct (u.resource_id, u.trip))
        from (
          select distinct held.departure_id, held.sandbox from seat_holds held
          where held.tenant_id = w.tenant_id and not held.by_desk and hold_lives(held.status, held.expires_at, clock.at)
        ) h join departure_uses u on u.departure_id = h.departure_id
        where not exists (
            select from departure_uses other join booking_leads l on l.departure_id = other.departure_id
            where other.resource_id = u.resource_id and other.during && u.during and other.trip = u.trip and l.sandbox = h.sandbox
              and lead_stands(l.status, l.payment_due_at, clock.at))) as count
      from unnest(:tripTenants::uuid[]) as w (tenant_id)`,
    values: { tripTenants },
  };
}
