import { recordTerminalSeats } from '../../services/api/octo/changed-seats';
import type { OperatorTransaction } from '../../services/api/seats/perform';
import type { Audited, Note } from './audited-change';
import type { AuditedContext } from './context';

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
  return audited(entry, (trx, note) => work({ trx, record: recordTerminalSeats }, note));
}
