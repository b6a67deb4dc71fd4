import { listPriceRules } from '../../../services/api/pricing/list-price-rules';
import { findTenant } from '../../../services/api/tenants/find-tenant';
import type { Context } from '../../context';
import { DEFAULT_LIMIT } from '../../credential-flags';
import { answerPage, oneMoreThan } from '../../list-page';
import { table, type Column } from '../../table';
import { describeChange, describeScope, describeTravel, toPriceRuleDocument } from './price-rule-document';

const COLUMNS: Column[] = ['id', { heading: 'for', least: 10 }, 'change', 'travel', 'round to'];

export async function showPricingCommand(
  { db, output }: Context,
  { limit = DEFAULT_LIMIT, after }: { limit?: number; after?: number },
  slug: string,
): Promise<void> {
  const tenant = await findTenant(db, slug);
  const rules = await listPriceRules(db, tenant, { after, limit: oneMoreThan(limit) });
  const found = rules.map((rule) => toPriceRuleDocument(tenant, rule, rule.tourSlug));
  answerPage(output, found, { limit, after: ({ id }) => id }, (items, screen) => {
    const rows = items.map((rule) => {
      return [rule.id, describeScope(rule), describeChange(rule), describeTravel(rule), rule.round_to];
    });
    const none = `No rules: ${slug} sells at the platform's prices`;
    return table(COLUMNS, rows, none, screen);
  });
}
