import type { Db } from '../../platform/database/database';
import type { CachedReads } from '../../platform/read-cache/read-cache';
import type { Tenant } from '../tenants/tenant';
import {
  changesCategory,
  decidingRule,
  type Defeat,
  explainRule,
  type Inapplicability,
  type PriceRule,
  rankPriceRules,
  whyBeaten,
  whyInapplicable,
} from './choose-price-rule';
import { findPriceRules } from './price-rule.repository';
import { type LockedPrice, mapPrices, type PricedTour, areExactInTotal, totalOf } from './price-categories';
import { applyPriceRule, depositOf } from './apply-price-rule';
import {
  type Conversion,
  convertPrices,
  type Currency,
  type ExchangeRates,
  NO_RATES,
  ratesByCurrency,
} from './convert-price';
import { findExchangeRates } from './exchange-rate.repository';
import { type ConversionAnswer, type PriceCalculation, storedRules, storedRuleOf } from './explained-rules';
import { PriceNotSoldError, RateMissingError } from './pricing.errors';
import { type PricingTenant, ruleCurrencyOf, saleFinder } from './selling-currency';
import type { Category } from '../parties/category';
import { firstCategory, type Prices } from '../parties/party-rules';
import { type WantedParty, assertWantedParty } from '../parties/requested-party';

/** The platform's prices, the prices that the tenant's customer pays, and how they were made. All prices are in minor units. */
export interface Quote extends Currency {
  /** In the currency of the tour. */
  platform: Prices;
  /** The platform's prices in the currency of the sale. */
  converted: Prices;
  /** In the currency of the sale: `currency` of the quote. */
  tenant: Prices;
  /** The categories of the tour. */
  categories: readonly Category[];
  /** The deposit of one unit of the first category, in the currency of the sale. */
  deposit: number;
  /** The rule that decides the price of the first category. */
  rule: PriceRule | undefined;
  /** Returns the rule that decides the price of a category. */
  ruleOf(code: string): PriceRule | undefined;
  /** How the prices were converted. Null: the tour has the tenant's selling currency. Undefined: the tenant has no selling currency. */
  conversion: Conversion | null | undefined;
}

/**
 * Quotes a price without a query. Can quote only the tours for which it was created. Returns undefined if the tenant does not sell the tour
 * at these prices: the first category has no price, a rate is missing, a price above 0 becomes 0 by the conversion, or a converted or changed price is too large.
 */
export type Quoter = (tour: PricedTour, platform: Prices, travelDate: string | null) => Quote | undefined;

/** Creates a quoter from the tenant's stored price rules for these tours, and from the stored rates. */
export async function createQuoter(db: Db, tenant: Tenant, tourIds: string[]): Promise<Quoter> {
  const rules = tourIds.length ? await findPriceRules(db, tenant.id, tourIds) : [];
  return quoterFromRules(tenant, rules, await readRatesFor(db, tenant));
}

/** Returns all rates if the tenant needs some: if it has a selling currency. */
async function readRatesFor(db: Db, { sellIn }: Pick<Tenant, 'sellIn'>): Promise<ExchangeRates> {
  return ratesByCurrency(sellIn === null ? [] : await findExchangeRates(db));
}

/**
 * Creates a quoter. Converts the platform's prices to the tenant's selling currency and rounds them, then applies the rule and rounds again.
 * @param rules all the tenant's rules that can apply to the tours
 * @param rates all rates; not used for a tenant without a selling currency
 */
export function quoterFromRules(tenant: PricingTenant, rules: PriceRule[], rates: ExchangeRates): Quoter {
  const saleIn = saleFinder(tenant, rates);
  const ruleCurrency = ruleCurrencyOf(tenant).currency;
  return (tour, platform, travelDate) => {
    const { categories } = tour;
    const first = firstCategory(categories).code;
    const sale = saleIn(tour);
    if (!sale || platform[first] === undefined) return undefined;
    const { currency, currencyDigits, conversion } = sale;
    const converted = conversion ? convertPrices(platform, conversion) : platform;
    if (!staysSellable(platform, converted)) return undefined;
    const ranked = rankPriceRules(rules, { ...tour, currency, currencyDigits }, ruleCurrency, travelDate);
    const ruleOf = (code: string) => decidingRule(ranked, code, first);
    const prices =
      ranked.length === 0
        ? converted
        : mapPrices(converted, (minor, code) => applyPriceRule(minor, ruleOf(code), currencyDigits));
    if (!areExactInTotal(prices)) return undefined;
    const deposit = depositOf(prices[first]!, tenant.depositPercent, tenant.paymentMethod);
    const sold = { currency, currencyDigits, conversion, categories };
    return { platform, converted, tenant: prices, deposit, rule: ruleOf(first), ruleOf, ...sold };
  };
}

