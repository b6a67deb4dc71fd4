import type { LeasedReads } from '../../platform/change-lease/leased-cache';
import type { Tenant } from '../tenants/tenant';
import { findPriceRules } from './price-rule.repository';
import type { PricedTour, Prices } from './prices';
import { type Quote, type Quoter, quoterOf } from './quote-tenant-price';

const RULES_PER_KIB = 4;

/** tenantQuoter of one tour, with the rules remembered while the lease holds. For reads: what is sold is priced anew. */
export async function recallQuoter(
  { db, leased }: LeasedReads,
  tenant: Tenant,
  tour: PricedTour,
): Promise<Quoter> {
  const rules = await leased.recall(`rules ${tenant.id} ${tour.id}`, async () => {
    const value = await findPriceRules(db, tenant.id, [tour.id]);
    return { value, until: Infinity, size: 1 + value.length / RULES_PER_KIB };
  });
  return quoterOf(tenant, rules);
}

/** quoteTenantPrice, with the rules remembered. */
export async function recallQuote(
  reads: LeasedReads,
  tenant: Tenant,
  tour: PricedTour,
  platform: Prices,
  travelDate: string | null,
): Promise<Quote> {
  return (await recallQuoter(reads, tenant, tour))(tour, platform, travelDate);
}
