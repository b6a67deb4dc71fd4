import type { Trx } from '../../platform/database';

/** Counts the tenant's live holds of all departures. */
export async function countLiveHolds(trx: Trx, tenantId: string, at: string): Promise<number> {
  const { rows } = await trx.raw(
    `select count(*)::integer as holds from seat_holds
     where tenant_id = :tenantId and hold_lives(status, expires_at, :at)`,
    { tenantId, at },
  );
  return rows[0].holds;
}

/** Counts the tenant's standing unpaid bookings, with or without a date. */
export async function countUnpaidLeads(trx: Trx, tenantId: string): Promise<number> {
  const { rows } = await trx.raw(
    `select count(*)::integer as leads from booking_leads
     where tenant_id = :tenantId and status = 'pending_payment'
       and lead_stands(status, payment_due_at, statement_timestamp())`,
    { tenantId },
  );
  return rows[0].leads;
}

/** Counts the seats of a departure in the tenant's live holds and unpaid bookings. */
export async function countUnpaidSeats(
  trx: Trx,
  tenantId: string,
  departureId: string,
  at: string,
): Promise<number> {
  const { rows } = await trx.raw(
    `select (
       coalesce((select sum(h.quantity) from seat_holds h
                 where h.departure_id = :departureId and h.tenant_id = :tenantId
                   and hold_lives(h.status, h.expires_at, :at)), 0)
       + coalesce((select sum(l.adults) from booking_leads l
                   where l.departure_id = :departureId and l.tenant_id = :tenantId
                     and l.status = 'pending_payment' and lead_stands(l.status, l.payment_due_at, :at)), 0)
     )::integer as seats`,
    { tenantId, departureId, at },
  );
  return rows[0].seats;
}
