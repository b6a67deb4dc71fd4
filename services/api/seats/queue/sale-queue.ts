import { Gauge } from 'prom-client';
import type { Db } from '../../../platform/database/database';
import { AppError, sqlState } from '../../../platform/errors';
import type { Logger } from '../../../platform/logger';
import { DepartureBusyError } from '../../departures/departure.errors';
import { lockDepartures } from '../../departures/lock-departures';
import { IdempotencyInProgressError } from '../../idempotency/idempotency.errors';
import type { ReplayedResponse } from '../../idempotency/key-claim';
import { TenantCounter } from '../decide/tenant-limits';
import type { ChangedDate } from '../decided';
import { departuresToLock, type ResultOf, type SeatChange } from '../seat-change';
import { type Outcome, transactSales, type WrittenSales } from '../transact-sales';
import { type CommitResult, commitSales } from './commit-sales';
import { createLimit } from './concurrency-limit';
import { OpenBatches } from './open-batches';
import { QUEUE_LIMITS } from './queue-limits';
import { SalesOverloadedError } from './sales-overloaded-error';
import {
  departuresOfAll,
  insertInOrder,
  isFull,
  isInTime,
  salesOf,
  toWaitingSale,
  type WaitingSale,
  without,
} from './waiting-sale';

const waitingSales = new Gauge({
  name: 'sales_waiting',
  help: 'Holds, bookings and their changes that wait in this process to be written',
});

/** Is called after the COMMIT of a transaction that changed seats, before the answer of the change. */
export type AfterCommit = (changed: ChangedDate[]) => Promise<void>;

/**
 * Performs the changes of seats of this process (ADR 26): creates holds and bookings, and changes them. Sales that wait are written
 * together, in order of arrival; each change of a stored hold or booking is written alone (ADR 53). If another transaction has locked a
 * departure, one transaction waits for this departure and then writes all its sales. Sales of other departures are not delayed. The state
 * of a sale (waiting-sale.ts) decides which transaction takes it.
 */
export class SaleQueue {
  /** The sales that no transaction has taken, in order of arrival. */
  private waiting: WaitingSale[] = [];
  /** Departures that a transaction of this process waits for. */
  private readonly awaited = new Set<string>();
  /**
   * Sales, and ids of locked departures, that no batch takes for at most 20 ms: sales that met another lock than that of a departure, and
   * departures that no transaction may wait for yet, because `lockWaiters` others are awaited.
   */
  private readonly resting = new Set<WaitingSale | string>();
  private readonly batches = new OpenBatches(() => this.start());
  private readonly alone = createLimit(QUEUE_LIMITS.alone);
  /** The number of sales that wait to be written alone. */
  private aloneWaiting = 0;
  private readonly counter = new TenantCounter();
  private readonly listeners: AfterCommit[] = [];
  private arrivals = 0;
  private starting = false;

  /** @param groupCommit false: each sale has its own transaction */
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
      one.reject(this.timeoutRefusal(one));
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
  private waitsForBatch(one: WaitingSale): boolean {
    const departures = departuresToLock(one.sale);
    const isLocked = departures.some((id) => this.awaited.has(id) || this.resting.has(id));
    return !this.resting.has(one) && !isLocked && departures.some((id) => this.batches.isWriting(id));
  }

  /** Returns whether the sale has a transaction of its own: a change of a stored hold or booking, or each one without group commit. */
  private isWrittenAlone({ sale }: WaitingSale): boolean {
    return !this.groupCommit || sale.kind === 'change';
  }

