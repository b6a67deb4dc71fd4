import type { Db } from '../../platform/database';
import type { Tenant } from '../tenants/tenant';
import { rankPriceRules } from './choose-price-rule';
import type { PriceRule } from './price-rule';
import { findPriceRules } from './price-rule.repository';
import type { PricedTour, Prices } from './prices';
import { quoteTenantPrice, type Quote } from './quote-tenant-price';
import { depositOf } from './tenant-price';

/** What a booking would cost now, in minor units, and why. */
export interface SimulatedPrice {
  quote: Quote;
  totalMinor: number;
  depositMinor: number;
  /** Rules that would have applied, had `quote.rule` not been closer; the next in line first. */
  beaten: PriceRule[];
}

/** @param travelDate YYYY-MM-DD, or null for a booking without a date */
export async function simulatePrice(
  db: Db,
  tenant: Tenant,
  tour: PricedTour,
  platform: Prices,
  { travelDate, adults }: { travelDate: string | null; adults: number },
): Promise<SimulatedPrice> {
  const quote = await quoteTenantPrice(db, tenant, tour, platform, travelDate);
  const rules = await findPriceRules(db, tenant.id, [tour.id]);
  const [, ...beaten] = rankPriceRules(rules, tour, tenant.currency, travelDate);
  const totalMinor = quote.tenant.adult * adults;
  return {
    quote,
    totalMinor,
    depositMinor: depositOf(totalMinor, tenant.depositPercent, tenant.paymentMethod),
    beaten,
  };
}
