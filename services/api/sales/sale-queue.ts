import type { Db } from '../../platform/database';
import type { Logger } from '../../platform/logger';
import { AppError, sqlState } from '../../platform/errors';
import { DepartureBusyError } from '../departures/departure.errors';
import { waitForDeparture } from '../departures/reserve-seats';
import type { ReplayedResponse } from '../idempotency/run-idempotent';
import { commitBatch, type CommitResult, type WriteBatch } from './commit-sales';
import { createLimit, type Limit } from './concurrency-limit';
import { measureWaiting } from './sale-metrics';
import { departureKey } from '../departures/departure';
import type { Sale, SoldOf } from './sale';
import { SalesOverloadedError } from './sale.errors';
import {
  halvesOf,
  insertInOrder,
  isFull,
  isInTime,
  oldestOf,
  salesOf,
  toWaitingSale,
  type WaitingSale,
  without,
} from './waiting-sale';
import { type Outcome, soldOf, grantSales, grantWithWait } from './grant-sales';
import { OpenBatches } from './open-batches';
import { QUEUE_LIMITS } from './queue-limits';
import { TenantCounter } from './tenant-counter';

/**
 * Creates the holds and bookings of this process (ADR 26). Requests that wait are written together, in order of arrival. A
 * departure that another process has locked gets one transaction that waits for it and then writes all its requests; the others
 * are not delayed.
 */
export class SaleQueue {
  private readonly alone = createLimit(QUEUE_LIMITS.alone);
  private readonly claimed = createLimit(QUEUE_LIMITS.claimed);
  /** Sales for a transaction of their own. */
  private aloneWaiting = 0;
  /** In order of arrival. */
  private waiting: WaitingSale[] = [];
  /** Departures that a transaction of this process waits for. */
  private readonly locked = new Set<string>();
  /** Locked departures that no transaction may wait for yet. */
  private readonly paused = new Set<string>();
  private readonly batches = new OpenBatches(() => this.start());
  private readonly counter = new TenantCounter();
  private arrivals = 0;
  private starting = false;

  /** @param groupCommit false: each sale has its own transaction */
  constructor(
    readonly db: Db,
    readonly log: Logger,
    private readonly groupCommit: boolean,
  ) {}

  /**
   * Commits the sale, if it is granted.
   * @throws the refusal; DepartureBusyError, IdempotencyInProgressError after two seconds (409); SalesOverloadedError (503)
   */
  sell<S extends Sale>(sale: S): Promise<SoldOf<S> | ReplayedResponse> {
    return new Promise((resolve, reject) => {
      const one = toWaitingSale(sale, this.arrivals++, resolve as WaitingSale['resolve'], reject);
      if (isFull(this.waiting, this.aloneWaiting, one)) throw new SalesOverloadedError();
      if (one.departure === null) return this.queueAlone(one, this.alone);
      this.limitWait(one);
      this.waiting.push(one);
      // Sales that arrive in one turn of the event loop share a batch.
      if (!this.starting) setImmediate(() => this.start());
      this.starting = true;
    });
  }

  /** Ends the wait of a sale at lockBy. A transaction that takes the sale clears the timer. */
  private limitWait(one: WaitingSale): void {
    const waitMs = Math.max(0, one.lockBy - performance.now());
    one.timer = setTimeout(() => {
      this.waiting = without(this.waiting, [one]);
      this.fail(one, this.lateness(one));
    }, waitMs);
  }

  private lateness({ departure, metLock }: WaitingSale): Error {
    const isBusy =
      metLock || (departure !== null && (this.locked.has(departure) || this.batches.isWriting(departure)));
    return isBusy ? new DepartureBusyError() : new SalesOverloadedError();
  }

  private start(): void {
    this.starting = false;
    measureWaiting(this.waiting.length + this.aloneWaiting);
    const batchesMax = this.groupCommit ? QUEUE_LIMITS.batches : QUEUE_LIMITS.singleBatches;
    while (this.batches.count < batchesMax) {
      const batch = this.take((one) => this.isFree(one), this.batches.count === 0 ? 1 : this.batchMax);
      if (batch.length === 0) return;
      void this.writeBatch(batch);
    }
  }

  private get batchMax(): number {
    return this.groupCommit ? QUEUE_LIMITS.batchMax : 1;
  }

  /** A sale of a locked departure joins a batch once, because its key may be answered. */
  private isFree({ departure, sale, keyChecked }: WaitingSale): boolean {
    if (this.batches.isWriting(departure!) || this.paused.has(departure!)) return false;
    return !this.locked.has(departure!) || (sale.claim !== null && !keyChecked);
  }

  private take(wanted: (one: WaitingSale) => boolean, least = 1): WaitingSale[] {
    const taken = oldestOf(this.waiting, wanted, { least, most: this.batchMax });
    this.waiting = without(this.waiting, taken);
    for (const one of taken) clearTimeout(one.timer);
    return taken;
  }

  private async writeBatch(batch: WaitingSale[]): Promise<void> {
    const own = new Set(
      batch.map(({ departure }) => departure!).filter((departure) => !this.locked.has(departure)),
    );
    const mayLock = ({ tour, departureDate }: Sale) =>
      own.has(departureKey({ tourId: tour.id, departureDate: departureDate! }));
    const write: WriteBatch = (trx, sales) => grantSales(trx, sales, { mayLock, counter: this.counter });
    const open = this.batches.begin(own);
    const result = await commitBatch(this, batch, write, performance.now() + QUEUE_LIMITS.batchLockMs);
    // The sales that are written one by one keep their departures, and do not delay the next batch.
    open.end();
    await this.finish(batch, result, open.giveBack);
  }

