import type { Db } from '../../../platform/database';
import { COUNTED_MOST } from '../../stats/queue-counts.repository';

/** Limits the tenants that the overview names. */
const NAMED_MAX = 5;

/** Lists tenants with deliveries that wait for an endpoint, the most first. Reads at most COUNTED_MOST + 1 deliveries in total. */
export async function findWaitingTenants(db: Db): Promise<{ tenant: string; waiting: number }[]> {
  const { rows } = await db.raw<{ rows: { tenant: string; waiting: number }[] }>(
    `select t.slug as tenant, count(*) as waiting
     from (select tenant_id from webhook_deliveries where endpoint_id is null limit :bound) d join tenants t on t.id = d.tenant_id
     group by t.slug order by waiting desc, tenant limit ${NAMED_MAX}`,
    { bound: COUNTED_MOST + 1 },
  );
  return rows;
}
