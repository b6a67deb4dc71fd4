import type { Db } from '../../platform/database/database';

/**
 * Computes the statistics of PostgreSQL's planner again. The statistics contain values of sampled rows, such as names, so they would keep
 * data of an erased customer until the next ANALYZE. Call it after the commit: it takes seconds, during which a transaction would keep
 * its locks. The database does it with
 * the rights of the owner.
 */
export async function refreshStatistics(db: Db): Promise<void> {
  await db.raw('select analyze_customer_tables()');
}
