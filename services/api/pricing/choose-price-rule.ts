import { daysBetween } from '../../platform/forms/days';
import type { PricedTour } from './price-categories';
import type { PriceBreakdownRule } from './explained-rules';
import { toMajor } from './currency';

export const PRICE_RULE_KINDS = ['percent', 'amount', 'price'] as const;
export type PriceRuleKind = (typeof PRICE_RULE_KINDS)[number];

/** A price rule of a tenant. Without tourId and continent it is a general rule. */
export interface PriceRule {
  id: number;
  tourId: string | null;
  continent: string | null;
  /** The only category that the rule changes. Null: a percentage changes every category, and money that of the tour's first category. */
  category: string | null;
  kind: PriceRuleKind;
  /** A decimal text such as "12.5000". Null unless `kind` is `percent`. */
  percent: string | null;
  /** Minor units of `currency`. Both are null if `kind` is `percent`. */
  amountMinor: number | null;
  currency: string | null;
  /** Inclusive travel dates, YYYY-MM-DD; null: no limit. */
  travelFrom: string | null;
  travelTo: string | null;
  /** A decimal text in major units: "5" rounds to the nearest multiple of five. */
  roundTo: string | null;
}

/**
 * Ranks the rules that apply to a tour, as the tenant sells it: first rules for the tour, then rules for its continent, then general rules.
 * Among rules of the same scope, the one with the narrower travel window is first; among equal windows, the newest rule.
 * @param tour its currency is that of the sale
 * @param ruleCurrency the currency in which the tenant's rules in money apply (ruleCurrencyOf)
 * @param travelDate YYYY-MM-DD, or null for a price without a date, to which rules with a travel window do not apply
 * @returns the rules that apply, the deciding one first
 * @rule which price rule wins: test/unit/choose-price-rule.test.ts
 */
export function rankPriceRules(
  rules: PriceRule[],
  tour: Omit<PricedTour, 'categories'>,
  ruleCurrency: string,
  travelDate: string | null,
): PriceRule[] {
  return rules
    .filter((rule) => whyInapplicable(rule, tour, ruleCurrency, travelDate) === undefined)
    .sort((a, b) => closeness(b) - closeness(a) || windowDays(a) - windowDays(b) || b.id - a.id);
}

/**
 * Returns the rule that decides the price of a category: the first one that may change this category.
 * @param ranked the rules that apply to the tour, the best first (rankPriceRules)
 * @param first the code of the tour's first category
 */
export function decidingRule(ranked: PriceRule[], code: string, first: string): PriceRule | undefined {
  return ranked.find((rule) => changesCategory(rule, code, first));
}

/** Returns whether the rule may change the price of the category. @param first the code of the tour's first category */
export function changesCategory({ kind, category }: PriceRule, code: string, first: string): boolean {
  return kind === 'percent' || (category ?? first) === code;
}

/** The reason why a rule does not apply to this tour on this date. */
export type Inapplicability =
  'other_tour' | 'other_continent' | 'other_currency' | 'needs_date' | 'outside_window';

/** @returns undefined if the rule applies */
export function whyInapplicable(
  rule: PriceRule,
  tour: Omit<PricedTour, 'categories'>,
  ruleCurrency: string,
  travelDate: string | null,
): Inapplicability | undefined {
  if (rule.tourId !== null && rule.tourId !== tour.id) return 'other_tour';
  if (rule.continent !== null && rule.continent !== tour.continent) return 'other_continent';
  if (isInOtherCurrency(rule, tour.currency, ruleCurrency)) return 'other_currency';
  return whyNotThen(rule, travelDate);
}

/**
 * Returns whether a rule in money does not apply because of its currency: the tour is sold in another one, or the tenant's currency has
 * changed since the rule was added.
 * @param saleCurrency the currency of the sale
 * @param ruleCurrency as in rankPriceRules
 */
export function isInOtherCurrency(
  { currency }: Pick<PriceRule, 'currency'>,
  saleCurrency: string,
  ruleCurrency: string,
): boolean {
  return currency !== null && (currency !== saleCurrency || currency !== ruleCurrency);
}

function whyNotThen({ travelFrom, travelTo }: PriceRule, date: string | null): Inapplicability | undefined {
  if (travelFrom === null && travelTo === null) return undefined;
  if (date === null) return 'needs_date';
  const covers = (travelFrom ?? date) <= date && date <= (travelTo ?? date);
  return covers ? undefined : 'outside_window';
}

/** The reason why another applicable rule decides instead of this one. */
export type Defeat = 'closer_rule' | 'narrower_window' | 'newer_rule';

/** Returns why `winner` decides instead of `loser`. Both apply, and rankPriceRules puts the winner first. */
export function whyBeaten(winner: PriceRule, loser: PriceRule): Defeat {
  if (closeness(winner) > closeness(loser)) return 'closer_rule';
  return windowDays(winner) < windowDays(loser) ? 'narrower_window' : 'newer_rule';
}

function closeness(rule: PriceRule): number {
  if (rule.tourId !== null) return 2;
  return rule.continent !== null ? 1 : 0;
}

/**
 * Returns the length of the travel window, for the ranking. A window with one open end counts as longer than any window with two dates. A
 * rule without a window counts as the longest.
 */
function windowDays(rule: PriceRule): number {
  if (rule.travelFrom === null && rule.travelTo === null) return Number.MAX_SAFE_INTEGER;
  if (rule.travelFrom === null || rule.travelTo === null) return Number.MAX_SAFE_INTEGER - 1;
  return daysBetween(rule.travelFrom, rule.travelTo);
}

/** Describes a rule. @param digits decimals of the currency of the sale */
export function explainRule(rule: PriceRule | undefined, digits: number): PriceBreakdownRule | null {
  if (!rule) return null;
  const { id, kind, percent, amountMinor } = rule;
  const value = kind === 'percent' ? Number(percent) : toMajor(amountMinor!, digits);
  return { id, applies_to: scopeOf(rule), kind, value };
}

function scopeOf({ tourId, continent }: PriceRule): PriceBreakdownRule['applies_to'] {
  if (tourId) return 'tour';
  return continent ? 'continent' : 'all';
}
