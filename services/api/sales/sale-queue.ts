import type { Db } from '../../platform/database';
import { DepartureBusyError } from '../departures/departure.errors';
import { waitForDeparture } from '../departures/reserve-seats';
import type { ReplayedResponse } from '../idempotency/run-idempotent';
import { commitSales, type CommitResult } from './commit-sales';
import { createLimit } from './limit';
import { departureKey, type Sale, type Sold, type SoldOf } from './sale';
import { SalesOverloadedError } from './sale.errors';
import { type Outcome, soldOf, writePatiently, writeSales } from './write-sales';

/** Limits the wait for a departure in the process and in the database together. */
const WAIT_MS = 2_000;
/** A batch waits for no departure and no key. Another lock that takes longer ends it, and its sales are written one by one. */
const BATCH_LOCK_MS = 250;
/** The most sales of a transaction. */
const BATCH_MAX = 128;
/** Batches that are written at the same time, of different departures. */
const BATCHES = 2;
/** Without group commit. */
const SINGLE_BATCHES = 4;
/** Departures that transactions wait for at the same time. With the other limits, less than the pool's 16 connections. */
const LOCK_WAITERS = 6;
/** Sales that wait for their key, or have no date, at the same time. */
const ALONE = 4;
/** More sales are refused. */
const WAITING_MAX = 1_000;

interface WaitingSale {
  sale: Sale;
  /** Null: the sale locks no departure that is known before its transaction. */
  departure: string | null;
  /** Order of arrival. */
  number: number;
  /** By performance.now(). */
  lockBy: number;
  /** A batch has found no answer of its key. */
  keyChecked: boolean;
  timer: NodeJS.Timeout;
  resolve(sold: Sold | ReplayedResponse): void;
  reject(error: unknown): void;
}

/**
 * Creates the holds and bookings of this process (ADR 26). Requests that wait are written together, in order of arrival. A
 * departure that another process has locked gets one transaction that waits for it and then writes all its requests; the others
 * are not delayed.
 */
export class SaleQueue {
  private readonly batchMax: number;
  private readonly batchesMax: number;
  private readonly lockWaiters = createLimit(LOCK_WAITERS);
  private readonly alone = createLimit(ALONE);
  /** In order of arrival. */
  private waiting: WaitingSale[] = [];
  /** Departures that a batch of this process is writing. */
  private readonly writing = new Set<string>();
  /** Departures that a transaction of this process waits for. */
  private readonly locked = new Set<string>();
  private batches = 0;
  private arrivals = 0;
  private starting = false;

  /** @param groupCommit false: each sale has its own transaction */
  constructor(
    private readonly db: Db,
    groupCommit: boolean,
  ) {
    this.batchMax = groupCommit ? BATCH_MAX : 1;
    this.batchesMax = groupCommit ? BATCHES : SINGLE_BATCHES;
  }

  /**
   * Commits the sale, if it is granted.
   * @throws the refusal; DepartureBusyError, IdempotencyInProgressError after two seconds (409); SalesOverloadedError (503)
   */
  sell<S extends Sale>(sale: S): Promise<SoldOf<S> | ReplayedResponse> {
    return new Promise((resolve, reject) => {
      if (this.waiting.length >= WAITING_MAX) throw new SalesOverloadedError();
      const { tour, departureDate } = sale;
      const departure = departureDate && departureKey({ tourId: tour.id, departureDate });
      const one: WaitingSale = {
        ...{
          sale,
          departure,
          number: this.arrivals++,
          lockBy: performance.now() + WAIT_MS,
          keyChecked: false,
        },
        timer: setTimeout(() => {
          if (this.take((other) => other === one).length > 0) reject(new DepartureBusyError());
        }, WAIT_MS),
        resolve: resolve as WaitingSale['resolve'],
        reject,
      };
      if (departure === null) return void this.alone(() => this.writeAlone(one));
      this.waiting.push(one);
      // Sales that arrive in one turn of the event loop share a batch.
      if (!this.starting) setImmediate(() => this.start());
      this.starting = true;
    });
  }

  private start(): void {
    this.starting = false;
    while (this.batches < this.batchesMax) {
      const batch = this.take((one) => this.isFree(one));
      if (batch.length === 0) return;
      this.batches++;
      void this.writeBatch(batch);
    }
  }

