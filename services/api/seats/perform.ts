import { type Db, inTransaction, type Trx } from '../../platform/database/database';
import { AppError } from '../../platform/errors';
import { getVisibleTour } from '../catalog/find-tour';
import { DepartureTimeMissingError } from '../departures/choose-departure';
import { lockLead } from '../bookings/booking-lead.repository';
import { SaleChangedError } from '../departures/check-seats';
import { DepartureGoneError } from '../departures/departure.errors';
import { lockDepartures } from '../departures/lock-departures';
import { ResourcesChangedError } from '../resources/resource.errors';
import { findResourcesOfDepartures } from '../resources/lock-resources';
import { IdempotencyInProgressError } from '../idempotency/idempotency.errors';
import { findStoredAnswer } from '../idempotency/idempotency.repository';
import { replay, type ReplayedResponse } from '../idempotency/key-claim';
import { type AfterCommit, type ChangedDate, datesOfBothKinds, type SeatRecorder } from './after-commit';
import type { BulkChange } from './bulk-change';
import { QUEUE_LIMITS } from './queue/queue-limits';
import type { ChangeQueue } from './queue/change-queue';
import type { SeatChange, Seller } from './seat-change';
import { lockClaim } from './lock';
import { readBulkFacts, readFactsWithoutLocks } from './read/read-facts';
import { type ChangingDeparture, readTouchedDates } from './touched-dates';
import { transactChanges } from './transact-changes';

/** The part of SalesContext that perform uses. */
interface SeatServices {
  db: Db;
  changes: ChangeQueue;
}

/**
 * The most attempts of a change. A hold or booking may move to another departure while a change waits for the lock. The change then begins
 * again, within the same two seconds.
 */
const ATTEMPTS = 3;

/**
 * Performs a change of seats in a transaction of its own.
 * @param prepare builds the change: placeHold, extendHold, cancelBooking … (changes/)
 * @throws the errors of `prepare` and of the decision; SaleConflictError (409); DepartureBusyError, IdempotencyInProgressError after two
 *   seconds (409); QueueOverloadedError (503)
 */
export async function perform<Result>(
  { db, changes }: SeatServices,
  prepare: () => Promise<SeatChange<Result>>,
): Promise<Result | ReplayedResponse> {
  let lockBy: number | undefined;
  for (let attempt = 1; ; attempt++) {
    const change = await prepare();
    lockBy ??= performance.now() + QUEUE_LIMITS.waitMs;
    try {
      return await changes.commit(change, lockBy);
    } catch (refusal) {
      if (!(refusal instanceof SaleChangedError)) return refuseForTenant(db, change, refusal);
      if (attempt >= ATTEMPTS) throw new SaleConflictError(refusal);
    }
  }
}

/** Other requests have changed the hold or booking during each try. The client reads it before it decides what to send. */
class SaleConflictError extends AppError {
  readonly code: 'hold_state_conflict' | 'booking_state_conflict';

  constructor({ sale }: SaleChangedError) {
    super(`Other requests have changed the ${sale} meanwhile. Read it, then send the request again.`);
    this.code = `${sale}_state_conflict`;
  }
}

/**
 * Returns the stored answer of the seller's Idempotency-Key. Reads it in a transaction, so that COMMIT waits for the standby
 * (docs/failover.md).
 * @throws IdempotencyKeyReusedError (422), CredentialError (401); without a stored answer, the refusal
 */
export async function replayOrRefuse(
  changes: ChangeQueue,
  seller: Seller<never>,
  refusal: AppError,
): Promise<ReplayedResponse> {
  return changes.commit<never>({
    ...seller,
    locks: { departureIds: [] },
    reads: {},
    isAlone: true,
    decide: () => {
      throw refusal;
    },
  });
}

/** The transaction of an operator, and what records in it which dates' seats it changes. */
export interface OperatorTransaction {
  trx: Trx;
  record: SeatRecorder;
}

/**
 * Locks the key of a request of the desk until the transaction ends, and returns its stored answer. Undefined: it has none, so that the caller
 * performs the change. Call it before all that may refuse the request.
 * @throws IdempotencyKeyReusedError (422), IdempotencyInProgressError after two seconds (409)
 * @rule a command with a `--request-id` sells once: test/cli/desk-seats.long.test.ts
 */
export async function findRepeat(
  { trx }: OperatorTransaction,
  { tenant, claim }: Seller<unknown>,
): Promise<ReplayedResponse | undefined> {
  if (!claim) return undefined;
  await lockClaim(trx, { tenant, claim, locks: { departureIds: [] } });
  const stored = await findStoredAnswer(trx, claim);
  if (stored?.isLocked) throw new IdempotencyInProgressError();
  return stored && replay(stored, claim.request);
}

/**
 * Performs a change in the transaction of an operator, in the four steps of transactChanges. Waits for the locks of its departures and its
 * booking.
 * @param change without a principal; with a claim only after findRepeat found no answer
 * @throws the refusal; DepartureBusyError after two seconds (409); SaleChangedError repeats the transaction
 */
