import { LRUCache } from 'lru-cache';
import { Gauge } from 'prom-client';
import type { Db } from '../../../platform/database/database';
import { AppError, sqlState } from '../../../platform/errors';
import type { Logger } from '../../../platform/logger';
import { DepartureBusyError } from '../../departures/departure.errors';
import { lockDepartures, lockResource } from '../../departures/lock-departures';
import { IdempotencyInProgressError } from '../../idempotency/idempotency.errors';
import type { ReplayedResponse } from '../../idempotency/key-claim';
import { AfterCommit, type ChangedDate } from '../after-commit';
import type { ResourcesOf } from '../lock';
import type { SeatChange } from '../seat-change';
import { type Outcome, transactChanges, type WrittenChanges } from '../transact-changes';
import { type CommitResult, commitChanges, refusesEveryWrite } from './commit-changes';
import { createLimit } from './concurrency-limit';
import { OpenBatches } from './open-batches';
import { QUEUE_LIMITS } from './queue-limits';
import { QueueOverloadedError } from './queue-overloaded-error';
import { insertInOrder, isFull, isInTime, changesOf, type WaitingChange, without } from './waiting-change';

const waitingChanges = new Gauge({
  name: 'sales_waiting',
  help: 'Holds, bookings and their changes that wait in this process to be written',
});

/** Messages for a change that waited for another lock than that of a departure. */
const OTHER_LOCKS: { [State in WaitingChange['state']]?: string } = {
  'booking locked': 'Another request is changing this booking. Try again in a second.',
  'API key changing': 'The key or its tenant is being changed. Try again in a second.',
};

/**
 * Commits the changes of seats of this process: creates holds and bookings, and changes them. New holds and bookings that wait are
 * written together, in order of arrival; each change of a stored hold or booking is written alone (ADR 53). If another transaction has
 * locked a departure, one transaction waits for this departure and then writes all its changes. Changes of other departures are not
 * delayed. The state of a change (waiting-change.ts) decides which transaction takes it.
 */
export class ChangeQueue {
  /** The changes that no transaction has taken, in order of arrival. */
  private waiting: WaitingChange[] = [];
  /** The resources of each departure that uses some, as a transaction last saw them: a change names those of its departures. */
  private readonly resourceIds = new LRUCache<string, string[]>({ max: QUEUE_LIMITS.knownDepartures });
  /** Departures and resources that a transaction of this process waits for. */
  private readonly awaited = new Set<string>();
  /**
   * Changes, and ids of locked departures and resources, that no batch takes for at most 20 ms: changes that met another lock than one of these,
   * and ids that no transaction may wait for yet, because `lockWaiters` others are awaited.
   */
  private readonly paused = new Set<WaitingChange | string>();
  private readonly batches = new OpenBatches(() => this.start());
  private readonly alone = createLimit(QUEUE_LIMITS.alone);
  /** The number of changes that wait to be written alone. */
  private aloneWaiting = 0;
  private arrivals = 0;
  private starting = false;

  /**
   * @param groupCommit false: each change has its own transaction
   * @param afterCommit is notified which dates' seats have changed, before the change is answered
   */
  constructor(
    readonly db: Db,
    readonly log: Logger,
    private readonly groupCommit: boolean,
    readonly afterCommit = new AfterCommit(),
  ) {}

  /**
   * Commits the change, if it is granted, and tells the listeners which dates changed.
   * @param lockBy the time, on the clock of performance.now(), at which the wait for locks ends; by default in two seconds
   * @throws the refusal; DepartureBusyError, IdempotencyInProgressError after two seconds (409); QueueOverloadedError (503)
   */
  commit<Result>(
    change: SeatChange<Result>,
    lockBy = performance.now() + QUEUE_LIMITS.waitMs,
  ): Promise<Result | ReplayedResponse> {
    return new Promise((resolve, reject) => {
      if (isFull(this.waiting, this.aloneWaiting, change)) throw new QueueOverloadedError();
      const [number, arrivedAt] = [this.arrivals++, performance.now()];
      this.wait({ change, state: 'new', number, arrivedAt, lockBy, timer: undefined, resolve, reject });
      // New holds and bookings that arrive in one turn of the event loop share a batch.
      if (!this.starting) setImmediate(() => this.start());
      this.starting = true;
    });
  }

