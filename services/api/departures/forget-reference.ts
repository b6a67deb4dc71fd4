import type { Trx } from '../../platform/database';
import { forgetExternalRef } from './refusal.repository';

/** Takes a tenant's own reference out of the refusals that carry it. */
export async function forgetReference(trx: Trx, tenantId: string, externalRef: string): Promise<void> {
  await forgetExternalRef(trx, tenantId, externalRef);
}
