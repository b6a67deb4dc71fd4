import type { Db } from '../../platform/database';
import type { Tenant, TenantStatus } from './tenant';
import { selectTenants } from './tenant.repository';

/** By slug. */
export async function listTenants(
  db: Db,
  filter: { status?: TenantStatus; after?: string; limit: number },
): Promise<Tenant[]> {
  return selectTenants(db, filter);
}
