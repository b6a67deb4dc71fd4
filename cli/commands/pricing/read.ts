import type { PriceRule } from '../../../services/api/pricing/choose-price-rule';
import { currencyDigits, toMajor } from '../../../services/api/pricing/currency';
import { listPriceRules } from '../../../services/api/pricing/price-rule.repository';
import { findTenant } from '../../../services/api/tenants/find-tenant';
import type { Tenant } from '../../../services/api/tenants/tenant';
import type { Context } from '../../engine/context';
import { DEFAULT_LIMIT } from '../../engine/credential-flags';
import { answerPage, oneMoreThan } from '../../engine/list-page';
import { table, type Column } from '../../terminal/table';

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

const COLUMNS: Column[] = ['id', { heading: 'for', least: 10 }, 'change', 'travel', 'round to'];

export async function showPricingCommand(
  { db, output }: Context,
  { limit = DEFAULT_LIMIT, after }: { limit?: number; after?: number },
  slug: string,
): Promise<void> {
  const tenant = await findTenant(db, slug);
  const rules = await listPriceRules(db, tenant.id, { after, limit: oneMoreThan(limit) });
  const found = rules.map((rule) => toPriceRuleDocument(tenant, rule, rule.tourSlug));
  answerPage(output, found, { limit, after: ({ id }) => id }, (items, screen) => {
    const rows = items.map((rule) => {
      return [rule.id, describeScope(rule), describeChange(rule), describeTravel(rule), rule.round_to];
    });
    const none = `No rules: ${slug} sells at the platform's prices`;
    return table(COLUMNS, rows, none, screen);
  });
}
