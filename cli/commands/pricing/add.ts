import { isContinentOfSomeTour } from '../../../services/api/catalog/find-continent';
import { findTour } from '../../../services/api/catalog/find-tour';
import { addPriceRule, type PriceChange } from '../../../services/api/pricing/add-price-rule';
import { findTenant } from '../../../services/api/tenants/find-tenant';
import type { Context } from '../../context';
import { properties } from '../../table';
import { toPriceRuleDocument } from './price-rule-document';

export interface RuleOptions {
  /** Decimal texts; one of the three is given. */
  percent?: string;
  amount?: string;
  price?: string;
  tour?: string;
  continent?: string;
  travelFrom?: string;
  travelTo?: string;
  roundTo?: string;
}

export async function addPricingCommand(
  { audited, db, output }: Context,
  options: RuleOptions,
  slug: string,
): Promise<void> {
  const { continent, travelFrom, travelTo, roundTo } = options;
  const document = await audited({ action: 'pricing.add' }, async (trx, note) => {
    const tenant = await findTenant(trx, slug);
    const tour = options.tour === undefined ? undefined : await findTour(trx, options.tour);
    const change = toChange(options);
    const rule = await addPriceRule(trx, tenant, { tour, continent, change, travelFrom, travelTo, roundTo });
    const added = toPriceRuleDocument(tenant, rule, tour?.slug ?? null);
    note(null, added, { tenantId: tenant.id, subject: String(rule.id) });
    return added;
  });
  if (continent !== undefined && !(await isContinentOfSomeTour(db, continent))) {
    output.warn(`no tour is in the continent ${continent}`);
  }
  output.answer(document, () => properties(document));
}

function toChange({ percent, amount, price }: RuleOptions): PriceChange {
  if (percent !== undefined) return { kind: 'percent', value: percent };
  return amount === undefined ? { kind: 'price', value: price! } : { kind: 'amount', value: amount };
}
