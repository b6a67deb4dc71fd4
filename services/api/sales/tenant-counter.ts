import { LRUCache } from 'lru-cache';
import type { Trx } from '../../platform/database';
import type { Tenant } from '../tenants/tenant';
import type { Sale } from './sale';
import type { SaleFacts } from './sale-facts';
import { countOfTenants, type TenantCount } from './sale-facts.repository';

/** A tenant that may have this many more holds, or unpaid bookings, is counted at most once a second. */
const FAR_BELOW = 10_000;
const RECENT_MS = 1_000;
const RECENT_MAX = 100;

/** Counts the live holds and the unpaid bookings of tenants. */
export class TenantCounter {
  /** The last counts of tenants that are far below their limits. */
  private readonly recent = new LRUCache<string, number>({ max: RECENT_MAX, ttl: RECENT_MS });

  /**
   * Counts the holds of tenants that want a hold, and the unpaid bookings of those that want a booking. A count reads all rows of a
   * tenant, 0.2 ms for each thousand. At the default limits each transaction counts.
   * @returns the counts by tenant
   */
  async count(trx: Trx, sales: Sale[], at: string): Promise<Pick<SaleFacts, 'liveHolds' | 'unpaidLeads'>> {
    const wanted = new Map(sales.map(({ tenant, kind }) => [nameOf(tenant.id, kind), { tenant, kind }]));
    const known: TenantCount[] = [];
    const unknown: Omit<TenantCount, 'count'>[] = [];
    for (const [name, { tenant, kind }] of wanted) {
      const count = this.recent.get(name);
      const row = { tenantId: tenant.id, kind };
      if (count !== undefined && isFarBelow(tenant, kind, count)) known.push({ ...row, count });
      else unknown.push(row);
    }
    const counted = unknown.length > 0 ? await countOfTenants(trx, unknown, at) : [];
    for (const { tenantId, kind, count } of counted) {
      const name = nameOf(tenantId, kind);
      if (isFarBelow(wanted.get(name)!.tenant, kind, count)) this.recent.set(name, count);
    }
    const countsOf = (wantedKind: Sale['kind']) =>
      new Map(
        [...known, ...counted].flatMap(({ tenantId, kind, count }): [string, number][] =>
          kind === wantedKind ? [[tenantId, count]] : [],
        ),
      );
    return { liveHolds: countsOf('hold'), unpaidLeads: countsOf('booking') };
  }
}

function nameOf(tenantId: string, kind: Sale['kind']): string {
  return `${kind} ${tenantId}`;
}

function isFarBelow({ maxHolds, maxUnpaid }: Tenant, kind: Sale['kind'], count: number): boolean {
  return (kind === 'hold' ? maxHolds : maxUnpaid) - count > FAR_BELOW;
}
