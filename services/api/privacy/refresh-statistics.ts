import type { Db } from '../../platform/database';

/** The tables in which an erasure changes rows. */
const TABLES = [
  'booking_leads',
  'seat_holds',
  'octo_bookings',
  'idempotency_keys',
  'sale_refusals',
  'webhook_events',
  'webhook_deliveries',
  'webhook_attempts',
  'audit_log',
];

/**
 * Computes the statistics of the planner again: they contain names and addresses of the sampled rows, and would keep an erased customer until
 * the next ANALYZE. Call it after the commit, because it takes seconds and its locks would end with the transaction. Needs the owner's rights.
 */
export async function refreshStatistics(db: Db): Promise<void> {
  await db.raw(`analyze ${TABLES.join(', ')}`);
}
