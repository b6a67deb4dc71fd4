import type { Tenant } from '../tenants/tenant';
import { addMinutes } from '../holds/clock-text';

/**
 * Returns the time until which an unpaid booking stands and keeps its seats. Null: the tenant has no payment window, so the booking stands
 * until it is cancelled. Other files have the other parts of the rule:
 * - 0101_tenants.sql: the default of a tenant, 72 hours; `tenant set --payment-window` changes it for new bookings.
 * - 0107_leads.sql: lead_stands() and lead_lapsed() compare the time with the database's clock.
 * - departures/mark-expired-seats.ts: marks lapsed bookings as expired and sends their events.
 * - remind-payment.ts: sends one reminder before the time.
 */
export function paymentDueAt(
  createdAt: string,
  { paymentWindowMinutes }: Pick<Tenant, 'paymentWindowMinutes'>,
): string | null {
  return paymentWindowMinutes === null ? null : addMinutes(createdAt, paymentWindowMinutes);
}
