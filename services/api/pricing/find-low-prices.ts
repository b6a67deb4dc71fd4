import type { Db } from '../../platform/database/database';
import { addDays } from '../../platform/forms/days';
import type { Tenant } from '../tenants/tenant';
import { type NewPriceRule, toNewRule } from './change-price-rules';
import { isInOtherCurrency, type PriceRule } from './choose-price-rule';
import { convertPrices, type ExchangeRates, ratesByCurrency } from './convert-price';
import { findExchangeRates } from './exchange-rate.repository';
import {
  findPlatformPrices,
  findPriceRanges,
  findScopedTourIds,
  type PlatformPrices,
  type PriceRange,
} from './platform-prices.repository';
import { findDiscountRules, findPriceRules, type TenantOfRules } from './price-rule.repository';
import { type Quote, quoterFromRules } from './quote-tenant-price';
import { ruleCurrencyOf, saleFinder } from './selling-currency';
import { applyPriceRule } from './apply-price-rule';

/** A tenant's price that is less than half of the platform's price. Money is in minor units of the currency of the sale. */
export interface LowPrice {
  tour: string;
  /** Null: the base price, for a booking without a date. */
  departureDate: string | null;
  /** HH:MM. Null: the departure has no start time, or this is the base price. */
  departureTime: string | null;
  /** The code of the category. */
  category: string;
  platformMinor: number;
  tenantMinor: number;
  currency: string;
  currencyDigits: number;
}

/** The low prices that one rule causes. */
export interface LowPrices {
  rule: PriceRule;
  prices: number;
  /** The number of prices that are 0. */
  free: number;
  tours: number;
  /** The lowest price in relation to the platform's price. */
  lowest: LowPrice;
}

const TOURS_A_PAGE = 500;
/** The id of a rule that is checked before it is stored. With this id, the rule ranks as newer than any stored rule. */
const NEWEST = Number.MAX_SAFE_INTEGER;

/**
 * Finds the low prices that a rule would cause if it were added. Checks the published tours of its scope, whether the tenant sees them or
 * not: their base prices, and the prices of their open departures in all categories.
 * @throws InvalidAmountError, ForeignCurrencyError
 */
export async function findLowPricesOf(
  db: Db,
  tenant: Tenant,
  rule: NewPriceRule,
): Promise<LowPrices | undefined> {
  const added = { ...toNewRule(tenant, rule), id: NEWEST };
  const ranges = await findPriceRanges(db);
  const rates = ratesByCurrency(await findExchangeRates(db));
  const sale = saleFinder(tenant, rates);
  if (!ranges.some((range) => canMakeLow(added, tenant, range, sale))) return undefined;
  const [found] = await findLowPrices(db, tenant, [added], rates, added);
  return found;
}

/**
 * Finds stored rules that cause low prices. Checks no further tenant once it has found `limit` rules.
 * @param tenantId undefined: of all tenants that the API serves
 */
export async function findLowPriceRules(
  db: Db,
  { limit = Infinity, tenantId }: { limit?: number; tenantId?: string },
): Promise<(LowPrices & { tenant: TenantOfRules })[]> {
  const discounts = await findDiscountRules(db, tenantId);
  if (discounts.length === 0) return [];
  const ranges = await findPriceRanges(db);
  const rates = ratesByCurrency(await findExchangeRates(db));
  const suspects = new Map<string, { tenant: TenantOfRules; rules: PriceRule[] }>();
  for (const { rule, tenant } of discounts) {
    const sale = saleFinder(tenant, rates);
    if (!ranges.some((range) => canMakeLow(rule, tenant, range, sale))) continue;
    const known = suspects.get(tenant.id) ?? { tenant, rules: [] };
    suspects.set(tenant.id, { tenant, rules: [...known.rules, rule] });
  }
  const found = [];
  for (const { tenant, rules } of suspects.values()) {
    if (found.length >= limit) break;
    for (const low of await findLowPrices(db, tenant, rules, rates)) found.push({ ...low, tenant });
  }
  return found;
}

/**
 * Returns true if a rule can make a price of the range low. Before rounding, the result is linear in the price, so it is enough to check
 * both ends of the range. Rounding lowers a price by half a step at most.
 */
