import type { PriceRule } from './price-rule';
import type { PricedTour } from './prices';

/**
 * The one rule that decides: a tour's beats a continent's beats a general one; among equals the narrower travel window,
 * then the newest (CONTRACT section 8).
 * @param travelDate YYYY-MM-DD, or null for a price without a date: rules with a travel window then do not apply
 * @returns the rules that apply, the deciding one first
 */
export function rankPriceRules(
  rules: PriceRule[],
  tour: PricedTour,
  tenantCurrency: string,
  travelDate: string | null,
): PriceRule[] {
  return rules
    .filter((rule) => whyInapplicable(rule, tour, tenantCurrency, travelDate) === undefined)
    .sort((a, b) => closeness(b) - closeness(a) || windowDays(a) - windowDays(b) || b.id - a.id);
}

/** Why a rule says nothing of this tour on this date. */
export type Inapplicability =
  'other_tour' | 'other_continent' | 'other_currency' | 'needs_date' | 'outside_window';

/** @returns undefined where it applies */
export function whyInapplicable(
  rule: PriceRule,
  tour: PricedTour,
  tenantCurrency: string,
  travelDate: string | null,
): Inapplicability | undefined {
  if (rule.tourId !== null && rule.tourId !== tour.id) return 'other_tour';
  if (rule.continent !== null && rule.continent !== tour.continent) return 'other_continent';
  // A rule in money speaks of the tenant's currency, so it says nothing about a tour in another one.
  const isInMoney = rule.currency !== null;
  if (isInMoney && (rule.currency !== tour.currency || rule.currency !== tenantCurrency))
    return 'other_currency';
  return whyNotThen(rule, travelDate);
}

function whyNotThen({ travelFrom, travelTo }: PriceRule, date: string | null): Inapplicability | undefined {
  if (travelFrom === null && travelTo === null) return undefined;
  if (date === null) return 'needs_date';
  const covers = (travelFrom ?? date) <= date && date <= (travelTo ?? date);
  return covers ? undefined : 'outside_window';
}

/** Which of the three comparisons a rule that applies lost to the deciding one. */
export type Defeat = 'closer_rule' | 'narrower_window' | 'newer_rule';

export function whyBeaten(winner: PriceRule, loser: PriceRule): Defeat {
  if (closeness(winner) > closeness(loser)) return 'closer_rule';
  return windowDays(winner) < windowDays(loser) ? 'narrower_window' : 'newer_rule';
}

function closeness(rule: PriceRule): number {
  if (rule.tourId !== null) return 2;
  return rule.continent !== null ? 1 : 0;
}

/** A window with one open end is narrower than none, and wider than any with two ends. */
function windowDays(rule: PriceRule): number {
  if (rule.travelFrom === null && rule.travelTo === null) return Number.MAX_SAFE_INTEGER;
  if (rule.travelFrom === null || rule.travelTo === null) return Number.MAX_SAFE_INTEGER - 1;
  return (Date.parse(rule.travelTo) - Date.parse(rule.travelFrom)) / 86_400_000;
}
