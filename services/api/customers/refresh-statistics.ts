import type { Db } from '../../platform/database/database';

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
 * Computes the statistics of PostgreSQL's planner again. The statistics contain values of sampled rows, such as names, so they would keep
 * data of an erased customer until the next ANALYZE. Call it after the commit: it takes seconds, during which a transaction would keep
 * its locks. Needs the rights of the tables' owner.
 */
export async function refreshStatistics(db: Db): Promise<void> {
  await db.raw(`analyze ${TABLES.join(', ')}`);
}
