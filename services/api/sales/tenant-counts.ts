import type { Trx } from '../../platform/database';
import type { Tenant } from '../tenants/tenant';
import type { Sale } from './sale';
import { countOfTenants, type TenantCounts } from './sale-facts.repository';

/** A tenant that may have this many more holds, or unpaid bookings, is counted again after a second. */
const FAR_BELOW = 10_000;
const RECENT_MS = 1_000;

interface RecentCounts extends TenantCounts {
  /** By performance.now(). */
  until: number;
}

/** The last counts of tenants that are far below their limits. */
const recent = new Map<string, RecentCounts>();

/**
 * Counts the live holds and unpaid bookings of the tenants that sell. The count reads all of them, 0.2 ms for each thousand, so a tenant
 * that is far below its limits is counted once a second. At the default limits each transaction counts.
 * @returns one entry for each tenant; null: its sales do not need the count
 */
export async function readTenantCounts(trx: Trx, sales: Sale[], at: string): Promise<TenantCounts[]> {
  const wanted = new Map<string, { tenant: Tenant; holds: boolean; leads: boolean }>();
  for (const { tenant, kind } of sales) {
    const one = wanted.get(tenant.id) ?? { tenant, holds: false, leads: false };
    wanted.set(tenant.id, one);
    one[kind === 'hold' ? 'holds' : 'leads'] = true;
  }
  const now = performance.now();
  const known: TenantCounts[] = [];
  const unknown = [];
  for (const { tenant, holds, leads } of wanted.values()) {
    const counts = recent.get(tenant.id);
    const isKnown = counts && counts.until > now && isFarBelow(tenant, counts, holds, leads);
    if (isKnown) known.push(counts);
    else unknown.push({ tenantId: tenant.id, holds, leads });
  }
  if (unknown.length === 0) return known;
  const counted = await countOfTenants(trx, unknown, at);
  for (const counts of counted) {
    const { tenant, holds, leads } = wanted.get(counts.tenantId)!;
    if (isFarBelow(tenant, counts, holds, leads))
      recent.set(tenant.id, Object.assign({ until: now + RECENT_MS }, counts));
    else recent.delete(tenant.id);
  }
  return [...known, ...counted];
}

function isFarBelow(tenant: Tenant, counts: TenantCounts, holds: boolean, leads: boolean): boolean {
  const isBelow = (count: number | null, most: number) => count !== null && most - count > FAR_BELOW;
  return (
    (!holds || isBelow(counts.liveHolds, tenant.maxHolds)) &&
    (!leads || isBelow(counts.unpaidLeads, tenant.maxUnpaid))
  );
}