  /**
   * Returns whether a batch may take the sale. A sale with an Idempotency-Key joins one batch even if another transaction has locked its
   * departure, because the key may already have a stored answer.
   */
  private isFree(one: WaitingSale): boolean {
    if (this.resting.has(one)) return false;
    const mayLookUp = one.sale.claim !== null && one.state !== 'departure locked';
    return departuresToLock(one.sale).every(
      (id) => !this.batches.isWriting(id) && !this.resting.has(id) && (mayLookUp || !this.awaited.has(id)),
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
    for (const one of taken) clearTimeout(one.timer);
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
    if ('committed' in result) return this.answerAll(batch, result.committed);
    const { error, rolledBack } = result;
    // A refusal by the database may be due to another sale of the batch. An error without an SQLSTATE has another cause: no connection was
    // free, or the connection was lost.
    const isRefusal = error instanceof AppError || sqlState(error) !== undefined;
    const causeIsUnknown = rolledBack && isRefusal && batch.length > 1;
    const again = batch.filter((one) => rolledBack && isInTime(one));
    for (const one of without(batch, again)) one.reject(causeIsUnknown ? this.timeoutRefusal(one) : error);
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
    if (!isInTime(one)) return one.reject(this.timeoutRefusal(one));
    const { counter } = this;
    const result = await commitSales(
      this,
      [one],
      (trx) => transactSales(trx, [one.sale], { counter }),
      one.lockBy,
    );
    if ('committed' in result) this.answerAll([one], result.committed);
    else one.reject(result.error);
  }

  /**
   * Answers the sales of a transaction. Tells the listeners of seats that are free because holds and bookings have expired; no answer waits
   * for this.
   */
  private answerAll(batch: WaitingSale[], { outcomes, freed }: WrittenSales): void {
    this.tell(freed).catch((error: unknown) => this.log.warn({ err: error }, 'listeners of seats failed'));
    batch.forEach((one, index) => this.answer(one, outcomes[index]!));
  }

  /** Answers a sale. If the sale met a lock of another transaction, puts it back into the queue. */
  private answer(one: WaitingSale, outcome: Outcome): void {
    if (outcome.kind === 'refused') return one.reject(outcome.refusal);
    if (outcome.kind === 'answered') return this.resolve(one, outcome);
    if (outcome.kind === 'replayed') return one.resolve(outcome.answer);
    one.state = outcome.kind;
    if (outcome.kind === 'departure locked') {
      this.wait(one);
      return this.waitForDeparture(outcome.departureId);
    }
    // Puts the sale at the end of the queue, so that sales that are tried again do not delay new sales.
    one.number = this.arrivals++;
    this.wait(one);
    this.rest(one);
  }

  /** Answers a granted sale, after the listeners know the dates whose seats changed. */
  private resolve(one: WaitingSale, { answer, changed }: { answer: unknown; changed: ChangedDate[] }): void {
    this.tell(changed).then(() => one.resolve(answer), one.reject);
  }

  private async tell(changed: ChangedDate[]): Promise<void> {
    if (changed.length > 0) await Promise.all(this.listeners.map((listener) => listener(changed)));
  }

  /** Keeps a sale or a locked departure out of batches for at most 20 ms. */
  private rest(saleOrDeparture: WaitingSale | string): void {
    this.resting.add(saleOrDeparture);
    if (this.resting.size > 1) return;
    setTimeout(() => {
      this.resting.clear();
      this.start();
    }, QUEUE_LIMITS.tryAgainMs);
  }

  /** Returns the error for a sale that has waited too long. */
  private timeoutRefusal({ state, sale }: WaitingSale): Error {
    if (state === 'key in use') return new IdempotencyInProgressError();
    // A resting departure is locked too: this process waits for as many others as it may.
    const isBusy = departuresToLock(sale).some(
      (id) => this.awaited.has(id) || this.resting.has(id) || this.batches.isWriting(id),
    );
    return state !== 'new' || isBusy ? new DepartureBusyError() : new SalesOverloadedError();
  }

  /** Lets one transaction of this process wait for a locked departure. */
  private waitForDeparture(departure: string): void {
    if (this.awaited.has(departure) || this.resting.has(departure)) return;
    if (this.awaited.size >= QUEUE_LIMITS.lockWaiters) return this.rest(departure);
    this.awaited.add(departure);
    void this.writeWaiting(departure).finally(() => {
      this.awaited.delete(departure);
      this.start();
    });
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