  /** Puts a change into the queue, in order of arrival. If no transaction takes the change in time, refuses it. */
  private wait(one: WaitingChange): void {
    insertInOrder(this.waiting, one);
    const waitMs = Math.max(0, one.lockBy - performance.now());
    one.timer = setTimeout(() => {
      this.waiting = without(this.waiting, [one]);
      one.reject(this.timeoutRefusal(one));
    }, waitMs);
  }

  private start(): void {
    this.starting = false;
    waitingChanges.set(this.waiting.length + this.aloneWaiting);
    for (;;) {
      const batch = this.nextBatch();
      if (batch.length === 0) return;
      void this.writeBatch(batch);
    }
  }

  /** Takes the changes of the next transaction: the oldest one that is written alone, or the oldest ones that are written together. Empty: none may begin. */
  private nextBatch(): WaitingChange[] {
    const { single, shared } = this.batches.count;
    const free = this.freeChanges();
    const alone = free.find((one) => this.isWrittenAlone(one));
    const together = free.filter((one) => !this.isWrittenAlone(one)).slice(0, QUEUE_LIMITS.batchMax);
    const mayBeAlone = alone !== undefined && single < QUEUE_LIMITS.singleBatches;
    const least = shared === 0 ? 1 : QUEUE_LIMITS.batchMax;
    const mayShare = shared < QUEUE_LIMITS.batches && together.length >= least;
    if (mayBeAlone && !(mayShare && together[0]!.number < alone.number)) return this.takeAll([alone]);
    return mayShare ? this.takeAll(together) : [];
  }

  /**
   * Returns the changes that a transaction may take. A change of two departures, or of a departure and a resource, that waits for a batch of one
   * of them keeps both from later changes. Otherwise batches of the two could take turns, and the change would never find both free.
   */
  private freeChanges(): WaitingChange[] {
    const kept = new Set<string>();
    return this.waiting.filter((one) => {
      const ids = this.lockedBy(one);
      const isKept = ids.some((id) => kept.has(id));
      if (ids.length > 1 && this.waitsForBatch(one)) for (const id of ids) kept.add(id);
      return !isKept && this.isFree(one);
    });
  }

  /** Returns whether only batches of this process delay the change, not a lock of another transaction. */
  private waitsForBatch(one: WaitingChange): boolean {
    const ids = this.lockedBy(one);
    const isLocked = ids.some((id) => this.awaited.has(id) || this.paused.has(id));
    return !this.paused.has(one) && !isLocked && ids.some((id) => this.batches.isWriting(id));
  }

  /** Returns whether the change has a transaction of its own. Without group commit, each one has. */
  private isWrittenAlone({ change }: WaitingChange): boolean {
    return !this.groupCommit || change.isAlone;
  }

  /**
   * Returns whether a batch may take the change. A change with an Idempotency-Key joins one batch even if another transaction has locked its
   * departure, because the key may already have a stored answer.
   */
  private isFree(one: WaitingChange): boolean {
    if (this.paused.has(one)) return false;
    const mayLookUp = one.change.claim !== null && one.state !== 'seats locked';
    return this.lockedBy(one).every(
      (id) => !this.batches.isWriting(id) && !this.paused.has(id) && (mayLookUp || !this.awaited.has(id)),
    );
  }

  /** Takes the oldest of the wanted changes for a transaction: one that is written alone, or those that are written together. */
  private take(wanted: (one: WaitingChange) => boolean): WaitingChange[] {
    const found = this.waiting.filter(wanted);
    const [oldest] = found;
    if (oldest && this.isWrittenAlone(oldest)) return this.takeAll([oldest]);
    return this.takeAll(found.filter((one) => !this.isWrittenAlone(one)).slice(0, QUEUE_LIMITS.batchMax));
  }

  private takeAll(taken: WaitingChange[]): WaitingChange[] {
    this.waiting = without(this.waiting, taken);
    for (const one of taken) clearTimeout(one.timer);
    return taken;
  }

