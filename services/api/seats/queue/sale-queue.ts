import { Gauge } from 'prom-client';
import type { Db } from '../../../platform/database/database';
import { AppError, sqlState } from '../../../platform/errors';
import type { Logger } from '../../../platform/logger';
import { DepartureBusyError } from '../../departures/departure.errors';
import { lockDepartures } from '../../departures/lock-departures';
import { IdempotencyInProgressError } from '../../idempotency/idempotency.errors';
import type { ReplayedResponse } from '../../idempotency/run-idempotent';
import { type CommitResult, commitSales } from './commit-sales';
import { createLimit, OpenBatches, QUEUE_LIMITS, SalesOverloadedError } from './queue-limits';
import { departuresToLock, type ResultOf, type SeatChange } from '../seat-change';
import type { ChangedDate } from '../decided';
import { TenantCounter } from '../decide/tenant-limits';
import { type Outcome, transactSales } from '../transact-sales';

const waitingSales = new Gauge({
  name: 'sales_waiting',
  help: 'Holds, bookings and their changes that wait in this process to be written',
});

/**
 * The state of a sale in its process. A sale that no transaction has taken within two seconds is refused, so it becomes `answered`.
 *
 * | state            | it begins when                                         | it ends with                                              |
 * |------------------|--------------------------------------------------------|-----------------------------------------------------------|
 * | waiting          | the sale arrives                                       | writing, in the next batch; a sale with a key also while  |
 * |                  |                                                        | its departure is locked: the key may have an answer       |
 * | writing          | a transaction takes it                                 | answered; the state of its outcome; alone                 |
 * | departure locked | another transaction had locked its departure           | writing, by the transaction that waits for the departure, |
 * |                  |                                                        | or in a batch, if too many departures are locked          |
 * | key in use       | another transaction had locked its key, or its UUID    | writing, in a batch within 20 ms (`resting`)              |
 * | API key changing | another transaction was changing its API key or tenant | writing, in a batch within 20 ms (`resting`)              |
 * | booking locked   | another transaction had locked its booking             | writing, in a batch within 20 ms (`resting`)              |
 * | alone            | its transaction failed and rolled back                 | answered; the state of its outcome                        |
 * | answered         | it is sold or refused                                  |                                                           |
 */
type SaleState = 'waiting' | 'writing' | LockMet | 'alone' | 'answered';

/** The kind of lock of another transaction that stops a sale. */
type LockMet = 'departure locked' | 'booking locked' | 'key in use' | 'API key changing';

/** A sale in the queue of its process, or in one of its transactions. */
interface WaitingSale {
  sale: SeatChange;
  state: SaleState;
  /** Order of arrival. */
  number: number;
  /** A time on the clock of performance.now(). */
  arrivedAt: number;
  /** The time, on the same clock, at which the sale is refused if no transaction has taken it. */
  lockBy: number;
  /** The kind of lock that stopped the sale last. Another transaction held the lock. */
  met: LockMet | undefined;
  /** True: no batch takes the sale for a moment. Its Idempotency-Key was in use, or its API key was changing, when it was last tried. */
  resting: boolean;
  /** Refuses the sale at lockBy. The timer is cleared when a transaction takes the sale. */
  timer: NodeJS.Timeout | undefined;
  resolve(answer: unknown): void;
  reject(error: unknown): void;
}

/** Is called after the COMMIT of a change that changed seats, before its answer. */
export type AfterCommit = (changed: ChangedDate[]) => Promise<void>;

/**
 * Performs the changes of seats of this process (ADR 26): creates holds and bookings, and changes them. Sales that wait are written
 * together, in order of arrival; each change of a stored hold or booking is written alone (ADR 53). If another
 * transaction has locked a departure, one transaction waits for this departure and then writes all its sales. Sales of other departures
 * are not delayed.
 * SaleState lists the states of a sale.
 */
export class SaleQueue {
  /** The sales of all states except `writing`, `alone` and `answered`, in order of arrival. */
  private waiting: WaitingSale[] = [];
  /** Departures that a transaction of this process waits for. */
  private readonly awaited = new Set<string>();
  /** Locked departures for which no transaction may wait yet, because `lockWaiters` other departures are awaited. */
  private readonly paused = new Set<string>();
  /** Sales that are tried again together after a pause, because their Idempotency-Key was in use, or their API key was changing. */
  private resting: WaitingSale[] = [];
  private readonly batches = new OpenBatches(() => this.start());
  private readonly alone = createLimit(QUEUE_LIMITS.alone);
  /** The number of sales that wait to be written alone. */
  private aloneWaiting = 0;
  private readonly counter = new TenantCounter();
  private readonly listeners: AfterCommit[] = [];
  private arrivals = 0;
  private starting = false;