  /**
   * Answers the sales of a transaction. If it failed, writes them again in two halves, and so on, until each failing sale is alone.
   * The parts of a failed half are written after the other half.
   * @param keep is called with the sales that are still to be written
   */
  private async finish(
    batch: WaitingSale[],
    result: CommitResult,
    keep: (rest: WaitingSale[]) => void = () => {},
  ): Promise<void> {
    const parts = this.answerBatch(batch, result);
    for (let part = parts.shift(); part; part = parts.shift()) {
      const sales = part;
      keep([sales, ...parts].flat());
      parts.push(...(await this.alone(() => this.writePart(sales))));
    }
    keep([]);
  }

  /** Answers the sales, or returns what to write again: two halves, or the only sale. */
  private answerBatch(batch: WaitingSale[], result: CommitResult): WaitingSale[][] {
    if ('committed' in result) {
      batch.forEach((one, index) => this.answer(one, result.committed[index]!));
      return [];
    }
    const { error, rolledBack } = result;
    const again = batch.filter((one) => rolledBack && isInTime(one));
    // Another sale may have caused a refusal of the database. Without its code, no connection was free, or it was lost.
    const isRefusal = error instanceof AppError || sqlState(error) !== undefined;
    for (const one of batch)
      if (!again.includes(one))
        this.fail(one, rolledBack && isRefusal && batch.length > 1 ? this.lateness(one) : error);
    return halvesOf(again);
  }

  private async writePart(part: WaitingSale[]): Promise<WaitingSale[][]> {
    const inTime = part.filter(isInTime);
    for (const one of part) if (!inTime.includes(one)) this.fail(one, this.lateness(one));
    if (inTime.length === 1) await this.writeAlone(inTime[0]!);
    if (inTime.length <= 1) return [];
    const lockBy = performance.now() + QUEUE_LIMITS.batchLockMs;
    const write: WriteBatch = (trx, sales) => grantSales(trx, sales, { counter: this.counter });
    return this.answerBatch(inTime, await commitBatch(this, inTime, write, lockBy));
  }

  private answer(one: WaitingSale, outcome: Outcome): void {
    if (outcome.kind === 'claimed') return this.queueAlone(one, this.claimed);
    if (outcome.kind === 'locked') return this.waitForLock(one);
    if (outcome.kind === 'changing') return this.waitForChange(one);
    try {
      one.resolve(soldOf(outcome));
    } catch (refusal) {
      one.reject(refusal);
    }
  }

  private fail(one: WaitingSale, error: unknown): void {
    one.ended = true;
    one.reject(error);
  }

  private queueAlone(one: WaitingSale, limit: Limit): void {
    this.limitWait(one);
    this.aloneWaiting++;
    void limit(async () => {
      this.aloneWaiting--;
      clearTimeout(one.timer);
      if (!one.ended) await this.writeAlone(one);
    });
  }

  /** Writes a sale in its own transaction, which waits for its key and its departure. */
  private async writeAlone(one: WaitingSale): Promise<void> {
    const write: WriteBatch = (trx, [sale]) => grantWithWait(trx, sale!, this.counter);
    const result = await commitBatch(this, [one], write, one.lockBy);
    if ('committed' in result) this.answer(one, result.committed[0]!);
    else this.fail(one, result.error);
  }

  /** Puts a sale back in order of arrival, and lets one transaction wait for its departure. */
  private waitForLock(one: WaitingSale): void {
    if (one.departure === null || one.lockBy <= performance.now())
      return this.fail(one, new DepartureBusyError());
    one.keyChecked = true;
    this.queueAgain(one);
    const { departure } = one;
    if (this.locked.has(departure) || this.paused.has(departure)) return;
    if (this.locked.size >= QUEUE_LIMITS.lockWaiters) return this.pause(departure);
    this.locked.add(departure);
    void this.writeWaiting(departure).finally(() => {
      this.locked.delete(departure);
      this.start();
    });
  }

  /** Puts a sale back in order of arrival when the change of its key or tenant may have ended. */
  private waitForChange(one: WaitingSale): void {
    if (one.lockBy <= performance.now() + QUEUE_LIMITS.tryAgainMs)
      return this.fail(one, new DepartureBusyError());
    this.startLater(() => this.queueAgain(one));
  }

  private queueAgain(one: WaitingSale): void {
    one.metLock = true;
    this.limitWait(one);
    insertInOrder(this.waiting, one);
  }

  /** Leaves a departure out of the batches for a moment. */
  private pause(departure: string): void {
    this.paused.add(departure);
    this.startLater(() => this.paused.delete(departure));
  }

  private startLater(prepare: () => void): void {
    setTimeout(() => {
      prepare();
      this.start();
    }, QUEUE_LIMITS.tryAgainMs);
  }

  /** Writes the sales that wait for a departure, until there are none or its lock is not granted in time. */
  private async writeWaiting(departure: string): Promise<void> {
    const isOf = (one: WaitingSale) => one.departure === departure;
    for (let first = this.waiting.find(isOf); first; first = this.waiting.find(isOf)) {
      const { tour, departureDate } = first.sale;
      const batch: WaitingSale[] = [];
      const write: WriteBatch = async (trx) => {
        await waitForDeparture(trx, tour.id, departureDate!);
        // A transaction that is repeated after a deadlock writes the same sales.
        if (batch.length === 0) batch.push(...this.take(isOf));
        return grantSales(trx, salesOf(batch), { counter: this.counter });
      };
      const result = await commitBatch(this, batch, write, first.lockBy);
      const unlocked = batch.length === 0 && 'error' in result;
      // Each sale ends its own wait after two seconds. Another departure may wait now.
      if (unlocked && result.error instanceof DepartureBusyError) return;
      await this.finish(unlocked ? this.take(isOf) : batch, result);
      // The lock has ended: the batches write the sales that came meanwhile.
      if ('committed' in result) return;
    }
  }
}
