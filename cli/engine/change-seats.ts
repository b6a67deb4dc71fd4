import { recordTerminalSeats } from '../../services/api/octo/changed-seats';
import type { ChangedDate } from '../../services/api/seats/after-commit';
import type { Trx } from '../../services/platform/database/database';
import type { Audited, Note } from './audited-change';
import type { AuditedContext } from './context';

/**
 * Runs a change of seats and its audit row in one transaction, as `audited` does. Records the dates whose seats have changed in the same
 * transaction, so that no instance shows their earlier seats, and the subscribers of OCTO are notified. Every command that changes seats
 * runs here.
 */
export async function changeSeats<T extends { changed: ChangedDate[] }>(
  { audited }: Pick<AuditedContext, 'audited'>,
  entry: Audited,
  work: (trx: Trx, note: Note) => Promise<T>,
): Promise<T> {
  return audited(entry, async (trx, note) => {
    const result = await work(trx, note);
    await recordTerminalSeats(trx, result.changed);
    return result;
  });
}