  /** A sale of a locked departure joins a batch once, because its key may be answered. */
  private isFree({ departure, sale, keyChecked }: WaitingSale): boolean {
    if (this.writing.has(departure!)) return false;
    return !this.locked.has(departure!) || (sale.claim !== null && !keyChecked);
  }

  private take(wanted: (one: WaitingSale) => boolean): WaitingSale[] {
    const taken: WaitingSale[] = [];
    const left: WaitingSale[] = [];
    for (const one of this.waiting) (taken.length < this.batchMax && wanted(one) ? taken : left).push(one);
    this.waiting = left;
    return taken;
  }

  private async writeBatch(batch: WaitingSale[]): Promise<void> {
    const own = new Set(
      batch.map(({ departure }) => departure!).filter((departure) => !this.locked.has(departure)),
    );
    for (const departure of own) this.writing.add(departure);
    const mayLock = ({ tour, departureDate }: Sale) =>
      own.has(departureKey({ tourId: tour.id, departureDate: departureDate! }));
    const sales = batch.map(({ sale }) => sale);
    const lockBy = performance.now() + BATCH_LOCK_MS;
    const result = await commitSales(this.db, (trx) => writeSales(trx, sales, mayLock), lockBy);
    // The sales that are written one by one keep their departures, and do not delay the next batch.
    this.batches--;
    this.start();
    await this.finish(batch, result);
    for (const departure of own) this.writing.delete(departure);
    this.start();
  }

  private async finish(batch: WaitingSale[], result: CommitResult): Promise<void> {
    if ('committed' in result)
      return batch.forEach((one, index) => this.answer(one, result.committed[index]!));
    const { error, rolledBack } = result;
    const again = batch.filter(({ lockBy }) => rolledBack && lockBy > performance.now());
    for (const one of batch) if (!again.includes(one)) this.fail(one, error);
    for (const one of again) await this.writeAlone(one);
  }

  private answer(one: WaitingSale, outcome: Outcome): void {
    if (outcome.kind === 'claimed') return void this.alone(() => this.writeAlone(one));
    if (outcome.kind === 'locked') return this.waitForLock(one);
    clearTimeout(one.timer);
    try {
      one.resolve(soldOf(outcome));
    } catch (refusal) {
      one.reject(refusal);
    }
  }

  private fail(one: WaitingSale, error: unknown): void {
    clearTimeout(one.timer);
    one.reject(error);
  }

  /** Writes a sale in its own transaction, which waits for its key and its departure. */
  private async writeAlone(one: WaitingSale): Promise<void> {
    const result = await commitSales(this.db, (trx) => writePatiently(trx, one.sale), one.lockBy);
    if ('committed' in result) this.answer(one, result.committed[0]!);
    else this.fail(one, result.error);
  }

  /** Puts a sale back in order of arrival, and lets one transaction wait for its departure. */
  private waitForLock(one: WaitingSale): void {
    if (one.departure === null || one.lockBy <= performance.now())
      return this.fail(one, new DepartureBusyError());
    one.keyChecked = true;
    const index = this.waiting.findIndex(({ number }) => number > one.number);
    this.waiting.splice(index < 0 ? this.waiting.length : index, 0, one);
    const { departure } = one;
    if (this.locked.has(departure)) return;
    this.locked.add(departure);
    void this.lockWaiters(() => this.writeWaiting(departure)).finally(() => {
      this.locked.delete(departure);
      this.start();
    });
  }

  /** Writes the sales that wait for a departure, until there are none. */
  private async writeWaiting(departure: string): Promise<void> {
    const isOf = (one: WaitingSale) => one.departure === departure;
    for (let first = this.waiting.find(isOf); first; first = this.waiting.find(isOf)) {
      const { tour, departureDate } = first.sale;
      let batch: WaitingSale[] = [];
      const write: Parameters<typeof commitSales>[1] = async (trx) => {
        await waitForDeparture(trx, tour.id, departureDate!);
        // A transaction that is repeated after a deadlock writes the same sales.
        if (batch.length === 0) batch = this.take(isOf);
        return writeSales(
          trx,
          batch.map(({ sale }) => sale),
        );
      };
      const result = await commitSales(this.db, write, first.lockBy);
      const unlocked = batch.length === 0 && 'error' in result;
      // Each sale ends its own wait after two seconds.
      if (unlocked && result.error instanceof DepartureBusyError) continue;
      await this.finish(unlocked ? this.take(isOf) : batch, result);
    }
  }
}