  private async writeBatch(batch: WaitingChange[]): Promise<void> {
    const own = new Set(batch.flatMap((one) => this.lockedBy(one)).filter((id) => !this.awaited.has(id)));
    const open = this.batches.begin(own, this.isWrittenAlone(batch[0]!) ? 'single' : 'shared');
    const resourcesOf = this.namedResources(batch);
    const awaitedOf = (change: SeatChange) =>
      [...change.locks.departureIds, ...resourcesOf(change)].find((id) => !own.has(id));
    const lockBy = performance.now() + QUEUE_LIMITS.batchLockMs;
    const result = await commitChanges(
      this,
      batch,
      (trx) => transactChanges(trx, changesOf(batch), { awaitedOf, resourcesOf }),
      lockBy,
    );
    // Lets the next batch begin. If this batch failed, its departures stay reserved while each of its changes is written in a transaction of
    // its own.
    open.end();
    await this.finish(batch, result, (rest) =>
      open.keepOnly(new Set(rest.flatMap((one) => this.lockedBy(one)))),
    );
    open.keepOnly(new Set());
  }

  /**
   * Answers the changes of a transaction. If it failed and rolled back, writes each change again in a transaction of its own, unless the
   * server would refuse each of them.
   * @param keep is called with the changes that are still to be written
   */
  private async finish(
    batch: WaitingChange[],
    result: CommitResult,
    keep: (rest: WaitingChange[]) => void = () => {},
  ): Promise<void> {
    if ('committed' in result) return this.answerAll(batch, result.committed);
    const { error, rolledBack } = result;
    // A refusal by the database may be due to another change of the batch. An error without an SQLSTATE has another cause: no connection was
    // free, or the connection was lost.
    const isRefusal = error instanceof AppError || sqlState(error) !== undefined;
    const mayWriteAlone = rolledBack && !refusesEveryWrite(error);
    const causeIsUnknown = mayWriteAlone && isRefusal && batch.length > 1;
    const again = batch.filter((one) => mayWriteAlone && isInTime(one));
    for (const one of without(batch, again)) one.reject(causeIsUnknown ? this.timeoutRefusal(one) : error);
    this.aloneWaiting += again.length;
    while (again.length > 0) {
      keep(again);
      const one = again.shift()!;
      await this.alone(() => this.writeAlone(one));
      this.aloneWaiting--;
    }
  }

  /** Writes a change in a transaction of its own. */
  private async writeAlone(one: WaitingChange): Promise<void> {
    if (!isInTime(one)) return one.reject(this.timeoutRefusal(one));
    const result = await commitChanges(
      this,
      [one],
      (trx) => transactChanges(trx, [one.change], { resourcesOf: this.namedResources([one]) }),
      one.lockBy,
    );
    if ('committed' in result) this.answerAll([one], result.committed);
    else one.reject(result.error);
  }

  /**
   * Answers the changes of a transaction. Tells the listeners of seats that are free because holds and bookings have expired; no answer waits
   * for this.
   */
  private answerAll(batch: WaitingChange[], { outcomes, freed, resourceIds }: WrittenChanges): void {
    this.learnResources(resourceIds);
    this.afterCommit
      .notify(freed)
      .catch((error: unknown) => this.log.warn({ err: error }, 'listeners of seats failed'));
    batch.forEach((one, index) => this.answer(one, outcomes[index]!));
  }

  /** Answers a change. If the change met a lock of another transaction, puts it back into the queue. */
  private answer(one: WaitingChange, outcome: Outcome): void {
    if (outcome.kind === 'refused') return one.reject(outcome.refusal);
    if (outcome.kind === 'answered') return this.resolve(one, outcome);
    if (outcome.kind === 'replayed') return one.resolve(outcome.answer);
    if (outcome.kind === 'resources differ') return this.wait(one);
    one.state = outcome.kind;
    if (outcome.kind === 'seats locked') {
      this.wait(one);
      return this.waitForLock(outcome.lockedId);
    }
    // Puts the change at the end of the queue, so that changes that are tried again do not delay new changes.
    one.number = this.arrivals++;
    this.wait(one);
    this.pause(one);
  }

  /** Remembers the resources of departures, so that the next change names them. */
  private learnResources(resourceIds: ReadonlyMap<string, string[]>): void {
    for (const [departureId, ids] of resourceIds) {
      if (ids.length > 0) this.resourceIds.set(departureId, ids);
      else this.resourceIds.delete(departureId);
    }
  }

