import type { Db } from '../../platform/database';
import type { Tenant } from '../tenants/tenant';
import { rankPriceRules } from './choose-price-rule';
import type { PriceRule } from './price-rule';
import { findPriceRules } from './price-rule.repository';
import type { PricedTour, Prices } from './prices';
import { depositOf, tenantPrices } from './tenant-price';

/** What a tenant's customer pays, in minor units, and how the price came about. */
export interface Quote {
  platform: Prices;
  tenant: Prices;
  /** One adult's deposit. */
  deposit: number;
  rule: PriceRule | undefined;
}

/** Quotes any of the tours it was made for, without asking the database again. */
export type Quoter = (tour: PricedTour, platform: Prices, travelDate: string | null) => Quote;

/** Reads the tenant's pricing layer once for these tours. */
export async function tenantQuoter(db: Db, tenant: Tenant, tourIds: string[]): Promise<Quoter> {
  return quoterOf(tenant, tourIds.length ? await findPriceRules(db, tenant.id, tourIds) : []);
}

/** @param rules the tenant's, all that can concern the tours to be quoted */
export function quoterOf(tenant: Tenant, rules: PriceRule[]): Quoter {
  return (tour, platform, travelDate) => {
    const [rule] = rankPriceRules(rules, tour, tenant.currency, travelDate);
    const prices = tenantPrices(platform, rule, tour.currencyDigits);
    const deposit = depositOf(prices.adult, tenant.depositPercent, tenant.paymentMethod);
    return { platform, tenant: prices, deposit, rule };
  };
}

/** The tenant's price of one tour on one date (null: a booking without a date). */
export async function quoteTenantPrice(
  db: Db,
  tenant: Tenant,
  tour: PricedTour,
  platform: Prices,
  travelDate: string | null,
): Promise<Quote> {
  const quote = await tenantQuoter(db, tenant, [tour.id]);
  return quote(tour, platform, travelDate);
}
