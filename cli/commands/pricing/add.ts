import { isContinentOfSomeTour } from '../../../services/api/catalog/find-continent';
import { findTour } from '../../../services/api/catalog/find-tour';
import { addPriceRule, type PriceChange } from '../../../services/api/pricing/add-price-rule';
import { PRICE_RULE_KINDS, type PriceRuleKind } from '../../../services/api/pricing/price-rule';
import { findTenant } from '../../../services/api/tenants/find-tenant';
import type { Context } from '../../context';
import { properties } from '../../table';
import { toPriceRuleDocument } from './price-rule-document';

/** Of the kinds, one is given: its value as decimal text. */
export interface RuleOptions extends Partial<Record<PriceRuleKind, string>> {
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

function toChange(options: RuleOptions): PriceChange {
  const kind = PRICE_RULE_KINDS.find((name) => options[name] !== undefined)!;
  return { kind, value: options[kind]! };
}
