import type { Db } from '../../platform/database';
import type { Tenant } from '../tenants/tenant';
import {
  type Defeat,
  type Inapplicability,
  type PriceRule,
  rankPriceRules,
  whyBeaten,
  whyInapplicable,
} from './choose-price-rule';
import { findPriceRules } from './price-rule.repository';
import { assertPriced, type Party, totalOf } from './party';
import type { PricedTour, Prices } from './prices';
import { type Quote, quoterFromRules } from './quote-tenant-price';
import { depositOf, applyPriceRule } from './apply-price-rule';

/** The price of a booking now, in minor units, and its reasons. */
export interface SimulatedPrice {
  quote: Quote;
  /** One adult's price before it is rounded to the rule's step. */
  unroundedMinor: number;
  totalMinor: number;
  depositMinor: number;
  /** Rules that apply but rank below `quote.rule`, best first. */
  beaten: { rule: PriceRule; because: Defeat }[];
  /** Rules for this tour, its continent or all tours that do not apply on this date, newest first. */
  inapplicable: { rule: PriceRule; because: Inapplicability }[];
}

/**
 * Quotes a booking and explains the choice of the rule.
 * @param travelDate YYYY-MM-DD, or null for a booking without a date
 * @throws InvalidInputError for a category without a price
 */
export async function simulatePrice(
  db: Db,
  tenant: Tenant,
  tour: PricedTour,
  platform: Prices,
  { travelDate, party }: { travelDate: string | null; party: Party },
): Promise<SimulatedPrice> {
  const rules = await findPriceRules(db, tenant.id, [tour.id]);
  const quote = quoterFromRules(tenant, rules)(tour, platform, travelDate);
  assertPriced(party, quote.tenant);
  const [decides, ...others] = rankPriceRules(rules, tour, tenant.currency, travelDate);
  const totalMinor = totalOf(party, quote.tenant);
  return {
    quote,
    unroundedMinor: applyPriceRule(platform, decides && { ...decides, roundTo: null }, tour.currencyDigits)
      .adult,
    totalMinor,
    depositMinor: depositOf(totalMinor, tenant.depositPercent, tenant.paymentMethod),
    beaten: others.map((rule) => ({ rule, because: whyBeaten(decides!, rule) })),
    inapplicable: inapplicable(rules, tour, tenant.currency, travelDate),
  };
}

function inapplicable(
  rules: PriceRule[],
  tour: PricedTour,
  tenantCurrency: string,
  travelDate: string | null,
): SimulatedPrice['inapplicable'] {
  return [...rules]
    .sort((a, b) => b.id - a.id)
    .flatMap((rule) => {
      const because = whyInapplicable(rule, tour, tenantCurrency, travelDate);
      const isOfOthers = because === 'other_tour' || because === 'other_continent';
      return because === undefined || isOfOthers ? [] : { rule, because };
    });
}
