import type { Db, Trx } from '../../../platform/database';
import type { ReplayFilter } from '../../deliveries/replay.repository';
import type { ReplayQuery } from '../queries/read-query';
import { findTenantId } from '../queries/tenant-list.repository';

/** What operations.ts takes for it; undefined where no tenant has the slug. */
export async function toReplayFilter(db: Db | Trx, query: ReplayQuery): Promise<ReplayFilter | undefined> {
  const { tenant, endpoint: endpointId, since, status } = query;
  const tenantId = tenant === undefined ? undefined : await findTenantId(db, tenant);
  if (tenant !== undefined && tenantId === undefined) return undefined;
  return { tenantId, endpointId, since, status };
}