  /**
   * @param groupCommit false: each sale has its own transaction
   */
  constructor(
    readonly db: Db,
    readonly log: Logger,
    private readonly groupCommit: boolean,
  ) {}

  /** Registers a listener. It is told which dates' seats have changed, before the change is answered. */
  onCommit(listener: AfterCommit): void {
    this.listeners.push(listener);
  }

  /**
   * Commits the change, if it is granted, and tells the listeners which dates changed.
   * @param lockBy the time, on the clock of performance.now(), at which the wait for locks ends; by default in two seconds
   * @throws the refusal; DepartureBusyError, IdempotencyInProgressError after two seconds (409); SalesOverloadedError (503)
   */
  perform<C extends SeatChange>(
    sale: C,
    lockBy = performance.now() + QUEUE_LIMITS.waitMs,
  ): Promise<ResultOf<C> | ReplayedResponse> {
    return new Promise((resolve, reject) => {
      if (isFull(this.waiting, this.aloneWaiting, sale)) throw new SalesOverloadedError();
      const one = toWaitingSale(sale, { number: this.arrivals++, lockBy, resolve, reject });
      this.wait(one);
      // Sales that arrive in one turn of the event loop share a batch.
      if (!this.starting) setImmediate(() => this.start());
      this.starting = true;
    });
  }

  /** Puts a sale into the queue, in order of arrival. If no transaction takes the sale in time, refuses it. */
  private wait(one: WaitingSale): void {
    insertInOrder(this.waiting, one);
    const waitMs = Math.max(0, one.lockBy - performance.now());
    one.timer = setTimeout(() => {
      this.waiting = without(this.waiting, [one]);
      this.fail(one, this.timeoutRefusal(one));
    }, waitMs);
  }

  private start(): void {
    this.starting = false;
    waitingSales.set(this.waiting.length + this.aloneWaiting);
    for (;;) {
      const batch = this.nextBatch();
      if (batch.length === 0) return;
      void this.writeBatch(batch);
    }
  }

  /** Takes the changes of the next transaction: the oldest one that is written alone, or the oldest sales together. Empty: none may begin. */
  private nextBatch(): WaitingSale[] {
    const { single, shared } = this.batches.count;
    const free = this.freeSales();
    const alone = free.find((one) => this.isWrittenAlone(one));
    const sales = free.filter((one) => !this.isWrittenAlone(one)).slice(0, QUEUE_LIMITS.batchMax);
    const mayBeAlone = alone !== undefined && single < QUEUE_LIMITS.singleBatches;
    const least = shared === 0 ? 1 : QUEUE_LIMITS.batchMax;
    const mayShare = shared < QUEUE_LIMITS.batches && sales.length >= least;
    if (mayBeAlone && !(mayShare && sales[0]!.number < alone.number)) return this.takeAll([alone]);
    return mayShare ? this.takeAll(sales) : [];
  }

  /**
   * Returns the sales that a transaction may take. A change of two departures that waits for a batch of one of them keeps both from later
   * sales. Otherwise batches of the two departures could take turns, and the change would never find both free.
   */
  private freeSales(): WaitingSale[] {
    const kept = new Set<string>();
    return this.waiting.filter((one) => {
      const departures = departuresToLock(one.sale);
      const isKept = departures.some((id) => kept.has(id));
      if (departures.length > 1 && this.waitsForBatch(one)) for (const id of departures) kept.add(id);
      return !isKept && this.isFree(one);
    });
  }

  /** Returns whether only batches of this process delay the sale, not a lock of another transaction. */
  private waitsForBatch({ sale, resting }: WaitingSale): boolean {
    const departures = departuresToLock(sale);
    const isLocked = departures.some((id) => this.awaited.has(id) || this.paused.has(id));
    return !resting && !isLocked && departures.some((id) => this.batches.isWriting(id));
  }

  /** Returns whether the sale has a transaction of its own: a change of a stored hold or booking, or each one without group commit. */
  private isWrittenAlone({ sale }: WaitingSale): boolean {
    return !this.groupCommit || sale.kind === 'change';
  }

  /**
   * Returns whether a batch may take the sale. A sale with an Idempotency-Key joins one batch even if another transaction has locked its
   * departure, because the key may already have a stored answer.
   */
  private isFree({ sale, state, resting }: WaitingSale): boolean {
    if (resting) return false;
    const mayLookUp = sale.claim !== null && state !== 'departure locked';
    return departuresToLock(sale).every(
      (id) => !this.batches.isWriting(id) && !this.paused.has(id) && (mayLookUp || !this.awaited.has(id)),
    );
  }

