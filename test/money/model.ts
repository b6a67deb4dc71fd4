/**
 * Calculates prices a second time, with whole numbers alone. Shares no code with the product, and finds a rounded quotient by comparisons
 * instead of a formula.
 */

/** A decimal text in units of 10^-10. */
export function tenDecimals(text: string): bigint {
  const [whole, fraction = ''] = text.replace('-', '').split('.');
  const value = BigInt(whole + fraction.padEnd(10, '0'));
  return text.startsWith('-') ? -value : value;
}

/** Returns the whole number nearest to numerator / denominator, and of two equally near ones the larger. Both are positive, or 0. */
function nearestWhole(numerator: bigint, denominator: bigint): bigint {
  let low = 0n;
  let high = numerator / denominator + 1n;
  // Finds the largest whole number that is at most half a unit above the quotient.
  while (low < high) {
    const middle = (low + high + 1n) / 2n;
    if ((2n * middle - 1n) * denominator <= 2n * numerator) low = middle;
    else high = middle - 1n;
  }
  return low;
}

export interface ModelCurrency {
  code: string;
  digits: number;
  /** Units for one euro; EUR has '1'. */
  perEuro: string;
}

/** Converts minor units of one currency to minor units of another one. */
export function modelConversion(minor: bigint, from: ModelCurrency, to: ModelCurrency): bigint {
  if (from.code === to.code) return minor;
  const numerator = minor * 10n ** BigInt(to.digits) * tenDecimals(to.perEuro);
  return nearestWhole(numerator, 10n ** BigInt(from.digits) * tenDecimals(from.perEuro));
}

export type ModelRule =
  | { kind: 'percent'; percent: string; roundTo?: string }
  | { kind: 'amount' | 'price'; minor: bigint; roundTo?: string };

/** Applies a rule to a price in the currency of the rule. @param isItsCategory whether a rule in money changes this price */
function modelRule(
  minor: bigint,
  rule: ModelRule | undefined,
  isItsCategory: boolean,
  digits: number,
): bigint {
  if (!rule) return minor;
  const step = rule.roundTo === undefined ? 1n : tenDecimals(rule.roundTo) / 10n ** BigInt(10 - digits) || 1n;
  if (rule.kind === 'percent') {
    const factor = 100n * 10n ** 10n + tenDecimals(rule.percent);
    return factor <= 0n ? 0n : nearestWhole(minor * factor, 100n * 10n ** 10n * step) * step;
  }
  if (!isItsCategory) return minor;
  const price = rule.kind === 'price' ? rule.minor : minor + rule.minor;
  return price <= 0n ? 0n : nearestWhole(price, step) * step;
}

/** Returns the deposit of a total. @param percent a decimal text */
export function modelDeposit(total: bigint, percent: string): bigint {
  return nearestWhole(total * tenDecimals(percent), 100n * 10n ** 10n);
}

/** Returns the decimal text of an amount in minor units. */
export function decimalOf(amount: bigint, digits: number): string {
  const text = amount.toString().padStart(digits + 1, '0');
  return digits === 0 ? text : `${text.slice(0, -digits)}.${text.slice(-digits)}`;
}

/** The currencies of the model, with 0, 2 and 3 digits. */
export const DIGITS = { EUR: 2, USD: 2, GBP: 2, JPY: 0, KRW: 0, KWD: 3, TND: 3 } as const;
export type Code = keyof typeof DIGITS;
export const CODES = Object.keys(DIGITS) as Code[];

/** Units of each currency for one euro, as decimal texts. */
export type ModelRates = Record<Exclude<Code, 'EUR'>, string>;

/** The categories of the model, the first one of a tour first. A tour may have other codes for them (Shape). */
export const CATEGORIES = ['adult', 'child', 'single_supplement'] as const;
export type Category = (typeof CATEGORIES)[number];
/** An amount, or a number, of each category. */
export type ByCategory = Record<Category, bigint>;

export type ShopRule = ModelRule & {
  /** The currency of a rule in money. */
  code?: Code;
  /** The only category that a rule in money changes. Undefined: the first one. */
  category?: Category;
  /** True: the rule applies only to travel on the date of the first departure. */
  onlyFirst: boolean;
};

