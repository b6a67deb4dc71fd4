import type { Db } from '../../platform/database';
import type { CachedReads } from '../../platform/read-cache/read-cache';
import type { Tenant } from '../tenants/tenant';
import {
  type Defeat,
  type Inapplicability,
  type PriceRule,
  rankPriceRules,
  whyBeaten,
  whyInapplicable,
} from './choose-price-rule';
import { toMajor } from './currency';
import { findPriceRules } from './price-rule.repository';
import { CATEGORIES, type Category, type PricedTour, type Prices } from './price-categories';
import { applyPriceRule, depositOf } from './apply-price-rule';
import { assertPriced, type Party, totalOf } from './party';

/** The platform's prices, the prices that the tenant's customer pays (all in minor units), and the rule that decided. */
export interface Quote {
  platform: Prices;
  tenant: Prices;
  /** One adult's deposit. */
  deposit: number;
  rule: PriceRule | undefined;
}

/** Quotes a price without a query. Can quote only the tours for which it was created. */
export type Quoter = (tour: PricedTour, platform: Prices, travelDate: string | null) => Quote;

/** Creates a quoter from the tenant's stored price rules for these tours. */
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

/** Creates a quoter for one tour from cached rules. Only for reads: a sale reads the rules from the database. */
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

/** Quotes the tenant's price of one tour from cached rules. @param travelDate YYYY-MM-DD; null: a price without a date */
export async function cachedQuote(
  reads: CachedReads,
  tenant: Tenant,
  tour: PricedTour,
  platform: Prices,
  travelDate: string | null,
): Promise<Quote> {
  return (await cachedQuoter(reads, tenant, tour))(tour, platform, travelDate);
}

/** The field of a stored price calculation that has the platform's price of the category, in major units (ADR 38). */
export const PLATFORM_PRICE: Record<Category, string> = {
  adult: 'platform_unit_price',
  child: 'platform_child_price',
  single_supplement: 'platform_single_supplement',
};

/**
 * Describes how the price of an adult was calculated, and locks the platform's price of each category. Holds and bookings store this object,
 * and answers show parts of it.
 */
export function explainPrice(quote: Quote, currencyDigits: number): Record<string, unknown> {
  const { rule, platform } = quote;
  const priced = CATEGORIES.filter((category) => platform[category] !== undefined);
  return {
    ...Object.fromEntries(
      priced.map((category) => [PLATFORM_PRICE[category], toMajor(platform[category]!, currencyDigits)]),
    ),
    unit_price: toMajor(quote.tenant.adult, currencyDigits),
    rule: rule
      ? {
          id: rule.id,
          applies_to: scopeOf(rule),
          kind: rule.kind,
          value: rule.kind === 'percent' ? Number(rule.percent) : toMajor(rule.amountMinor!, currencyDigits),
        }
      : null,
  };
}

function scopeOf(rule: PriceRule): 'tour' | 'continent' | 'all' {
  if (rule.tourId) return 'tour';
  return rule.continent ? 'continent' : 'all';
}

/** The present price of a booking, in minor units, and the reasons for it. */
export interface SimulatedPrice {
  quote: Quote;
  /** The price of one adult before it is rounded to the step of the rule. */
  unroundedMinor: number;
  totalMinor: number;
  depositMinor: number;
  /** Rules that apply but rank below `quote.rule`, best first. */
  beaten: { rule: PriceRule; because: Defeat }[];
  /** Rules with the right scope (tour, continent or all tours) that do not apply because of the date or the currency, newest first. */
  inapplicable: { rule: PriceRule; because: Inapplicability }[];
}

/**
 * Quotes a booking and explains the choice of the rule.
 * @param travelDate YYYY-MM-DD, or null for a booking without a date
 * @throws InvalidInputError for a category without a price
 */
export async function simulatePrice(
  db: Db,
  tenant: Tenant,
  tour: PricedTour,
  platform: Prices,
  { travelDate, party }: { travelDate: string | null; party: Party },
): Promise<SimulatedPrice> {
  const rules = await findPriceRules(db, tenant.id, [tour.id]);
  const quote = quoterFromRules(tenant, rules)(tour, platform, travelDate);
  assertPriced(party, quote.tenant);
  const [decides, ...others] = rankPriceRules(rules, tour, tenant.currency, travelDate);
  const totalMinor = totalOf(party, quote.tenant);
  return {
    quote,
    unroundedMinor: applyPriceRule(platform, decides && { ...decides, roundTo: null }, tour.currencyDigits)
      .adult,
    totalMinor,
    depositMinor: depositOf(totalMinor, tenant.depositPercent, tenant.paymentMethod),
    beaten: others.map((rule) => ({ rule, because: whyBeaten(decides!, rule) })),
    inapplicable: inapplicable(rules, tour, tenant.currency, travelDate),
  };
}

function inapplicable(
  rules: PriceRule[],
  tour: PricedTour,
  tenantCurrency: string,
  travelDate: string | null,
): SimulatedPrice['inapplicable'] {
  return [...rules]
    .sort((a, b) => b.id - a.id)
    .flatMap((rule) => {
      const because = whyInapplicable(rule, tour, tenantCurrency, travelDate);
      const isOfOthers = because === 'other_tour' || because === 'other_continent';
      return because === undefined || isOfOthers ? [] : { rule, because };
    });
}
