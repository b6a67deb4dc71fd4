import { COUNTED_USES, LOCKED_RESOURCES } from '../../resources/counted-trips';
import { TOUCHED_DATES } from '../../resources/touched-dates';
import type { SeatChange } from '../seat-change';
import type { FactList } from './fact-lists';

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

/**
 * Counts the trips without a booking of the tenants' live holds, without those of the desk, if the transaction locks resources. Leaves out a
 * tenant whose holds all are for departures with sold seats: such a hold begins no trip.
 */
export function holdTrips(changes: SeatChange[], resourceIds: string[]): FactList {
  const holding = changes
    .filter(({ reads }) => reads.counted === 'hold')
    .flatMap(({ tenant, locks }) => locks.departureIds.map((departureId) => ({ tenant, departureId })));
  return {
    isWanted: resourceIds.length > 0 && holding.length > 0,
    sql: `
      select w.tenant_id, (
        select count(distinct (u.resource_id, u.trip))
        from (
          select distinct held.departure_id, held.sandbox from seat_holds held
          where held.tenant_id = w.tenant_id and not held.by_desk and hold_lives(held.status, held.expires_at, clock.at)
        ) h join departure_uses u on u.departure_id = h.departure_id
        where not exists (
            select from departure_uses other join booking_leads l on l.departure_id = other.departure_id
            where other.resource_id = u.resource_id and other.trip = u.trip and l.sandbox = h.sandbox
              and lead_stands(l.status, l.payment_due_at, clock.at))) as count
      from (
        select distinct holding.tenant_id
        from unnest(:tripTenants::uuid[], :tripDepartures::uuid[], :tripKinds::boolean[]) as holding (tenant_id, departure_id, sandbox)
          cross join lateral count_seats(holding.departure_id, holding.sandbox, clock.at) as sold
        where sold.taken = 0) w`,
    values: {
      tripTenants: holding.map(({ tenant }) => tenant.id),
      tripDepartures: holding.map(({ departureId }) => departureId),
      tripKinds: holding.map(({ tenant }) => tenant.sandbox),
    },
  };
}