/** All on which the prices of a tenant for one tour with two departures depend. */
export interface ModelShop {
  /** The currency of the tour. */
  listed: Code;
  /** The price of the first category without a date. */
  base: bigint;
  departures: [ByCategory, ByCategory];
  /** The tenant's selling currency. Null: it sells each tour in the tour's own. */
  sellIn: Code | null;
  rates: ModelRates;
  rule: ShopRule | undefined;
  /** A decimal text; '0' for a tenant whose customers only reserve. */
  depositPercent: string;
}

/** The currency of a new tenant, in which its rules in money apply if it has no selling currency. */
const TENANT_CURRENCY = 'EUR';

/** A price in the currency of the sale, as a hold locks it. */
export interface ModelPrice {
  currency: Code;
  /** The platform's price of each category. */
  platform: ByCategory;
  /** The tenant's price of each category. */
  tenant: ByCategory;
  /** True: the tenant has a selling currency. */
  isBound: boolean;
  /** The currency of the tour, if the price was converted, and the shown rate. */
  converted: { from: Code; rate: number } | null;
}

/**
 * Returns a price of the tour: converted and rounded, then changed by the rule and rounded again.
 * @param listed in the currency of the tour
 * @param isFirst true for the price of the first departure
 */
function tenantPriceOf(shop: ModelShop, listed: ByCategory, isFirst: boolean): ModelPrice {
  const { sellIn, rule } = shop;
  const currency = sellIn ?? shop.listed;
  const [from, to] = [currencyOf(shop.listed, shop.rates), currencyOf(currency, shop.rates)];
  const isInItsCurrency =
    rule?.code === undefined || (rule.code === currency && rule.code === (sellIn ?? TENANT_CURRENCY));
  const applies = isInItsCurrency && (isFirst || !rule?.onlyFirst);
  const platform = eachCategory((category) => modelConversion(listed[category], from, to));
  const ruled = rule?.category ?? 'adult';
  const tenant = eachCategory((category) =>
    modelRule(platform[category], applies ? rule : undefined, category === ruled, DIGITS[currency]),
  );
  const converted = currency === shop.listed ? null : { from: shop.listed, rate: shownRate(from, to) };
  return { currency, platform, tenant, isBound: sellIn !== null, converted };
}

function eachCategory(amountOf: (category: Category) => bigint): ByCategory {
  return {
    adult: amountOf('adult'),
    child: amountOf('child'),
    single_supplement: amountOf('single_supplement'),
  };
}

/** Adds up the prices of a party. */
export function sumOf(party: ByCategory, prices: ByCategory): bigint {
  return (
    party.adult * prices.adult +
    party.child * prices.child +
    party.single_supplement * prices.single_supplement
  );
}

/** @param index of the departure */
export function priceOf(shop: ModelShop, index: number): ModelPrice {
  return tenantPriceOf(shop, shop.departures[index]!, index === 0);
}

/** Returns the base price as a price of a departure, which has other categories too. */
export function basePriceOf(shop: ModelShop): ModelPrice {
  return tenantPriceOf(shop, { adult: shop.base, child: 0n, single_supplement: 0n }, false);
}

/** Returns whether a price above 0 becomes 0 in the currency of the sale. Such a price is not sold. */
export function hasLostPrice(shop: ModelShop): boolean {
  const [from, to] = [
    currencyOf(shop.listed, shop.rates),
    currencyOf(shop.sellIn ?? shop.listed, shop.rates),
  ];
  const listed = shop.departures.flatMap((prices) => CATEGORIES.map((category) => prices[category]));
  return [shop.base, ...listed].some((minor) => minor > 0n && modelConversion(minor, from, to) === 0n);
}

function currencyOf(code: Code, rates: ModelRates): ModelCurrency {
  return { code, digits: DIGITS[code], perEuro: code === 'EUR' ? '1' : rates[code] };
}

const SHOWN_DIGITS = 12;

/** Returns the units of a currency for one unit of another one, with 12 significant digits. */
function shownRate(from: ModelCurrency, to: ModelCurrency): number {
  const [numerator, denominator] = [tenDecimals(to.perEuro), tenDecimals(from.perEuro)];
  let decimals = 30;
  let rounded = nearestWhole(numerator * 10n ** BigInt(decimals), denominator);
  while (rounded.toString().length > SHOWN_DIGITS) {
    decimals -= 1;
    rounded = nearestWhole(numerator * 10n ** BigInt(decimals), denominator);
  }
  return Number(`${rounded}e-${decimals}`);
}
