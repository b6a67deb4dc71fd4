import { type Category, storedCategories } from '../parties/category';
import { firstCategory } from '../parties/party-rules';

/** A price rule as a sale has locked it. */
export interface PriceBreakdownRule {
  /**
   * Id of the pricing rule.
   * @isInt
   * @example 7
   */
  id: number;
  applies_to: 'tour' | 'continent' | 'all';
  kind: 'percent' | 'amount' | 'price';
  value: number;
}

/** How the price of a hold or booking was made, as it is stored. Its amounts are in columns of their own. */
export interface PriceCalculation extends StoredRules, Partial<ConversionAnswer> {
  /** Only of a booking. */
  deposit_percent?: number;
}

/** The conversion of the platform's prices. All null: the tour had the tenant's selling currency. */
export interface ConversionAnswer {
  /** ISO 4217. The currency of the tour. */
  converted_from: string | null;
  /** Units of the currency of the sale for one unit of `converted_from`, rounded to 12 significant digits. */
  rate: number | null;
  /** YYYY-MM-DD. The day of the rate; if two rates were used, the earlier day. */
  rate_date: string | null;
}

/** The rules of a stored price calculation. */
interface StoredRules {
  /** The rule that decides the first category. Null: none. */
  rule: PriceBreakdownRule | null;
  /**
   * The rules of the other categories, by code, where they are not the one that `rule` implies: a percentage decides each category, and money
   * the first one alone. Calculations from before each category had its own rule are read in the same way.
   */
  category_rules?: Record<string, PriceBreakdownRule | null>;
}

/** A price calculation, and the categories that are locked with it. */
interface Explained {
  priceBreakdown: PriceCalculation;
  categories: readonly Category[];
}

/**
 * Returns the rules for a stored price calculation.
 * @param codes of the categories with a price
 * @param ruleOf returns the rule that decides a category
 */
export function storedRules(
  categories: readonly Category[],
  codes: string[],
  ruleOf: (code: string) => PriceBreakdownRule | null,
): StoredRules {
  const first = firstCategory(categories).code;
  const rule = ruleOf(first);
  const own = codes.filter((code) => ruleOf(code)?.id !== impliedRule(rule, code, first)?.id);
  if (own.length === 0) return { rule };
  return { rule, category_rules: Object.fromEntries(own.map((code) => [code, ruleOf(code)])) };
}

/**
 * Returns the rule that decides a category in a stored price calculation. Null: the platform's price.
 * @rule which rule made each stored price: test/api/party.long.test.ts
 */
export function storedRuleOf(
  { priceBreakdown, categories }: Explained,
  code: string,
): PriceBreakdownRule | null {
  const { rule, category_rules: own = {} } = priceBreakdown;
  if (Object.hasOwn(own, code)) return inOrder(own[code]!);
  return inOrder(impliedRule(rule, code, firstCategory(categories).code));
}

/** Returns whether the rule of each category follows from the rule of the first one, for a tour without categories of its own. */
export function impliesRules({ priceBreakdown, categories }: Explained): boolean {
  return priceBreakdown.category_rules === undefined && storedCategories(categories) === null;
}

function impliedRule(
  rule: PriceBreakdownRule | null,
  code: string,
  first: string,
): PriceBreakdownRule | null {
  return code === first || rule?.kind === 'percent' ? rule : null;
}

/** Lists the fields in this order, because jsonb does not keep it. */
function inOrder(rule: PriceBreakdownRule | null): PriceBreakdownRule | null {
  return rule && { id: rule.id, applies_to: rule.applies_to, kind: rule.kind, value: rule.value };
}
