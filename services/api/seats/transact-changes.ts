import type { Trx } from '../../platform/database/database';
import { AppError } from '../../platform/errors';
import { replay, type ReplayedResponse } from '../idempotency/key-claim';
import { lockChanges, type ChangeLocks, type ResourcesOf } from './lock';
import type { SaleFacts } from './read/facts';
import { type ReadFacts, readFacts } from './read/read-facts';
import { lockedDeparture } from './rules/departure-rules';
import type { SeatChange } from './seat-change';
import { readTouchedDates } from './touched-dates';
import type { ChangedDate } from './after-commit';
import type { Decided } from './decided';
import { countRows, type Granted, type WrittenRows, writeChanges } from './write';

/** The result of one change of a transaction. */
export type Outcome =
  | { kind: 'answered'; answer: unknown; changed: ChangedDate[] }
  | { kind: 'replayed'; answer: ReplayedResponse }
  | { kind: 'refused'; refusal: unknown }
  /** Another transaction has locked a departure or a resource of the change. */
  | { kind: 'seats locked'; lockedId: string }
  /** A departure of the change uses a resource that the change has not named. */
  | { kind: 'resources differ' }
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
  /** The resources of each locked departure. */
  resourceIds: ReadonlyMap<string, string[]>;
}

export interface TransactOptions {
  /**
   * Returns the id of a departure or resource for which a change must not be locked. The outcome of such a change is `seats locked`, unless its
   * Idempotency-Key has a stored answer.
   */
  awaitedOf?: (change: SeatChange) => string | undefined;
  /** Returns the resources that a change names. By default none. */
  resourcesOf?: ResourcesOf;
}

/**
 * Performs changes of seats in one transaction, in order of arrival, in four steps: locks their keys, departures, resources and bookings, reads the
 * facts, decides each change, and writes all that are granted. Waits for no lock of another transaction: a change that would have to wait
 * gets `key in use`, `API key changing`, `seats locked` or `booking locked`. One whose departures use other resources gets `resources differ`.
 */
export async function transactChanges(
  trx: Trx,
  changes: SeatChange[],
  { awaitedOf = () => undefined, resourcesOf = () => [] }: TransactOptions = {},
): Promise<WrittenChanges> {
  const mayLock = (change: SeatChange) => awaitedOf(change) === undefined;
  const locks = await lockChanges(trx, changes, mayLock, resourcesOf);
  const read = await readFacts(trx, changes, locks);
  const outcomes = new Map<SeatChange, Outcome>();
  const granted: Granted[] = [];
  for (const change of changes) {
    const decided = lockOfAnother(change, locks, read, { awaitedOf, resourcesOf }) ?? decide(change, read);
    if ('kind' in decided) outcomes.set(change, decided);
    else granted.push({ change, decided });
  }
  const rows = await writeChanges(trx, granted, read.facts.at);
  const changed = [...read.freed, ...granted.flatMap(({ decided }) => decided.changed)];
  const withTouched = await readTouchedDates(
    trx,
    [...read.facts.departures.values(), ...read.beside],
    changed,
    read.beside.length === 0 ? read.touched : undefined,
  );
  for (const { change, decided } of granted)
    outcomes.set(change, {
      kind: 'answered',
      answer: decided.result,
      changed: withTouched(decided.changed),
    });
  return {
    transactionId: countRows(rows) > 0 ? read.transactionId : null,
    rows,
    freed: withTouched(read.freed),
    resourceIds: new Map([...read.facts.departures.values()].map(({ id, resourceIds }) => [id, resourceIds])),
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
  { answerOf, lockedElsewhere, facts }: ReadFacts,
  { awaitedOf, resourcesOf }: Required<TransactOptions>,
): Outcome | undefined {
  const { principal } = change;
  const stored = answerOf(change);
  if (!locks.ownKey.has(change) || stored?.isLocked) return { kind: 'key in use' };
  if (principal && locks.isChanging(principal)) return { kind: 'API key changing' };
  if (stored) return undefined;
  const { departureIds } = change.locks;
  const lockedId = awaitedOf(change) ?? departureIds.find((id) => lockedElsewhere.has(id));
  if (lockedId !== undefined) return { kind: 'seats locked', lockedId };
  const blocked = lockOfResource(change, locks, facts, resourcesOf(change));
  if (blocked) return blocked;
  return locks.ownLead.has(change) ? undefined : { kind: 'booking locked' };
}

/** Returns the outcome of a change that takes seats of a departure one of whose resources the transaction has not locked. Undefined: it has all. */
function lockOfResource(
  { tenant, locks: { departureIds, freesOnly } }: SeatChange,
  { resourceIds }: ChangeLocks,
  facts: SaleFacts,
  named: readonly string[],
): Outcome | undefined {
  if (freesOnly) return undefined;
  const needed = departureIds.flatMap((id) => lockedDeparture(facts, tenant, id)?.resourceIds ?? []);
  const missing = needed.filter((id) => !resourceIds.has(id));
  if (missing.some((id) => !named.includes(id))) return { kind: 'resources differ' };
  return missing[0] === undefined ? undefined : { kind: 'seats locked', lockedId: missing[0] };
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
