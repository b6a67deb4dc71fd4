import type { Db } from '../../platform/database';
import type { Tenant } from '../tenants/tenant';
import {
  listPriceRules as selectPriceRules,
  type ListedPriceRule,
  type PriceRulePage,
} from './price-rule.repository';

/** The tenant's pricing layer, the newest rule first. */
export async function listPriceRules(
  db: Db,
  tenant: Tenant,
  page: PriceRulePage,
): Promise<ListedPriceRule[]> {
  return selectPriceRules(db, tenant.id, page);
}
