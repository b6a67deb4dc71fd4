import type { Db, Trx } from '../../platform/database';
import type { EventLead } from '../../webhook-queue/enqueue-delivery';
import { toMajor } from '../pricing/currency';

/** An expired hold, as the `hold.expired` event shows it. */
export interface ExpiredHold {
  id: string;
  tenantId: string;
  externalRef: string | null;
  quantity: number;
  departureDate: string;
  expiresAt: Date;
}

/** Marks the holds of the departures that had expired at `at`. */
export async function markExpiredHolds(trx: Trx, departureIds: string[], at: string): Promise<ExpiredHold[]> {
  const { rows } = await trx.raw(
    `update seat_holds h set status = 'expired', ended_at = h.expires_at
     from departures d
     where h.departure_id = any(:departureIds::uuid[]) and d.id = h.departure_id
       and hold_lapsed(h.status, h.expires_at, :at)
     returning h.id, h.tenant_id, h.external_ref, h.quantity, d.departure_date, h.expires_at`,
    { departureIds, at },
  );
  return rows;
}

/** Marks the unpaid leads whose payment window had ended at `at`: of the departures, or (null) all leads without a departure. */
export async function markExpiredLeads(
  trx: Trx,
  departureIds: string[] | null,
  at: string,
): Promise<EventLead[]> {
  const { rows } = await trx.raw(
    `update booking_leads set status = 'expired', expired_at = payment_due_at
     where ${departureIds === null ? 'departure_id is null' : 'departure_id = any(:departureIds::uuid[])'}
       and lead_lapsed(status, payment_due_at, :at)
     returning id as lead_id, tenant_id, booking_ref, source, external_ref, customer_name, customer_phone, customer_email,
       departure_date, total_minor, currency_digits`,
    { ...(departureIds !== null && { departureIds }), at },
  );
  return rows.map(toEventLead);
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

interface ExpiredLead extends Omit<EventLead, 'customer' | 'totalPrice'> {
  customerName: string | null;
  customerPhone: string | null;
  customerEmail: string | null;
  totalMinor: number;
  currencyDigits: number;
}

function toEventLead(lead: ExpiredLead): EventLead {
  const { customerName: name, customerPhone: phone, customerEmail: email, totalMinor, currencyDigits } = lead;
  return { ...lead, customer: { name, phone, email }, totalPrice: toMajor(totalMinor, currencyDigits) };
}
