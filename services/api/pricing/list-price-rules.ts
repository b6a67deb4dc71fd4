import type { Db } from '../../platform/database';
import type { Tenant } from '../tenants/tenant';
import { listPriceRules as selectPriceRules, type ListedPriceRule } from './price-rule.repository';

/** The tenant's pricing layer, the newest rule first. */
export async function listPriceRules(db: Db, tenant: Tenant, limit: number): Promise<ListedPriceRule[]> {
  return selectPriceRules(db, tenant.id, limit);
}
