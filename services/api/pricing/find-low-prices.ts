import type { Db } from '../../platform/database';
import type { Tenant } from '../tenants/tenant';
import { type NewPriceRule, toNewRule } from './change-price-rules';
import { type PriceRule, rankPriceRules } from './choose-price-rule';
import {
  findPlatformPrices,
  findPriceRanges,
  findScopedTourIds,
  type PlatformPrices,
  type PriceRange,
} from './platform-prices.repository';
import { findDiscountRules, findPriceRules } from './price-rule.repository';
import type { Prices } from './price-categories';
import { applyPriceRule } from './apply-price-rule';

/** A tenant's price that is less than half of the platform's price. Money is in minor units of the tour's currency. */
export interface LowPrice {
  tour: string;
  /** Null: the base price, for a booking without a date. */
  departureDate: string | null;
  /** HH:MM. Null: the departure has no start time, or this is the base price. */
  departureTime: string | null;
  category: keyof Prices;
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

type TenantOfRules = Pick<Tenant, 'id' | 'slug' | 'currency'>;

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
  if (!ranges.some((range) => canMakeLow(added, tenant.currency, range))) return undefined;
  const [found] = await findLowPrices(db, tenant, [added], added);
  return found;
}

/** Finds stored rules that cause low prices. Checks no further tenant once it has found `limit` rules. */
export async function findLowPriceRules(
  db: Db,
  limit: number,
): Promise<(LowPrices & { tenant: TenantOfRules })[]> {
  const discounts = await findDiscountRules(db);
  if (discounts.length === 0) return [];
  const ranges = await findPriceRanges(db);
  const suspects = new Map<string, { tenant: TenantOfRules; rules: PriceRule[] }>();
  for (const { rule, tenant } of discounts) {
    if (!ranges.some((range) => canMakeLow(rule, tenant.currency, range))) continue;
    const known = suspects.get(tenant.id) ?? { tenant, rules: [] };
    suspects.set(tenant.id, { tenant, rules: [...known.rules, rule] });
  }
  const found = [];
  for (const { tenant, rules } of suspects.values()) {
    if (found.length >= limit) break;
    for (const low of await findLowPrices(db, tenant, rules)) found.push({ ...low, tenant });
  }
  return found;
}

/**
 * Returns true if a rule can make a price of the range low. Before rounding, the result is linear in the price, so it is enough to check
 * both ends of the range. Rounding lowers a price by half a step at most.
 */
function canMakeLow(rule: PriceRule, tenantCurrency: string, range: PriceRange): boolean {
  const { currency, digits, lowest, highest } = range;
  if (rule.currency !== null && (rule.currency !== currency || rule.currency !== tenantCurrency))
    return false;
  const halfStep = (Number(rule.roundTo ?? 0) * 10 ** digits) / 2;
  const exact = { ...rule, roundTo: null };
  return [lowest, highest].some(
    (adult) => 2 * (applyPriceRule({ adult }, exact, digits).adult - halfStep) < adult,
  );
}

async function findLowPrices(
  db: Db,
  tenant: TenantOfRules,
  suspects: PriceRule[],
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
    const stored = await findPriceRules(db, tenant.id, tourIds);
    const rules = added ? [...stored, added] : stored;
    for (const priced of await findPlatformPrices(db, tourIds, boundsOf(rules)))
      addLowPrices(found, priced, rules, tenant.currency);
    if (tourIds.length < TOURS_A_PAGE) break;
    after = tourIds.at(-1);
  }
  const wanted = new Set(suspects.map(({ id }) => id));
  return [...found.values()]
    .filter(({ rule }) => wanted.has(rule.id))
    .map(({ slugs, ...low }) => ({ ...low, tours: slugs.size }));
}

/** Returns the first day of each travel window and the first day after it. */
function boundsOf(rules: PriceRule[]): string[] {
  const dayAfter = (date: string) => new Date(Date.parse(date) + 86_400_000).toISOString().slice(0, 10);
  const days = rules.flatMap(({ travelFrom, travelTo }) => [
    ...(travelFrom ? [travelFrom] : []),
    ...(travelTo ? [dayAfter(travelTo)] : []),
  ]);
  return [...new Set(days)].sort();
}

function addLowPrices(
  found: Map<number, LowPrices & { slugs: Set<string> }>,
  { tour, prices: platform, date, time, count }: PlatformPrices,
  rules: PriceRule[],
  tenantCurrency: string,
): void {
  const [rule] = rankPriceRules(rules, tour, tenantCurrency, date);
  if (!rule) return;
  const tenant = applyPriceRule(platform, rule, tour.currencyDigits);
  for (const category of Object.keys(platform) as (keyof Prices)[]) {
    const [platformMinor, tenantMinor] = [platform[category]!, tenant[category]!];
    if (2 * tenantMinor >= platformMinor) continue;
    const { slug, currency, currencyDigits } = tour;
    const price = { category, platformMinor, tenantMinor, currency, currencyDigits };
    const low = { ...price, tour: slug, departureDate: date, departureTime: time };
    const known = found.get(rule.id) ?? { rule, prices: 0, free: 0, tours: 0, lowest: low, slugs: new Set() };
    known.prices += count;
    known.free += tenantMinor === 0 ? count : 0;
    known.slugs.add(slug);
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
