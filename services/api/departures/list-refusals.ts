import type { Db } from '../../platform/database';
import type { TenantScope } from '../tenants/tenant-scope';
import type { DayOfRefusals, Refusal, RefusalFilter } from './refusal';
import { countRefusals, findRefusals } from './refusal.repository';

/** Why requests for seats were refused of late, the newest first. Written a few seconds after it happened. */
export async function listRefusals(db: Db, filter: RefusalFilter): Promise<Refusal[]> {
  return findRefusals(db, filter);
}

/**
 * Refused holds and bookings by day and reason.
 * @param from first day, YYYY-MM-DD, UTC
 */
export async function countRefusalsByDay(db: Db, scope: TenantScope, from: string): Promise<DayOfRefusals[]> {
  return countRefusals(db, scope, from);
}
