import type { Trx } from '../../platform/database';
import type { Tenant } from '../tenants/tenant';
import { deletePriceRule, findPriceRule, type ListedPriceRule } from './price-rule.repository';
import { PriceRuleNotFoundError } from './pricing.errors';

/**
 * @returns the rule that is gone
 * @throws PriceRuleNotFoundError also for a rule of another tenant
 */
export async function removePriceRule(trx: Trx, tenant: Tenant, id: number): Promise<ListedPriceRule> {
  const rule = await findPriceRule(trx, tenant.id, id);
  if (!rule || !(await deletePriceRule(trx, id))) throw new PriceRuleNotFoundError(id, tenant.slug);
  return rule;
}
