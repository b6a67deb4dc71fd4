import { LRUCache } from 'lru-cache';
import type { Tenant } from '../../tenants/tenant';
import type { SeatChange } from '../seat-change';
import type { CountedKind } from './facts';

/**
 * The margin below a limit. A tenant whose count is more than this margin below its limit is counted at most once a second. Applies to the
 * limit of live holds and to the limit of unpaid bookings.
 */
const FAR_BELOW = 10_000;
const RECENT_MS = 1_000;
const RECENT_MAX = 100;

/** A count of a tenant over all departures. */
export interface TenantCount {
  tenantId: string;
  kind: CountedKind;
  count: number;
}

/** The counts that a transaction needs. */
export interface CountPlan {
  known: TenantCount[];
  /** The counts that must be read. */
  wanted: Omit<TenantCount, 'count'>[];
}

/**
 * Keeps the last counts of tenants that are far below their limits, because a count reads all rows of a tenant: 0.2 ms for each thousand.
 * The default limits are below FAR_BELOW, so that each transaction counts for a tenant with these limits.
 */
export class TenantCounter {
  private readonly recent = new LRUCache<string, number>({ max: RECENT_MAX, ttl: RECENT_MS });

  /** Plans the counts to read: of each tenant whose changes read one. */
  plan(changes: SeatChange[]): CountPlan {
    const known: TenantCount[] = [];
    const wanted: CountPlan['wanted'] = [];
    for (const [name, { tenant, kind }] of limitsOf(changes)) {
      const count = this.recent.get(name);
      if (count !== undefined && isFarBelow(tenant, kind, count))
        known.push({ tenantId: tenant.id, kind, count });
      else wanted.push({ tenantId: tenant.id, kind });
    }
    return { known, wanted };
  }

  /** Remembers the counts of tenants that are far below their limits. @param counts the counts that were read for these changes */
  remember(changes: SeatChange[], counts: TenantCount[]): void {
    const limits = limitsOf(changes);
    for (const { tenantId, kind, count } of counts) {
      const name = nameOf(tenantId, kind);
      if (isFarBelow(limits.get(name)!.tenant, kind, count)) this.recent.set(name, count);
    }
  }
}

interface TenantLimit {
  tenant: Tenant;
  kind: CountedKind;
}

function limitsOf(changes: SeatChange[]): Map<string, TenantLimit> {
  return new Map(
    changes.flatMap(({ tenant, reads: { counted: kind } }) =>
      kind ? [[nameOf(tenant.id, kind), { tenant, kind }]] : [],
    ),
  );
}

function nameOf(tenantId: string, kind: CountedKind): string {
  return `${kind} ${tenantId}`;
}

function isFarBelow({ maxHolds, maxUnpaid }: Tenant, kind: CountedKind, count: number): boolean {
  return (kind === 'hold' ? maxHolds : maxUnpaid) - count > FAR_BELOW;
}
