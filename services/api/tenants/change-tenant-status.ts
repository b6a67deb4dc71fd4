import type { Trx } from '../../platform/database';
import type { Tenant, TenantStatus } from './tenant';
import { updateTenant } from './tenant.repository';

/** From the moment the transaction commits, its keys and tokens are served, or refused. Every step can be taken back. */
export async function changeTenantStatus(trx: Trx, tenant: Tenant, status: TenantStatus): Promise<Tenant> {
  return updateTenant(trx, tenant.id, { status });
}
