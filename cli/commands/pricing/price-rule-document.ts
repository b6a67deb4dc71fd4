import { currencyDigits, toMajor } from '../../../services/api/money/currency';
import type { PriceRule } from '../../../services/api/pricing/price-rule';
import type { Tenant } from '../../../services/api/tenants/tenant';

/** A price rule in the words of the flags that make one; its money is in its own currency, whatever the tenant's is now. */
export function toPriceRuleDocument(tenant: Tenant, rule: PriceRule, tourSlug: string | null) {
  const { amountMinor, currency } = rule;
  const money =
    amountMinor === null || currency === null ? null : toMajor(amountMinor, currencyDigits(currency)!);
  return {
    id: rule.id,
    tenant: tenant.slug,
    applies_to: rule.tourId ? 'tour' : rule.continent ? 'continent' : 'all',
    tour: rule.tourId ? tourSlug : null,
    continent: rule.continent,
    percent: rule.percent === null ? null : Number(rule.percent),
    amount: rule.kind === 'amount' ? money : null,
    price: rule.kind === 'price' ? money : null,
    currency,
    travel_from: rule.travelFrom,
    travel_to: rule.travelTo,
    round_to: rule.roundTo === null ? null : Number(rule.roundTo),
  };
}
export type PriceRuleDocument = ReturnType<typeof toPriceRuleDocument>;

export function describeScope({ tour, continent }: PriceRuleDocument): string {
  return tour ?? continent ?? 'all tours';
}

/** `+12.5 %`, `-20 EUR`, `990 EUR`. */
export function describeChange(rule: PriceRuleDocument): string {
  const signed = (value: number) => (value < 0 ? String(value) : `+${value}`);
  if (rule.percent !== null) return `${signed(rule.percent)} %`;
  return rule.amount === null ? `${rule.price} ${rule.currency}` : `${signed(rule.amount)} ${rule.currency}`;
}

export function describeTravel({ travel_from: from, travel_to: to }: PriceRuleDocument): string {
  return from || to ? `${from ?? ''}..${to ?? ''}` : 'any time';
}
