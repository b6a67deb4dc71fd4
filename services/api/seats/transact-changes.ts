import type { Trx } from '../../platform/database/database';
import { AppError } from '../../platform/errors';
import { replay, type ReplayedResponse } from '../idempotency/key-claim';
import { lockChanges, type ChangeLocks } from './lock';
import { type ReadFacts, readFacts } from './read/read-facts';
import type { SeatChange } from './seat-change';
import type { ChangedDate } from './after-commit';
import type { Decided } from './decided';
import { countRows, type Granted, type WrittenRows, writeChanges } from './write';

/** The result of one change of a transaction. */
export type Outcome =
  | { kind: 'answered'; answer: unknown; changed: ChangedDate[] }
  | { kind: 'replayed'; answer: ReplayedResponse }
  | { kind: 'refused'; refusal: unknown }
  /** Another transaction has locked the departure. */
  | { kind: 'departure locked'; departureId: string }
  /** Another transaction has locked the booking. */
  | { kind: 'booking locked' }
  /** Another transaction uses the Idempotency-Key or the UUID of the OCTO booking, or erases the answer of the key. */
  | { kind: 'key in use' }
  /** Another transaction is changing the API key or its tenant. */
  | { kind: 'API key changing' };

/** The outcomes of a transaction, in the order of its changes. */
export interface WrittenChanges {
  outcomes: Outcome[];
  /** The dates whose seats are free because holds and bookings have expired, whatever the outcomes are. */
  freed: ChangedDate[];
  /** Null: no row was written. */
  transactionId: string | null;
  rows: WrittenRows;
}

export interface TransactOptions {
  /**
   * Returns false for a change whose departure must not be locked. The outcome of such a change is `departure locked`, unless its
   * Idempotency-Key has a stored answer.
   */
  mayLock?: (change: SeatChange) => boolean;
}

/**
 * Performs changes of seats in one transaction, in order of arrival, in four steps: locks their keys, departures and bookings, reads the
 * facts, decides each change, and writes all that are granted. Waits for no lock of another transaction: a change that would have to wait
 * gets `key in use`, `API key changing`, `departure locked` or `booking locked`.
 */
export async function transactChanges(
  trx: Trx,
  changes: SeatChange[],
  { mayLock = () => true }: TransactOptions = {},
): Promise<WrittenChanges> {
  const locks = await lockChanges(trx, changes, mayLock);
  const read = await readFacts(trx, changes, locks);
  const outcomes = new Map<SeatChange, Outcome>();
  const granted: Granted[] = [];
  for (const change of changes) {
    const decided = lockOfAnother(change, locks, read, mayLock) ?? decide(change, read);
    if ('kind' in decided) outcomes.set(change, decided);
    else granted.push({ change, decided });
  }
  const rows = await writeChanges(trx, granted, read.facts.at);
  for (const { change, decided } of granted)
    outcomes.set(change, { kind: 'answered', answer: decided.result, changed: decided.changed });
  return {
    transactionId: countRows(rows) > 0 ? read.transactionId : null,
    rows,
    freed: read.freed,
    outcomes: changes.map((change) => outcomes.get(change)!),
  };
}

/**
 * Returns the outcome of a change that another transaction blocks by a lock. Undefined: no lock blocks the change. A locked departure does
 * not block a change whose Idempotency-Key has a stored answer.
 */
function lockOfAnother(
  change: SeatChange,
  locks: ChangeLocks,
  { answerOf, lockedElsewhere }: ReadFacts,
  mayLock: (change: SeatChange) => boolean,
): Outcome | undefined {
  const { principal } = change;
  const stored = answerOf(change);
  if (!locks.ownKey.has(change) || stored?.isLocked) return { kind: 'key in use' };
  if (principal && locks.isChanging(principal)) return { kind: 'API key changing' };
  if (stored) return undefined;
  const { departureIds } = change.locks;
  const departureId = mayLock(change) ? departureIds.find((id) => lockedElsewhere.has(id)) : departureIds[0];
  if (departureId !== undefined) return { kind: 'departure locked', departureId };
  return locks.ownLead.has(change) ? undefined : { kind: 'booking locked' };
}

/**
 * Decides one change. If its Idempotency-Key has a stored answer, returns this answer. Otherwise decides by the facts, which include the
 * changes granted earlier in the transaction.
 */
function decide(change: SeatChange, { facts, answerOf }: ReadFacts): Decided<unknown> | Outcome {
  const { claim, principal } = change;
  const stored = answerOf(change);
  try {
    if (principal) facts.assertKeyServes(principal);
    if (stored) return { kind: 'replayed', answer: replay(stored, claim!.request) };
    return change.decide(facts);
  } catch (refusal) {
    if (!(refusal instanceof AppError)) throw refusal;
    return { kind: 'refused', refusal };
  }
}
