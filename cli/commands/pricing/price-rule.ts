import { nameDeparture } from '../../../services/api/catalog/start-time';
import type { PriceRule } from '../../../services/api/pricing/choose-price-rule';
import { storedCurrencyDigits, toMajor } from '../../../services/api/pricing/currency';
import type { LowPrice, LowPrices } from '../../../services/api/pricing/find-low-prices';
import type { Tenant } from '../../../services/api/tenants/tenant';
import { formatMoney } from '../../engine/values';
import { countOf } from '../../terminal/text';

/**
 * Converts a price rule to a document that names its fields like the flags. The amounts stay in the currency of the rule, even if the
 * tenant's currency has changed since.
 */
export function toPriceRuleDocument(tenant: Tenant, rule: PriceRule, tourSlug: string | null) {
  const { amountMinor, currency } = rule;
  const money =
    amountMinor === null || currency === null ? null : toMajor(amountMinor, storedCurrencyDigits(currency)!);
  return {
    id: rule.id,
    tenant: tenant.slug,
    applies_to: scopeOf(rule),
    tour: rule.tourId ? tourSlug : null,
    continent: rule.continent,
    category: rule.category,
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

function scopeOf({ tourId, continent }: PriceRule): 'tour' | 'continent' | 'all' {
  if (tourId) return 'tour';
  return continent ? 'continent' : 'all';
}

export function describeScope({ tour, continent }: PriceRuleDocument): string {
  return tour ?? continent ?? 'all tours';
}

/** Returns the categories whose price the rule changes. */
export function describeCategories({ category, percent }: PriceRuleDocument): string {
  return category ?? (percent === null ? 'first' : 'all');
}

/** Returns `+12.5 %`, `-20.00 EUR` or `990.00 EUR`. */
export function describePriceChange({ percent, amount, price, currency }: PriceRuleDocument): string {
  if (percent !== null) return `${plusOf(percent)}${percent} %`;
  return amount === null
    ? formatMoney(price!, currency!)
    : `${plusOf(amount)}${formatMoney(amount, currency!)}`;
}

function plusOf(value: number): string {
  return value < 0 ? '' : '+';
}

export function describeTravel({ travel_from: from, travel_to: to }: PriceRuleDocument): string {
  return from || to ? `${from ?? ''}..${to ?? ''}` : 'any time';
}

/** Returns `makes 3 prices in 1 tour less than half of the platform's, 1 of them 0, such as …`. */
export function describeLowPrices({ prices, free, tours, lowest }: LowPrices): string {
  const many = `${countOf(prices, 'price')} in ${countOf(tours, 'tour')}`;
  const zero = free > 0 ? `, ${free} of them 0` : '';
  return `makes ${many} less than half of the platform's${zero}, such as ${describeLowest(lowest)}`;
}

/** Returns `alps on 2031-06-01, adult: 0.00 EUR instead of 1,100.00 EUR`. */
function describeLowest(price: LowPrice): string {
  const { tour, departureDate: date, category, platformMinor, tenantMinor, currency, currencyDigits } = price;
  const money = (minor: number) => formatMoney(toMajor(minor, currencyDigits), currency);
  const when = date === null ? 'without a date' : `on ${nameDeparture(date, price.departureTime)}`;
  return `${tour} ${when}, ${category.replaceAll('_', ' ')}: ${money(tenantMinor)} instead of ${money(platformMinor)}`;
}
