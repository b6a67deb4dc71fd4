import { CLOCK, type Trx } from '../../platform/database';
import type { EventDeparture, Subscriber } from '../../webhook-queue/enqueue-delivery';

/** A departure that a transaction changes under the departure's lock. */
export interface DepartureChange {
  departureId: string;
  /** Wire names of the changed fields; null: the departure becomes cancelled, whatever else changes. */
  changed: string[] | null;
}

/**
 * Returns the subscribers with a live hold or a standing booking on the changed departures, one row for each departure and tenant.
 * Runs after the locks, as findDepartureById.
 */
export async function findConcernedTenants(
  trx: Trx,
  changes: DepartureChange[],
  subscribers: Subscriber[],
): Promise<(EventDeparture & { sandbox: boolean })[]> {
  const { rows } = await trx.raw(
    `${CLOCK}
     select concerned.tenant_id, n.sandbox, json_build_object('id', t.id, 'slug', t.slug) as tour, d.departure_date, c.changed,
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
         where l.departure_id = d.id and l.status in ('pending_payment', 'confirmed')
           and lead_stands(l.status, l.payment_due_at, clock.at)
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
