import type { Db } from '../../platform/database';
import { tenantIdOf, type TenantScope } from '../tenants/tenant-scope';

/** Holds of one day, by when they were placed. */
export interface DayOfHolds {
  /** YYYY-MM-DD, UTC. */
  day: string;
  holds: number;
  /** Those of them that became a booking, on whatever day. */
  converted: number;
}

export async function countHolds(db: Db, scope: TenantScope, from: string): Promise<DayOfHolds[]> {
  const { rows } = await db.raw(
    `select (created_at at time zone 'UTC')::date as day, count(*)::integer as holds,
       count(*) filter (where status = 'converted')::integer as converted
     from seat_holds
     where created_at >= (:from::date)::timestamp at time zone 'UTC'
       and (:tenantId::uuid is null or tenant_id = :tenantId::uuid)
     group by day order by day`,
    { from, tenantId: tenantIdOf(scope) },
  );
  return rows;
}
