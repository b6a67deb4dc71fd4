import type { Db, Trx } from '../../platform/database';

/** A hold that ended unused; what a `hold.expired` event tells. */
export interface ExpiredHold {
  id: string;
  tenantId: string;
  externalRef: string | null;
  quantity: number;
  departureDate: string;
  expiresAt: Date;
}

/** A lead that was not paid in time; what a `booking.expired` event tells. */
export interface ExpiredLead {
  id: number;
  tenantId: string;
  bookingRef: string;
  source: string;
  externalRef: string | null;
  customer: { name: string; phone: string; email: string };
  departureDate: string | null;
  totalMinor: number;
  currencyDigits: number;
}

/** Marks the departure's holds whose time was over at `at`. */
export async function markExpiredHolds(trx: Trx, departureId: string, at: string): Promise<ExpiredHold[]> {
  const { rows } = await trx.raw(
    `update seat_holds h set status = 'expired', ended_at = h.expires_at
     from departures d
     where h.departure_id = :departureId and d.id = h.departure_id
       and h.status = 'active' and h.expires_at <= :at
     returning h.id, h.tenant_id, h.external_ref, h.quantity, d.departure_date, h.expires_at`,
    { departureId, at },
  );
  return rows.map((row: Record<string, never>) => ({
    id: row.id,
    tenantId: row.tenant_id,
    externalRef: row.external_ref,
    quantity: row.quantity,
    departureDate: row.departure_date,
    expiresAt: row.expires_at,
  }));
}

/** Marks unpaid leads whose payment window was over at `at`: of one departure, or those that have none. */
export async function markExpiredLeads(
  trx: Trx,
  departureId: string | null,
  at: string,
): Promise<ExpiredLead[]> {
  const { rows } = await trx.raw(
    `update booking_leads set status = 'expired', expired_at = payment_due_at
     where departure_id is not distinct from :departureId::uuid
       and status = 'pending_payment' and payment_due_at <= :at
     returning id, tenant_id, booking_ref, source, external_ref, customer_name, customer_phone, customer_email,
       departure_date, total_minor, currency_digits`,
    { departureId, at },
  );
  return rows.map((row: Record<string, never>) => ({
    id: row.id,
    tenantId: row.tenant_id,
    bookingRef: row.booking_ref,
    source: row.source,
    externalRef: row.external_ref,
    customer: { name: row.customer_name, phone: row.customer_phone, email: row.customer_email },
    departureDate: row.departure_date,
    totalMinor: row.total_minor,
    currencyDigits: row.currency_digits,
  }));
}

/** Departures with something to tidy, in id order; null stands for leads without a departure. */
export async function findDeparturesWithExpiredSeats(db: Db, limit: number): Promise<(string | null)[]> {
  const { rows } = await db.raw(
    `select departure_id from (
       select h.departure_id from seat_holds h where h.status = 'active' and h.expires_at <= clock_timestamp()
       union
       select l.departure_id from booking_leads l
       where l.status = 'pending_payment' and l.payment_due_at <= clock_timestamp()) expired
     order by departure_id limit :limit`,
    { limit },
  );
  return rows.map((row: { departure_id: string | null }) => row.departure_id);
}
