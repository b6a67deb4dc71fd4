import type { Trx } from '../../platform/database/database';
import { type Trial, UnusableDatabaseError } from '../../platform/readiness';
import { lockChanges } from './lock';
import { CHANGE_PLANS } from './queue/commit-changes';
import { readNoFacts } from './read/read-facts';
import { writeNothing } from './write';

/**
 * Runs the statements of a sale for no change: the locks, the facts and the write. So the server checks each table, column, function and right
 * that a sale needs. It locks no row, writes none, and takes no number of a booking.
 * @rule which statements /readyz and doctor try: test/api/health.test.ts
 */
export const SALE_TRIAL: Trial = { settings: CHANGE_PLANS, run: trySale };

async function trySale(trx: Trx): Promise<void> {
  await lockChanges(trx, [], () => true);
  await readNoFacts(trx);
  await writeNothing(trx);
  await requireRights(trx);
  // A server that must be vacuumed first gives no transaction id, which a statement for no row does not need.
  await trx.raw('select pg_current_xact_id()');
}

/** Rights that a change of a hold or booking needs, beyond those of the statements that are tried. */
const RIGHTS: [table: string, privilege: string][] = [
  ['booking_leads', 'update'],
  ['booking_changes', 'insert'],
  ['hold_changes', 'insert'],
  ['hold_extensions', 'insert'],
  ['octo_bookings', 'insert'],
  ['octo_bookings', 'update'],
];

/** Checks RIGHTS, and the right to take the number of a booking: the facts take none, so the server has not checked it. */
async function requireRights(trx: Trx): Promise<void> {
  const { rows } = await trx.raw<{ rows: { object: string }[] }>(
    `select 'table ' || name as object from unnest(?::text[], ?::text[]) as needed (name, privilege)
     where not has_any_column_privilege(name, privilege)
     union all
     select 'sequence ' || sequence from pg_get_serial_sequence('booking_leads', 'id') as sequence
     where not has_sequence_privilege(sequence, 'usage')`,
    [RIGHTS.map(([table]) => table), RIGHTS.map(([, privilege]) => privilege)],
  );
  if (rows[0])
    throw new UnusableDatabaseError('login may not write', `permission denied for ${rows[0].object}`);
}
