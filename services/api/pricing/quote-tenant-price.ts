import type { Db } from '../../platform/database';
import type { CachedReads } from '../../platform/read-cache/read-cache';
import type { Tenant } from '../tenants/tenant';
import { type PriceRule, rankPriceRules } from './choose-price-rule';
import { toMajor } from './currency';
import { findPriceRules } from './price-rule.repository';
import type { PricedTour, Prices } from './prices';
import { depositOf, applyPriceRule } from './apply-price-rule';

/** The price of a tenant's customer in minor units, with the platform's price and the deciding rule. */
export interface Quote {
  platform: Prices;
  tenant: Prices;
  /** One adult's deposit. */
  deposit: number;
  rule: PriceRule | undefined;
}

/** Quotes the tours that it was created for, without a query. */
export type Quoter = (tour: PricedTour, platform: Prices, travelDate: string | null) => Quote;

/** Reads the tenant's price rules for these tours. */
export async function createQuoter(db: Db, tenant: Tenant, tourIds: string[]): Promise<Quoter> {
  return quoterFromRules(tenant, tourIds.length ? await findPriceRules(db, tenant.id, tourIds) : []);
}

/** @param rules all the tenant's rules that can apply to the tours */
export function quoterFromRules(tenant: Tenant, rules: PriceRule[]): Quoter {
  return (tour, platform, travelDate) => {
    const [rule] = rankPriceRules(rules, tour, tenant.currency, travelDate);
    const prices = applyPriceRule(platform, rule, tour.currencyDigits);
    const deposit = depositOf(prices.adult, tenant.depositPercent, tenant.paymentMethod);
    return { platform, tenant: prices, deposit, rule };
  };
}

const RULES_PER_KIB = 4;

/** Creates a quoter of one tour with cached rules, for reads only: a sale reads the rules again. */
export async function cachedQuoter(
  { db, cache }: CachedReads,
  tenant: Tenant,
  tour: { id: string },
): Promise<Quoter> {
  const rules = await cache.get(`rules ${tenant.id} ${tour.id}`, async () => {
    const value = await findPriceRules(db, tenant.id, [tour.id]);
    return { value, until: Infinity, size: 1 + value.length / RULES_PER_KIB };
  });
  return quoterFromRules(tenant, rules);
}

/** Quotes the tenant's price of one tour on one date with cached rules (null: without a date). */
export async function cachedQuote(
  reads: CachedReads,
  tenant: Tenant,
  tour: PricedTour,
  platform: Prices,
  travelDate: string | null,
): Promise<Quote> {
  return (await cachedQuoter(reads, tenant, tour))(tour, platform, travelDate);
}

/** Describes the calculation of one adult's price, as holds store it and answers show it. */
export function explainPrice(quote: Quote, currencyDigits: number): Record<string, unknown> {
  const { rule } = quote;
  return {
    platform_unit_price: toMajor(quote.platform.adult, currencyDigits),
    ...(quote.platform.child !== undefined && {
      platform_child_price: toMajor(quote.platform.child, currencyDigits),
    }),
    unit_price: toMajor(quote.tenant.adult, currencyDigits),
    rule: rule
      ? {
          id: rule.id,
          applies_to: rule.tourId ? 'tour' : rule.continent ? 'continent' : 'all',
          kind: rule.kind,
          value: rule.kind === 'percent' ? Number(rule.percent) : toMajor(rule.amountMinor!, currencyDigits),
        }
      : null,
  };
}
