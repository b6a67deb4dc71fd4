import { findTenant } from '../../../services/api/tenants/find-tenant';
import type { Db } from '../../../services/platform/database';

export interface DeliveryOptions {
  tenant?: string;
  endpoint?: string;
  since?: Date;
}

/** What list and replay narrow by. */
export async function toDeliveryFilter(db: Db, { tenant, endpoint, since }: DeliveryOptions) {
  const tenantId = tenant === undefined ? undefined : (await findTenant(db, tenant)).id;
  return { tenantId, endpointId: endpoint, since };
}