/** Returns whether converted prices can be sold: no price above 0 has become 0, and none is too large for exact totals. */
export function staysSellable(platform: Prices, converted: Prices): boolean {
  const becomesFree = (code: string) => converted[code] === 0 && platform[code] !== 0;
  return areExactInTotal(converted) && !Object.keys(converted).some(becomesFree);
}

const RULES_PER_KIB = 4;

/** Creates a quoter for one tour from cached rules and rates. Only for reads: a sale reads them from the database. */
export async function cachedQuoter(
  reads: CachedReads,
  tenant: Tenant,
  tour: { id: string },
): Promise<Quoter> {
  const { db, cache } = reads;
  const rules = await cache.get(`rules ${tenant.id} ${tour.id}`, async () => {
    const value = await findPriceRules(db, tenant.id, [tour.id]);
    return { value, until: Infinity, size: 1 + value.length / RULES_PER_KIB };
  });
  return quoterFromRules(tenant, rules, await cachedRatesFor(reads, tenant));
}

const RATES_PER_KIB = 8;

async function cachedRatesFor({ db, cache }: CachedReads, tenant: Tenant): Promise<ExchangeRates> {
  if (tenant.sellIn === null) return NO_RATES;
  return cache.get('rates', async () => {
    const value = await readRatesFor(db, tenant);
    return { value, until: Infinity, size: 1 + value.size / RATES_PER_KIB };
  });
}

/** Quotes the tenant's price of one tour from cached rules. @param travelDate YYYY-MM-DD; null: a price without a date */
export async function cachedQuote(
  reads: CachedReads,
  tenant: Tenant,
  tour: PricedTour,
  platform: Prices,
  travelDate: string | null,
): Promise<Quote | undefined> {
  return (await cachedQuoter(reads, tenant, tour))(tour, platform, travelDate);
}

/**
 * Returns the price that a sale locks.
 * @rule which price of the platform a sale locks: test/cli/report.long.test.ts
 */
export function lockPrice(quote: Quote): LockedPrice {
  const { tenant: prices, converted: platformPrices, categories, currency, currencyDigits } = quote;
  return {
    prices,
    platformPrices,
    categories,
    currency,
    currencyDigits,
    priceBreakdown: explainPrice(quote),
  };
}

/** Describes how the price of the first category was calculated, and which rule decides each category. */
function explainPrice(quote: Quote): PriceCalculation {
  const { converted, categories, currencyDigits } = quote;
  const ruleOf = (code: string) => explainRule(quote.ruleOf(code), currencyDigits);
  return { ...explainConversion(quote), ...storedRules(categories, Object.keys(converted), ruleOf) };
}

/** Returns undefined for a tenant without a selling currency. */
export function explainConversion({ conversion }: Pick<Quote, 'conversion'>): ConversionAnswer | undefined {
  if (conversion === undefined) return undefined;
  return {
    converted_from: conversion && conversion.from,
    rate: conversion && conversion.rate,
    rate_date: conversion && conversion.rateDate,
  };
}

/** Returns whether a price was locked by a tenant with a selling currency. */
export function isLockedInSellingCurrency({ priceBreakdown }: LockedPrice): boolean {
  return priceBreakdown.converted_from !== undefined;
}

/** Returns a price with the prices of these categories replaced by those of another price in the same currency. */
export function withPricesOf(price: LockedPrice, other: LockedPrice, codes: string[]): LockedPrice {
  if (codes.length === 0) return price;
  const take = (ofPrice: Partial<Prices>, ofOther: Partial<Prices>) => takeCodes(codes, ofPrice, ofOther);
  const prices = take(price.prices, other.prices);
  const platformPrices = take(price.platformPrices, other.platformPrices);
  // The calculation explains the price of the first category.
  const explains = codes.includes(firstCategory(price.categories).code) ? other : price;
  const { category_rules: _, ...calculation } = explains.priceBreakdown;
  const ruleOf = (code: string) => storedRuleOf(codes.includes(code) ? other : price, code);
  return {
    ...price,
    prices,
    platformPrices,
    priceBreakdown: { ...calculation, ...storedRules(price.categories, Object.keys(prices), ruleOf) },
  };
}

