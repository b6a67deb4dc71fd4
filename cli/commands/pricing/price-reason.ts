import type { Defeat, Inapplicability } from '../../../services/api/pricing/choose-price-rule';
import { describeChange, describeScope, describeTravel, type PriceRuleDocument } from './price-rule-document';

const SCOPE = { tour: "a tour's rule", continent: "a continent's rule", all: 'a general rule' } as const;

/** Why a rule that applies did not make the price, as a sentence. */
export function whyItLost(because: Defeat, winner: PriceRuleDocument, loser: PriceRuleDocument): string {
  const scope = (rule: PriceRuleDocument) => SCOPE[rule.applies_to as keyof typeof SCOPE];
  if (because === 'closer_rule') return `${scope(winner)} beats ${scope(loser)}`;
  if (because === 'narrower_window') return 'of rules equally close the narrower travel window decides';
  return 'of rules that are equal otherwise the newest decides';
}

export interface Circumstances {
  tourCurrency: string;
  tenantCurrency: string;
  date: string | null;
}

/** Why a rule does not apply, as a sentence. */
export function whyItSaysNothing(
  because: Inapplicability,
  rule: PriceRuleDocument,
  { tourCurrency, tenantCurrency, date }: Circumstances,
): string {
  if (because === 'needs_date') return 'it is for travel dates, and there is no --date';
  if (because === 'outside_window') return `${date} is outside its travel dates`;
  if (because !== 'other_currency') return 'it is for other tours';
  return rule.currency === tourCurrency
    ? `it is in ${rule.currency}, and the tenant's currency is ${tenantCurrency} now`
    : `it is in ${rule.currency}, and the tour is sold in ${tourCurrency}`;
}

export function ruleInWords(rule: PriceRuleDocument): string {
  return `rule ${rule.id} (${describeScope(rule)}: ${describeChange(rule)}, ${describeTravel(rule)})`;
}
