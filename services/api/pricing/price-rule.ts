export const PRICE_RULE_KINDS = ['percent', 'amount', 'price'] as const;
export type PriceRuleKind = (typeof PRICE_RULE_KINDS)[number];

/** One rule of a tenant's pricing layer (CONTRACT section 8). Without tourId and continent it is a general rule. */
export interface PriceRule {
  id: number;
  tourId: string | null;
  continent: string | null;
  kind: PriceRuleKind;
  /** Decimal text such as "12.5000", of a percent rule. */
  percent: string | null;
  /** Minor units of `currency`, of an amount or price rule. */
  amountMinor: number | null;
  currency: string | null;
  /** Inclusive travel dates, YYYY-MM-DD; null is open. */
  travelFrom: string | null;
  travelTo: string | null;
  /** Decimal text, major units: "5" rounds to the nearest multiple of five. */
  roundTo: string | null;
}
