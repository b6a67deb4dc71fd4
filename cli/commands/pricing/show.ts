import { listPriceRules } from '../../../services/api/pricing/list-price-rules';
import { findTenant } from '../../../services/api/tenants/find-tenant';
import type { Context } from '../../context';
import { DEFAULT_LIMIT } from '../../credential-flags';
import { table } from '../../table';
import { describeChange, describeScope, describeTravel, toPriceRuleDocument } from './price-rule-document';

export async function showPricingCommand(
  { db, output }: Context,
  { limit = DEFAULT_LIMIT }: { limit?: number },
  slug: string,
): Promise<void> {
  const tenant = await findTenant(db, slug);
  const rules = await listPriceRules(db, tenant, limit);
  const items = rules.map((rule) => toPriceRuleDocument(tenant, rule, rule.tourSlug));
  output.answer({ items }, () => {
    const rows = items.map((rule) => {
      return [rule.id, describeScope(rule), describeChange(rule), describeTravel(rule), rule.round_to];
    });
    const none = `No rules: ${slug} sells at the platform's prices`;
    return table(['id', 'for', 'change', 'travel', 'round to'], rows, none);
  });
}