export async function performInTransaction<Result>(
  { trx, record }: OperatorTransaction,
  change: SeatChange<Result>,
): Promise<Result> {
  const { departureIds, leadId, freesOnly } = change.locks;
  // Waits for the locks here, because lockChanges waits for none.
  const resourceIds = await lockDepartures(trx, departureIds, { withResources: !freesOnly });
  if (leadId !== undefined) await lockLead(trx, leadId);
  const { outcomes, freed } = await transactChanges(trx, [change], { resourcesOf: () => resourceIds });
  const outcome = outcomes[0]!;
  if (outcome.kind === 'resources differ') throw new ResourcesChangedError();
  if (outcome.kind === 'refused') return refuseForTenant(trx, change, outcome.refusal);
  if (outcome.kind !== 'answered') throw new Error(`the change is ${outcome.kind}`);
  await record(trx, [...freed, ...outcome.changed]);
  return outcome.answer as Result;
}

/** The decision of a change without a lock: its result, or the refusal. */
export type ChangeDecision<Result> = { result: Result } | { refusal: AppError };

/**
 * Decides new bookings in their order without a lock, and writes nothing. A later one counts the seats of the earlier ones, so all bookings of a
 * departure belong into one call.
 */
export async function decideTogether<Result>(
  trx: Trx,
  changes: SeatChange<Result>[],
): Promise<ChangeDecision<Result>[]> {
  const facts = await readFactsWithoutLocks(trx, changes);
  return changes.map((change) => {
    try {
      return { result: change.decide(facts).result };
    } catch (refusal) {
      if (!(refusal instanceof AppError)) throw refusal;
      return { refusal };
    }
  });
}

/**
 * Performs new bookings together in the transaction of an operator, in their order. The caller has locked their departures by
 * lockForChanges.
 * @throws the first refusal: then nothing is written
 */
export async function performTogether<Result>(
  { trx, record }: OperatorTransaction,
  changes: SeatChange<Result>[],
): Promise<Result[]> {
  const departureIds = changes.flatMap(({ locks }) => locks.departureIds);
  const resourceIds = await findResourcesOfDepartures(trx, departureIds);
  const { outcomes, freed } = await transactChanges(trx, changes, { resourcesOf: () => resourceIds });
  const answers = outcomes.map((outcome) => {
    if (outcome.kind === 'refused') throw outcome.refusal;
    if (outcome.kind === 'resources differ') throw new ResourcesChangedError();
    if (outcome.kind !== 'answered') throw new Error(`the change is ${outcome.kind}`);
    return outcome;
  });
  await record(trx, [...freed, ...answers.flatMap(({ changed }) => changed)]);
  return answers.map(({ answer }) => answer as Result);
}

/** Locks all departures of changes for performTogether and their resources, each in the order of their ids. @throws DepartureBusyError after two seconds (409) */
export async function lockForChanges(trx: Trx, departureIds: string[]): Promise<void> {
  await lockDepartures(trx, departureIds, { withResources: true });
}

/**
 * Performs a change of departures in the transaction of an operator: locks them, reads them and marks their expired holds and bookings, then
 * lets the change decide and write. Records the dates that it changes, and those of other departures that use the same resources.
 * @throws the refusal; DepartureBusyError after two seconds for one lock (409); ResourcesChangedError repeats the transaction
 * @rule moves, cancellations, expiry and erasures of departures: test/api/announced-seats.test.ts
 */
export async function performBulk<Result>(
  { trx, record }: OperatorTransaction,
  { departureIds, locksResources, newResourceIds, change }: BulkChange<Result>,
): Promise<Result> {
  const resourceIds = await lockDepartures(trx, departureIds, {
    withResources: locksResources === true,
    newResourceIds,
  });
  const { facts, freed, beside } = await readBulkFacts(trx, departureIds, resourceIds);
  const departures = [...facts.departures.values(), ...beside];
  const isLocked = (id: string) => resourceIds.includes(id);
  if (locksResources && !departures.every((one) => one.resourceIds.every(isLocked)))
    throw new ResourcesChangedError();
  // A change of a trip touches others at its time before and after.
  const withTouchedBefore = await readTouchedDates(
    trx,
    locksResources ? departures : [],
    datesOfAll(departures),
  );
  const { result, changed } = await change(trx, facts);
  const dates = withTouchedBefore([...freed, ...changed]);
  const withTouched = await readTouchedDates(trx, departures, dates);
  await record(trx, withTouched(dates));
  return result;
}

function datesOfAll(departures: ChangingDeparture[]): ChangedDate[] {
  return departures.flatMap(({ tour, departureDate }) => datesOfBothKinds(tour.id, departureDate));
}

/** Performs a change of departures in a transaction of its own, and notifies the listeners of the process after its COMMIT. */
export async function performBulkAlone<Result>(
  { db, afterCommit }: { db: Db; afterCommit: AfterCommit },
  bulk: BulkChange<Result>,
): Promise<Result> {
  const changed: ChangedDate[] = [];
  const record: SeatRecorder = async (_, dates) => void changed.push(...dates);
  try {
    return await inTransaction(db, (trx) => performBulk({ trx, record }, bulk));
  } finally {
    // Notifies after an error too, because a COMMIT without an answer may have taken effect.
    await afterCommit.notify(changed);
  }
}

/**
 * Throws the refusal. If it would show data of a tour that the tenant does not see, throws TourNotFoundError instead: DepartureGoneError has
 * alternative dates, and DepartureTimeMissingError lists the start times.
 */
async function refuseForTenant(
  db: Db,
  { tenant, hiddenTourId }: SeatChange,
  refusal: unknown,
): Promise<never> {
  const namesDates = refusal instanceof DepartureGoneError || refusal instanceof DepartureTimeMissingError;
  if (hiddenTourId !== undefined && namesDates) await getVisibleTour(db, tenant, hiddenTourId);
  throw refusal;
}
