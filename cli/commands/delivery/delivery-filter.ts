import { findTenant } from '../../../services/api/tenants/find-tenant';
import { AppError } from '../../../services/platform/errors';
import type { Db } from '../../../services/platform/database';
import { findEndpoint, listDeliveries } from '../../../services/webhook-queue/operations';

export interface DeliveryOptions {
  tenant?: string;
  endpoint?: string;
  since?: Date;
}

class UnknownEndpointError extends AppError {
  readonly code = 'endpoint_not_found';

  constructor(id: string) {
    super(`There is no webhook endpoint ${id}, and none of that id was ever sent anything`);
  }
}

/**
 * What list and replay narrow by.
 * @throws TenantNotFoundError, UnknownEndpointError
 */
export async function toDeliveryFilter(db: Db, { tenant, endpoint, since }: DeliveryOptions) {
  const tenantId = tenant === undefined ? undefined : (await findTenant(db, tenant)).id;
  if (endpoint !== undefined) await refuseUnknown(db, endpoint);
  return { tenantId, endpointId: endpoint, since };
}

/** History speaks of removed ones too. */
async function refuseUnknown(db: Db, endpointId: string): Promise<void> {
  try {
    await findEndpoint(db, endpointId);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const history = await listDeliveries(db, { endpointId, limit: 1 });
    if (history.length === 0) throw new UnknownEndpointError(endpointId);
  }
}