function canMakeLow(
  rule: PriceRule,
  tenant: TenantOfRules,
  { currency, digits, lowest, highest }: PriceRange,
  saleOf: ReturnType<typeof saleFinder>,
): boolean {
  const sale = saleOf({ currency, currencyDigits: digits });
  if (!sale) return false;
  if (isInOtherCurrency(rule, sale.currency, ruleCurrencyOf(tenant).currency)) return false;
  const halfStep = (Number(rule.roundTo ?? 0) * 10 ** sale.currencyDigits) / 2;
  const exact = { ...rule, roundTo: null };
  return [lowest, highest].some((minor) => {
    const converted = sale.conversion ? convertPrices({ minor }, sale.conversion)['minor']! : minor;
    // A price of 0 cannot become low, but higher prices of the range can.
    const price = Math.max(1, converted);
    return 2 * (applyPriceRule(price, exact, sale.currencyDigits) - halfStep) < price;
  });
}

async function findLowPrices(
  db: Db,
  tenant: TenantOfRules,
  suspects: PriceRule[],
  rates: ExchangeRates,
  added?: PriceRule,
): Promise<LowPrices[]> {
  const scope = {
    all: suspects.some((rule) => rule.tourId === null && rule.continent === null),
    tourIds: suspects.flatMap((rule) => rule.tourId ?? []),
    continents: suspects.flatMap((rule) => rule.continent ?? []),
  };
  const found = new Map<number, LowPrices & { slugs: Set<string> }>();
  let after: string | undefined;
  for (;;) {
    const tourIds = await findScopedTourIds(db, scope, after, TOURS_A_PAGE);
    for (const quoted of await quotePrices(db, tenant, tourIds, { rates, added }))
      addLowPrices(found, quoted);
    if (tourIds.length < TOURS_A_PAGE) break;
    after = tourIds.at(-1);
  }
  const wanted = new Set(suspects.map(({ id }) => id));
  return [...found.values()]
    .filter(({ rule }) => wanted.has(rule.id))
    .map(({ slugs, ...low }) => ({ ...low, tours: slugs.size }));
}

/** Prices of a tour, with what the tenant makes of them. */
export interface QuotedPrices extends PlatformPrices {
  quote: Quote;
}

/**
 * Quotes the base prices of some tours and the prices of their open departures. Leaves out a tour without an exchange rate.
 * @param tenant whose price rules apply
 */
export async function quotePlatformPrices(
  db: Db,
  tenant: TenantOfRules,
  tourIds: string[],
): Promise<QuotedPrices[]> {
  return quotePrices(db, tenant, tourIds, { rates: ratesByCurrency(await findExchangeRates(db)) });
}

/** @param added a rule that is not stored, and applies too */
async function quotePrices(
  db: Db,
  tenant: TenantOfRules,
  tourIds: string[],
  { rates, added }: { rates: ExchangeRates; added?: PriceRule },
): Promise<QuotedPrices[]> {
  const stored = await findPriceRules(db, tenant.id, tourIds);
  const rules = added ? [...stored, added] : stored;
  const quoter = quoterFromRules(tenant, rules, rates);
  const priced = await findPlatformPrices(db, tourIds, boundsOf(rules));
  return priced.flatMap((prices) => {
    const quote = quoter(prices.tour, prices.prices, prices.date);
    return quote ? [{ ...prices, quote }] : [];
  });
}

/** Returns the first day of each travel window and the first day after it. */
function boundsOf(rules: PriceRule[]): string[] {
  const days = rules.flatMap(({ travelFrom, travelTo }) => [
    ...(travelFrom ? [travelFrom] : []),
    ...(travelTo ? [addDays(travelTo, 1)] : []),
  ]);
  return [...new Set(days)].sort();
}

function addLowPrices(
  found: Map<number, LowPrices & { slugs: Set<string> }>,
  { tour, date, time, count, quote }: QuotedPrices,
): void {
  const { converted, tenant, currency, currencyDigits } = quote;
  for (const [category, platformMinor] of Object.entries(converted)) {
    const rule = quote.ruleOf(category);
    const tenantMinor = tenant[category]!;
    if (!rule || 2 * tenantMinor >= platformMinor) continue;
    const price = { category, platformMinor, tenantMinor, currency, currencyDigits };
    const low = { ...price, tour: tour.slug, departureDate: date, departureTime: time };
    const known = found.get(rule.id) ?? { rule, prices: 0, free: 0, tours: 0, lowest: low, slugs: new Set() };
    known.prices += count;
    known.free += tenantMinor === 0 ? count : 0;
    known.slugs.add(tour.slug);
    if (isLower(low, known.lowest)) known.lowest = low;
    found.set(rule.id, known);
  }
}

/**
 * Returns whether `a` is lower than `b` in relation to the platform's price. If both are equally low, the one with the higher platform
 * price counts as lower.
 */
function isLower(a: LowPrice, b: LowPrice): boolean {
  const [left, right] = [a.tenantMinor * b.platformMinor, b.tenantMinor * a.platformMinor];
  return left === right ? a.platformMinor > b.platformMinor : left < right;
}
