import type { Trx } from '../../platform/database/database';
import { type Trial, UnusableDatabaseError } from '../../platform/readiness';
import { lockChanges } from './lock';
import { CHANGE_PLANS } from './queue/commit-changes';
import { readNoFacts } from './read/read-facts';
import { writeNothing } from './write';

/**
 * Runs the statements of a sale for no change: the locks, the facts and the write. So the server checks each table, column, function and right
 * that a sale needs. It locks no row, writes none, and takes no number of a booking.
 */
export const SALE_TRIAL: Trial = { settings: CHANGE_PLANS, run: trySale };

async function trySale(trx: Trx): Promise<void> {
  await lockChanges(trx, [], () => true);
  await readNoFacts(trx);
  await writeNothing(trx);
  await requireNumbers(trx);
  // A server that must be vacuumed first gives no transaction id, which a statement for no row does not need.
  await trx.raw('select pg_current_xact_id()');
}

/** Checks the right to take the number of a booking. The facts take none, so the server has not checked it. */
async function requireNumbers(trx: Trx): Promise<void> {
  const { rows } = await trx.raw<{ rows: [{ sequence: string; granted: boolean }] }>(
    `select sequence, has_sequence_privilege(sequence, 'usage') as granted
     from pg_get_serial_sequence('booking_leads', 'id') as sequence`,
  );
  const { sequence, granted } = rows[0];
  if (!granted)
    throw new UnusableDatabaseError('login may not write', `permission denied for sequence ${sequence}`);
}
