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
    .filter((rule) => applies(rule, tour, tenantCurrency) && coversDate(rule, travelDate))
    .sort((a, b) => closeness(b) - closeness(a) || windowDays(a) - windowDays(b) || b.id - a.id);
}

function applies(rule: PriceRule, tour: PricedTour, tenantCurrency: string): boolean {
  if (rule.tourId !== null && rule.tourId !== tour.id) return false;
  if (rule.continent !== null && rule.continent !== tour.continent) return false;
  // A rule in money speaks of the tenant's currency, so it says nothing about a tour in another one.
  return rule.currency === null || (rule.currency === tour.currency && rule.currency === tenantCurrency);
}

function coversDate(rule: PriceRule, travelDate: string | null): boolean {
  if (rule.travelFrom === null && rule.travelTo === null) return true;
  if (travelDate === null) return false;
  return (rule.travelFrom ?? travelDate) <= travelDate && travelDate <= (rule.travelTo ?? travelDate);
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
