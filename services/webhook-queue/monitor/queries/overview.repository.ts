import type { Db } from '../../../platform/database';
import { COUNTED_MOST } from '../../stats/queue-counts.repository';

/** Limits the endpoints and tenants that the overview names. */
const NAMED_MAX = 5;

export interface FailingEndpoint {
  id: string;
  tenant: string;
  url: string;
  status: 'active' | 'disabled';
  statusReason: string | null;
  openings: number | null;
  failingSince: Date | null;
  blockedUntil: Date | null;
  blocked: boolean;
}

/** Lists disabled endpoints and those whose breaker is not closed, the longest failing first. */
export async function findFailingEndpoints(db: Db): Promise<FailingEndpoint[]> {
  return db('webhook_endpoints as e')
    .join('tenants as t', 't.id', 'e.tenant_id')
    .leftJoin('webhook_health as h', 'h.endpoint_id', 'e.id')
    .whereRaw(`e.status = 'disabled' or (e.status = 'active' and h.openings > 0)`)
    .orderByRaw('h.failing_since nulls first, e.id')
    .limit(NAMED_MAX)
    .select<FailingEndpoint[]>(
      'e.id',
      't.slug as tenant',
      'e.url',
      'e.status',
      'e.status_reason',
      'h.openings',
      'h.failing_since',
      'h.blocked_until',
      db.raw('coalesce(h.blocked_until > now(), false) as blocked'),
    );
}

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
