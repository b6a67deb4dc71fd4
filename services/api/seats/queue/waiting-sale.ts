import { departuresToLock, type SeatChange } from '../seat-change';
import type { Outcome } from '../transact-sales';
import { QUEUE_LIMITS } from './queue-limits';

/**
 * The state of a sale in the queue: the lock of another transaction that it met last.
 *
 * | state            | the sale met                              | it is taken                                                     |
 * |------------------|-------------------------------------------|-----------------------------------------------------------------|
 * | new              | no lock                                   | by the next batch, or by the transaction that waits for its     |
 * |                  |                                           | departure; with an Idempotency-Key always by a batch too,       |
 * |                  |                                           | because the key may have a stored answer                        |
 * | departure locked | a lock of its departure                   | by the transaction that waits for its departure; by a batch if  |
 * |                  |                                           | too many departures are locked                                  |
 * | key in use       | a lock of its Idempotency-Key or its UUID | by a batch within 20 ms                                         |
 * | API key changing | a change of its API key or tenant         | by a batch within 20 ms                                         |
 * | booking locked   | a lock of its booking                     | by a batch within 20 ms                                         |
 *
 * A sale that no transaction has taken within two seconds is refused according to its state.
 */
type SaleState = 'new' | Exclude<Outcome['kind'], 'answered' | 'replayed' | 'refused'>;

/** A sale in the queue of its process, or in one of its transactions. */
export interface WaitingSale {
  sale: SeatChange;
  state: SaleState;
  /** Order of arrival. */
  number: number;
  /** A time on the clock of performance.now(). */
  arrivedAt: number;
  /** The time, on the same clock, at which the sale is refused if no transaction has taken it. */
  lockBy: number;
  /** Refuses the sale at lockBy. The timer is cleared when a transaction takes the sale. */
  timer: NodeJS.Timeout | undefined;
  resolve(answer: unknown): void;
  reject(error: unknown): void;
}

export function toWaitingSale(
  sale: SeatChange,
  given: Pick<WaitingSale, 'number' | 'lockBy' | 'resolve' | 'reject'>,
): WaitingSale {
  return {
    ...given,
    sale,
    state: 'new',
    arrivedAt: performance.now(),
    timer: undefined,
  };
}

export function salesOf(batch: WaitingSale[]): SeatChange[] {
  return batch.map(({ sale }) => sale);
}

export function isInTime({ lockBy }: WaitingSale): boolean {
  return lockBy > performance.now();
}

/** Inserts a sale in order of arrival. */
export function insertInOrder(sales: WaitingSale[], one: WaitingSale): void {
  const index = sales.findIndex(({ number }) => number > one.number);
  sales.splice(index < 0 ? sales.length : index, 0, one);
}

export function without(sales: WaitingSale[], others: WaitingSale[]): WaitingSale[] {
  const removed = new Set(others);
  return sales.filter((one) => !removed.has(one));
}

/** Returns whether the queue is full: for all sales, for the tenant of the sale, or for its departure. */
export function isFull(waiting: WaitingSale[], alone: number, change: SeatChange): boolean {
  if (waiting.length + alone >= QUEUE_LIMITS.waitingMax) return true;
  if (waiting.length < QUEUE_LIMITS.partMax) return false;
  const [departureId] = departuresToLock(change);
  const ofTenant = waiting.filter(({ sale }) => sale.tenant.id === change.tenant.id);
  const ofDeparture = waiting.filter(
    ({ sale }) => departureId !== undefined && departuresToLock(sale).includes(departureId),
  );
  return Math.max(ofTenant.length, ofDeparture.length) >= QUEUE_LIMITS.partMax;
}

export function departuresOfAll(sales: WaitingSale[]): Set<string> {
  return new Set(sales.flatMap(({ sale }) => departuresToLock(sale)));
}