  /** Takes the oldest of the wanted changes for a transaction: one that is written alone, or sales together. */
  private take(wanted: (one: WaitingSale) => boolean): WaitingSale[] {
    const found = this.waiting.filter(wanted);
    const [oldest] = found;
    if (oldest && this.isWrittenAlone(oldest)) return this.takeAll([oldest]);
    return this.takeAll(found.filter((one) => !this.isWrittenAlone(one)).slice(0, QUEUE_LIMITS.batchMax));
  }

  private takeAll(taken: WaitingSale[]): WaitingSale[] {
    this.waiting = without(this.waiting, taken);
    for (const one of taken) {
      clearTimeout(one.timer);
      one.state = 'writing';
    }
    return taken;
  }

  private async writeBatch(batch: WaitingSale[]): Promise<void> {
    const departures = batch.flatMap(({ sale }) => departuresToLock(sale));
    const own = new Set(departures.filter((departure) => !this.awaited.has(departure)));
    const open = this.batches.begin(own, this.isWrittenAlone(batch[0]!) ? 'single' : 'shared');
    const { counter } = this;
    const mayLock = (sale: SeatChange) => departuresToLock(sale).every((id) => own.has(id));
    const lockBy = performance.now() + QUEUE_LIMITS.batchLockMs;
    const result = await commitSales(
      this,
      batch,
      (trx) => transactSales(trx, salesOf(batch), { mayLock, counter }),
      lockBy,
    );
    // Lets the next batch begin. If this batch failed, its departures stay reserved while each of its sales is written in a transaction of
    // its own.
    open.end();
    await this.finish(batch, result, (rest) => open.keepOnly(departuresOfAll(rest)));
    open.keepOnly(new Set());
  }

  /**
   * Answers the sales of a transaction. If it failed and rolled back, writes each sale again in a transaction of its own.
   * @param keep is called with the sales that are still to be written
   */
  private async finish(
    batch: WaitingSale[],
    result: CommitResult,
    keep: (rest: WaitingSale[]) => void = () => {},
  ): Promise<void> {
    if ('committed' in result)
      return batch.forEach((one, index) => this.answer(one, result.committed[index]!));
    for (const one of batch) one.state = 'alone';
    const { error, rolledBack } = result;
    // A refusal by the database may be due to another sale of the batch. An error without an SQLSTATE has another cause: no connection was
    // free, or the connection was lost.
    const isRefusal = error instanceof AppError || sqlState(error) !== undefined;
    const causeIsUnknown = rolledBack && isRefusal && batch.length > 1;
    const again = batch.filter((one) => rolledBack && isInTime(one));
    for (const one of without(batch, again))
      this.fail(one, causeIsUnknown ? this.timeoutRefusal(one) : error);
    this.aloneWaiting += again.length;
    while (again.length > 0) {
      keep(again);
      const one = again.shift()!;
      await this.alone(() => this.writeAlone(one));
      this.aloneWaiting--;
    }
  }

  /** Writes a sale in a transaction of its own. */
  private async writeAlone(one: WaitingSale): Promise<void> {
    if (!isInTime(one)) return this.fail(one, this.timeoutRefusal(one));
    const { counter } = this;
    const result = await commitSales(
      this,
      [one],
      (trx) => transactSales(trx, [one.sale], { counter }),
      one.lockBy,
    );
    if ('committed' in result) this.answer(one, result.committed[0]!);
    else this.fail(one, result.error);
  }

  /** Answers a sale. If the sale met a lock of another transaction, puts it back into the queue. */
  private answer(one: WaitingSale, outcome: Outcome): void {
    if (outcome.kind === 'refused') return this.fail(one, outcome.refusal);
    if (outcome.kind === 'answered') return this.resolve(one, outcome);
    if (outcome.kind === 'replayed') {
      one.state = 'answered';
      return one.resolve(outcome.answer);
    }
    one.state = outcome.kind;
    one.met = outcome.kind;
    if (outcome.kind === 'departure locked') {
      this.wait(one);
      return this.waitForDeparture(outcome.departureId);
    }
    this.rest(one);
  }

  /** Answers a granted sale, after the listeners know the dates whose seats changed. */
  private resolve(one: WaitingSale, { answer, changed }: { answer: unknown; changed: ChangedDate[] }): void {
    one.state = 'answered';
    const listeners = changed.length > 0 ? this.listeners : [];
    const told = Promise.all(listeners.map((listener) => listener(changed)));
    told.then(() => one.resolve(answer), one.reject);
  }

