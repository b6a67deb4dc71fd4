import type { Db } from '../../platform/database';
import type { TenantScope } from '../tenants/tenant-scope';
import { countHolds, type DayOfHolds } from './hold-stats.repository';

/** @param from first day, YYYY-MM-DD, UTC */
export async function countHoldsByDay(db: Db, scope: TenantScope, from: string): Promise<DayOfHolds[]> {
  return countHolds(db, scope, from);
}
