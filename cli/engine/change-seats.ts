import type { Trx } from '../../services/platform/database/database';
import { raiseRevisions } from '../../services/api/catalog/raise-revisions';
import { notifyOfSeats } from '../../services/api/octo/changed-seats';
import type { ChangedDate, SeatFollower, SeatRecorder } from '../../services/api/seats/after-commit';
import type { OperatorTransaction } from '../../services/api/seats/perform';
import type { Audited, Note } from './audited-change';
import type { AuditedContext } from './context';

/** In the lock order: first the tours. */
const RECORDERS: Record<SeatFollower, SeatRecorder> = {
  availability: raiseRevisions,
  octo: notifyOfSeats,
};

/** Records for each follower which dates' seats the terminal has changed. */
async function recordSeats(trx: Trx, changed: ChangedDate[]): Promise<void> {
  for (const record of Object.values(RECORDERS)) await record(trx, changed);
}

/**
 * Runs changes of seats and their audit row in one transaction, as `audited` does. Each change is performed with the transaction that `work`
 * gets, which also records the dates whose seats have changed: no instance shows their earlier seats, and the subscribers of OCTO are
 * notified.
 * @rule what follows the change of seats by a command: test/cli/changed-seats.long.test.ts
 */
export async function changeSeats<T>(
  { audited }: Pick<AuditedContext, 'audited'>,
  entry: Audited,
  work: (transaction: OperatorTransaction, note: Note) => Promise<T>,
): Promise<T> {
  return audited(entry, (trx, note) => work({ trx, record: recordSeats }, note));
}