  /**
   * Puts a sale at the end of the queue, and keeps it out of batches for at most 20 ms. So sales that are tried again do not delay new
   * sales.
   */
  private rest(one: WaitingSale): void {
    one.number = this.arrivals++;
    one.resting = true;
    this.wait(one);
    if (this.resting.push(one) > 1) return;
    this.startLater(() => {
      for (const rested of this.resting) rested.resting = false;
      this.resting = [];
    });
  }

  private fail(one: WaitingSale, error: unknown): void {
    one.state = 'answered';
    one.reject(error);
  }

  /** Returns the error for a sale that has waited too long. */
  private timeoutRefusal({ met, sale }: WaitingSale): Error {
    if (met === 'key in use') return new IdempotencyInProgressError();
    const isBusy = departuresToLock(sale).some((id) => this.awaited.has(id) || this.batches.isWriting(id));
    return met || isBusy ? new DepartureBusyError() : new SalesOverloadedError();
  }

  /** Lets one transaction of this process wait for a locked departure. */
  private waitForDeparture(departure: string): void {
    if (this.awaited.has(departure) || this.paused.has(departure)) return;
    if (this.awaited.size >= QUEUE_LIMITS.lockWaiters) {
      this.paused.add(departure);
      return this.startLater(() => this.paused.delete(departure));
    }
    this.awaited.add(departure);
    void this.writeWaiting(departure).finally(() => {
      this.awaited.delete(departure);
      this.start();
    });
  }

  private startLater(prepare: () => void): void {
    setTimeout(() => {
      prepare();
      this.start();
    }, QUEUE_LIMITS.tryAgainMs);
  }

  /** Writes the sales that wait for a departure, until there are none or its lock is not granted in time. */
  private async writeWaiting(departure: string): Promise<void> {
    const waitsForIt = ({ sale }: WaitingSale) => departuresToLock(sale).includes(departure);
    const { counter } = this;
    for (let first = this.waiting.find(waitsForIt); first; first = this.waiting.find(waitsForIt)) {
      const batch: WaitingSale[] = [];
      const result = await commitSales(
        this,
        batch,
        async (trx) => {
          await lockDepartures(trx, [departure]);
          // A transaction that is repeated after a deadlock writes the same sales.
          if (batch.length === 0) batch.push(...this.take(waitsForIt));
          return transactSales(trx, salesOf(batch), { counter });
        },
        first.lockBy,
      );
      const neverLocked = batch.length === 0 && 'error' in result;
      // Stops the wait for this departure, so that this process can wait for another departure. The timer of each sale refuses the sale
      // after two seconds.
      if (neverLocked && result.error instanceof DepartureBusyError) return;
      await this.finish(neverLocked ? this.take(waitsForIt) : batch, result);
      // Ends the wait: the other transaction has ended, and the batches write the sales that arrived meanwhile.
      if ('committed' in result) return;
    }
  }
}

function toWaitingSale(
  sale: SeatChange,
  given: Pick<WaitingSale, 'number' | 'lockBy' | 'resolve' | 'reject'>,
): WaitingSale {
  return {
    ...given,
    sale,
    state: 'waiting',
    arrivedAt: performance.now(),
    met: undefined,
    resting: false,
    timer: undefined,
  };
}

function salesOf(batch: WaitingSale[]): SeatChange[] {
  return batch.map(({ sale }) => sale);
}

function isInTime({ lockBy }: WaitingSale): boolean {
  return lockBy > performance.now();
}

/** Inserts a sale in order of arrival. */
function insertInOrder(sales: WaitingSale[], one: WaitingSale): void {
  const index = sales.findIndex(({ number }) => number > one.number);
  sales.splice(index < 0 ? sales.length : index, 0, one);
}

function without(sales: WaitingSale[], others: WaitingSale[]): WaitingSale[] {
  const removed = new Set(others);
  return sales.filter((one) => !removed.has(one));
}

/** Returns whether the queue is full: for all sales, for the tenant of the sale, or for its departure. */
function isFull(waiting: WaitingSale[], alone: number, change: SeatChange): boolean {
  if (waiting.length + alone >= QUEUE_LIMITS.waitingMax) return true;
  if (waiting.length < QUEUE_LIMITS.partMax) return false;
  const [departureId] = departuresToLock(change);
  const ofTenant = waiting.filter(({ sale }) => sale.tenant.id === change.tenant.id);
  const ofDeparture = waiting.filter(
    ({ sale }) => departureId !== undefined && departuresToLock(sale).includes(departureId),
  );
  return Math.max(ofTenant.length, ofDeparture.length) >= QUEUE_LIMITS.partMax;
}

function departuresOfAll(sales: WaitingSale[]): Set<string> {
  return new Set(sales.flatMap(({ sale }) => departuresToLock(sale)));
}
