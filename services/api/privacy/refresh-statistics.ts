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
 * Computes the statistics of the planner again. They contain names and addresses of the sampled rows, and would keep an erased customer
 * until the next ANALYZE. Call it after the commit, because it takes seconds and a transaction would hold its locks to the end. Needs the
 * owner's rights.
 */
export async function refreshStatistics(db: Db): Promise<void> {
  await db.raw(`analyze ${TABLES.join(', ')}`);
}