/** Returns prices with those of the codes replaced. A code may have no price. */
function takeCodes(codes: string[], prices: Partial<Prices>, others: Partial<Prices>): Prices {
  const kept = Object.entries(prices).filter(([code]) => !codes.includes(code));
  const taken = codes.flatMap((code) => (others[code] === undefined ? [] : [[code, others[code]]]));
  return Object.fromEntries([...kept, ...taken]) as Prices;
}

/** The present price of a booking, in minor units of the currency of the sale, and the reasons for it. */
export interface SimulatedPrice {
  quote: Quote;
  /** The price of one unit of the first category before it is rounded to the step of the rule. */
  unroundedMinor: number;
  totalMinor: number;
  depositMinor: number;
  /** Rules that apply to the first category but rank below `quote.rule`, best first. */
  beaten: { rule: PriceRule; because: Defeat }[];
  /** Rules with the right scope (tour, continent or all tours) that do not apply because of the date or the currency, newest first. */
  inapplicable: { rule: PriceRule; because: Inapplicability }[];
}

/**
 * Quotes a booking and explains the choice of the rule.
 * @param travelDate YYYY-MM-DD, or null for a booking without a date
 * @throws errors of assertWantedParty; RateMissingError, PriceNotSoldError
 */
export async function simulatePrice(
  db: Db,
  tenant: Tenant,
  tour: PricedTour,
  platform: Prices,
  { travelDate, meant }: { travelDate: string | null; meant: WantedParty },
): Promise<SimulatedPrice> {
  const rules = await findPriceRules(db, tenant.id, [tour.id]);
  const rates = await readRatesFor(db, tenant);
  const sale = saleFinder(tenant, rates)(tour);
  if (!sale) throw new RateMissingError(tour.currency, tenant.sellIn!, missingRates(rates, tour, tenant));
  const quote = quoterFromRules(tenant, rules, rates)(tour, platform, travelDate);
  if (!quote) throw new PriceNotSoldError(tour.currency, sale.currency);
  assertWantedParty(meant, tour.categories, quote.tenant);
  const { converted, currency, currencyDigits } = quote;
  const first = firstCategory(tour.categories).code;
  const sold = { ...tour, currency, currencyDigits };
  const ruleCurrency = ruleCurrencyOf(tenant).currency;
  const ranked = rankPriceRules(rules, sold, ruleCurrency, travelDate);
  const [decides, ...others] = ranked.filter((rule) => changesCategory(rule, first, first));
  const totalMinor = totalOf(meant.party, quote.tenant);
  return {
    quote,
    unroundedMinor: applyPriceRule(
      converted[first]!,
      decides && { ...decides, roundTo: null },
      currencyDigits,
    ),
    totalMinor,
    depositMinor: depositOf(totalMinor, tenant.depositPercent, tenant.paymentMethod),
    beaten: others.map((rule) => ({ rule, because: whyBeaten(decides!, rule) })),
    inapplicable: inapplicable(rules, sold, ruleCurrency, travelDate),
  };
}

/** Returns the currencies without a rate that a conversion to the selling currency needs. */
function missingRates(
  rates: ExchangeRates,
  { currency }: PricedTour,
  { sellIn }: Pick<Tenant, 'sellIn'>,
): string[] {
  return [currency, sellIn!].filter((needed) => needed !== 'EUR' && !rates.has(needed));
}

function inapplicable(
  rules: PriceRule[],
  tour: PricedTour,
  ruleCurrency: string,
  travelDate: string | null,
): SimulatedPrice['inapplicable'] {
  return [...rules]
    .sort((a, b) => b.id - a.id)
    .flatMap((rule) => {
      const because = whyInapplicable(rule, tour, ruleCurrency, travelDate);
      const isOfOthers = because === 'other_tour' || because === 'other_continent';
      return because === undefined || isOfOthers ? [] : { rule, because };
    });
}
