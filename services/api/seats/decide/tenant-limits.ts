import { LRUCache } from 'lru-cache';
import type { Departure } from '../../departures/departure';
import { HoldLimitReachedError } from '../../holds/hold.errors';
import type { Tenant } from '../../tenants/tenant';
import type { Sale } from '../sale';
import { countFor, type DepartureFacts, type SaleFacts, viewKey } from '../read/sale-facts';

/**
 * The three limits of a tenant: its live holds, its unpaid bookings, and its share of a departure's seats. read-facts.ts counts the
 * holds, bookings and seats after the lock of the departure.
 */

/** @throws HoldLimitReachedError (409) */
export function assertMoreHolds({ liveHolds }: SaleFacts, { id, maxHolds }: Tenant): void {
  if (countFor(liveHolds, id) < maxHolds) return;
  throw new HoldLimitReachedError(
    `You have ${maxHolds} active holds, the most that you may have. Release some, or let them expire.`,
  );
}

/** @throws HoldLimitReachedError (409) */
export function assertMoreUnpaid({ unpaidLeads }: SaleFacts, { id, maxUnpaid }: Tenant): void {
  if (countFor(unpaidLeads, id) < maxUnpaid) return;
  throw new HoldLimitReachedError(
    `The most unpaid bookings that you may have is ${maxUnpaid}. Confirm or cancel some, or let them expire.`,
  );
}

/**
 * Limits the seats of a departure that one tenant keeps without payment, so that it cannot block the departure for other tenants. A share
 * of 100 % limits nothing.
 * @param more seats that the sale adds
 * @throws HoldLimitReachedError (409)
 */
export function assertWithinShare(
  { unpaidSeats }: DepartureFacts,
  tenant: Tenant,
  departure: Departure,
  more: number,
): void {
  const share = shareOf(tenant, departure);
  if (countFor(unpaidSeats, viewKey(tenant.id, departure.id)) + more <= share) return;
  throw new HoldLimitReachedError(
    `The most seats of this departure that your active holds and unpaid bookings may keep is ${share}.`,
  );
}

function shareOf({ maxHoldShare }: Tenant, { seatsTotal }: Departure): number {
  return Math.max(1, Math.floor((seatsTotal * maxHoldShare) / 100));
}

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
  /** `hold`: counts live holds. `booking`: counts standing unpaid bookings, with or without a date. */
  kind: Sale['kind'];
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

  /**
   * Plans the counts to read: the live holds of each tenant that asks for a hold, and the unpaid bookings of each tenant that asks for a
   * booking.
   */
  plan(sales: Sale[]): CountPlan {
    const known: TenantCount[] = [];
    const wanted: CountPlan['wanted'] = [];
    for (const [name, { tenant, kind }] of limitsOf(sales)) {
      const count = this.recent.get(name);
      if (count !== undefined && isFarBelow(tenant, kind, count))
        known.push({ tenantId: tenant.id, kind, count });
      else wanted.push({ tenantId: tenant.id, kind });
    }
    return { known, wanted };
  }

  /** Remembers the counts of tenants that are far below their limits. @param counts the counts that were read for these sales */
  remember(sales: Sale[], counts: TenantCount[]): void {
    const limits = limitsOf(sales);
    for (const { tenantId, kind, count } of counts) {
      const name = nameOf(tenantId, kind);
      if (isFarBelow(limits.get(name)!.tenant, kind, count)) this.recent.set(name, count);
    }
  }
}

function limitsOf(sales: Sale[]): Map<string, Pick<Sale, 'tenant' | 'kind'>> {
  return new Map(sales.map(({ tenant, kind }) => [nameOf(tenant.id, kind), { tenant, kind }]));
}

function nameOf(tenantId: string, kind: Sale['kind']): string {
  return `${kind} ${tenantId}`;
}

function isFarBelow({ maxHolds, maxUnpaid }: Tenant, kind: Sale['kind'], count: number): boolean {
  return (kind === 'hold' ? maxHolds : maxUnpaid) - count > FAR_BELOW;
}
