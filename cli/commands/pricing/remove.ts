import { removePriceRule } from '../../../services/api/pricing/remove-price-rule';
import { findTenant } from '../../../services/api/tenants/find-tenant';
import type { Context } from '../../context';
import { toPriceRuleDocument } from './price-rule-document';

export async function removePricingCommand(
  { audited, confirm, db, output }: Context,
  _: object,
  slug: string,
  id: number,
): Promise<void> {
  const tenant = await findTenant(db, slug);
  await confirm(`Remove the price rule ${id} of ${slug}, so that prices change at once?`);
  const document = await audited(
    { action: 'pricing.remove', tenantId: tenant.id, subject: String(id) },
    async (trx, note) => {
      const rule = await removePriceRule(trx, tenant, id);
      const removed = toPriceRuleDocument(tenant, rule, rule.tourSlug);
      note(removed, null);
      return removed;
    },
  );
  output.answer(document, () => `Price rule ${id} of ${slug} is removed`);
}