  /** Returns the resources that the change names. */
  private resourcesOf({ locks: { departureIds, freesOnly } }: SeatChange): string[] {
    if (freesOnly || this.resourceIds.size === 0) return [];
    return [...new Set(departureIds.flatMap((id) => this.resourceIds.get(id) ?? []))];
  }

  /** Returns the resources that each change of a batch names now, for its whole transaction. */
  private namedResources(batch: WaitingChange[]): ResourcesOf {
    const named = new Map(batch.map(({ change }) => [change, this.resourcesOf(change)]));
    return (change) => named.get(change) ?? [];
  }

  /** Returns the ids of the departures and resources that the change locks. */
  private lockedBy({ change }: WaitingChange): string[] {
    const resourceIds = this.resourcesOf(change);
    return resourceIds.length > 0
      ? [...change.locks.departureIds, ...resourceIds]
      : change.locks.departureIds;
  }

  /** Answers a granted change, after the listeners know the dates whose seats changed. */
  private resolve(
    one: WaitingChange,
    { answer, changed }: { answer: unknown; changed: ChangedDate[] },
  ): void {
    this.afterCommit.notify(changed).then(() => one.resolve(answer), one.reject);
  }

  /** Keeps a change, or a locked departure or resource, out of batches for at most 20 ms. */
  private pause(changeOrId: WaitingChange | string): void {
    this.paused.add(changeOrId);
    if (this.paused.size > 1) return;
    setTimeout(() => {
      this.paused.clear();
      this.start();
    }, QUEUE_LIMITS.tryAgainMs);
  }

  /** Returns the error for a change that has waited too long. */
  private timeoutRefusal(one: WaitingChange): Error {
    const { state } = one;
    if (state === 'key in use') return new IdempotencyInProgressError();
    // A paused departure or resource is locked too: this process waits for as many others as it may.
    const isBusy = this.lockedBy(one).some(
      (id) => this.awaited.has(id) || this.paused.has(id) || this.batches.isWriting(id),
    );
    return state !== 'new' || isBusy
      ? new DepartureBusyError(OTHER_LOCKS[state])
      : new QueueOverloadedError();
  }

  /** Lets one transaction of this process wait for a locked departure or resource. */
  private waitForLock(id: string): void {
    this.markLocked(id);
    if (this.awaited.has(id) || this.paused.has(id)) return;
    if (this.awaited.size >= QUEUE_LIMITS.lockWaiters) return this.pause(id);
    this.awaited.add(id);
    void this.writeWaiting(id).finally(() => {
      this.awaited.delete(id);
      this.start();
    });
  }

  /**
   * Marks the changes that wait for a locked departure or resource. A change with an Idempotency-Key stays as it is: a batch takes it, because
   * the key may have a stored answer.
   */
  private markLocked(id: string): void {
    for (const one of this.waiting) {
      const isNew = one.state === 'new' && one.change.claim === null;
      if (isNew && this.lockedBy(one).includes(id)) one.state = 'seats locked';
    }
  }

  /** Writes the changes that wait for a departure or resource, until there are none or its lock is not granted in time. */
  private async writeWaiting(id: string): Promise<void> {
    const waitsForIt = (one: WaitingChange) => this.lockedBy(one).includes(id);
    for (let first = this.waiting.find(waitsForIt); first; first = this.waiting.find(waitsForIt)) {
      const isDeparture = first.change.locks.departureIds.includes(id);
      const batch: WaitingChange[] = [];
      const result = await commitChanges(
        this,
        batch,
        async (trx) => {
          await (isDeparture ? lockDepartures(trx, [id]) : lockResource(trx, id));
          // A transaction that is repeated after a deadlock writes the same changes.
          if (batch.length === 0) batch.push(...this.take(waitsForIt));
          return transactChanges(trx, changesOf(batch), { resourcesOf: this.namedResources(batch) });
        },
        first.lockBy,
      );
      const neverLocked = batch.length === 0 && 'error' in result;
      // Stops the wait for this lock, so that this process can wait for another one. The timer of each change refuses the change after two
      // seconds.
      if (neverLocked && result.error instanceof DepartureBusyError) return this.markLocked(id);
      await this.finish(neverLocked ? this.take(waitsForIt) : batch, result);
      // Ends the wait: the other transaction has ended, and the batches write the changes that arrived meanwhile.
      if ('committed' in result) return;
    }
  }
}
