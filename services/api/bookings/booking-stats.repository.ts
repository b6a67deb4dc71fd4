import type { Db } from '../../platform/database';
import { tenantIdOf, type TenantScope } from '../tenants/tenant-scope';

/** Bookings of one day, by when they were made. */
export interface DayOfBookings {
  /** YYYY-MM-DD, UTC. */
  day: string;
  bookings: number;
  adults: number;
  /** What has become of them since, as the clock has it; the rest waits for its payment. */
  confirmed: number;
  cancelled: number;
  expired: number;
}

export async function countBookings(db: Db, scope: TenantScope, from: string): Promise<DayOfBookings[]> {
  const { rows } = await db.raw(
    `select (created_at at time zone 'UTC')::date as day, count(*)::integer as bookings, sum(adults)::integer as adults,
       count(*) filter (where status = 'confirmed')::integer as confirmed,
       count(*) filter (where status = 'cancelled')::integer as cancelled,
       count(*) filter (where status = 'expired'
         or lead_lapsed(status, payment_due_at, statement_timestamp()))::integer as expired
     from booking_leads
     where created_at >= (:from::date)::timestamp at time zone 'UTC'
       and (:tenantId::uuid is null or tenant_id = :tenantId::uuid)
     group by day order by day`,
    { from, tenantId: tenantIdOf(scope) },
  );
  return rows;
}

/** Every day of the database's calendar (UTC) from then to today. */
export async function listDays(db: Db, from: Date): Promise<string[]> {
  const { rows } = await db.raw(
    `select d::date as day from generate_series(
       (?::timestamptz at time zone 'UTC')::date, (clock_timestamp() at time zone 'UTC')::date, interval '1 day') d`,
    [from],
  );
  return rows.map(({ day }: { day: string }) => day);
}
