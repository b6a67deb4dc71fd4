import type { SeatChange } from '../seat-change';
import type { Outcome } from '../transact-changes';
import { QUEUE_LIMITS } from './queue-limits';

/**
 * The state of a change in the queue: the lock of another transaction that it met last.
 *
 * | state            | the change met                              | it is taken                                                     |
 * |------------------|-------------------------------------------|-----------------------------------------------------------------|
 * | new              | no lock                                   | by the next batch, or by the transaction that waits for its     |
 * |                  |                                           | departure; with an Idempotency-Key always by a batch too,       |
 * |                  |                                           | because the key may have a stored answer                        |
 * | seats locked     | a lock of its departure or of a resource, | by the transaction that waits for this lock; by a batch if too  |
 * |                  | or waits behind a change that met it      | many departures and resources are locked                        |
 * | key in use       | a lock of its Idempotency-Key or its UUID | by a batch within 20 ms                                         |
 * | API key changing | a change of its API key or tenant         | by a batch within 20 ms                                         |
 * | booking locked   | a lock of its booking                     | by a batch within 20 ms                                         |
 *
 * A change that no transaction has taken within two seconds is refused according to its state.
 */
type ChangeState = 'new' | Exclude<Outcome['kind'], 'answered' | 'replayed' | 'refused' | 'resources differ'>;

/** A change in the queue of its process, or in one of its transactions. */
export interface WaitingChange {
  change: SeatChange;
  state: ChangeState;
  /** Order of arrival. */
  number: number;
  /** A time on the clock of performance.now(). */
  arrivedAt: number;
  /** The time, on the same clock, at which the change is refused if no transaction has taken it. */
  lockBy: number;
  /** Refuses the change at lockBy. The timer is cleared when a transaction takes the change. */
  timer: NodeJS.Timeout | undefined;
  resolve(answer: unknown): void;
  reject(error: unknown): void;
}

export function changesOf(batch: WaitingChange[]): SeatChange[] {
  return batch.map(({ change }) => change);
}

export function isInTime({ lockBy }: WaitingChange): boolean {
  return lockBy > performance.now();
}

/** Inserts a change in order of arrival. */
export function insertInOrder(changes: WaitingChange[], one: WaitingChange): void {
  const index = changes.findIndex(({ number }) => number > one.number);
  changes.splice(index < 0 ? changes.length : index, 0, one);
}

export function without(changes: WaitingChange[], others: WaitingChange[]): WaitingChange[] {
  const removed = new Set(others);
  return changes.filter((one) => !removed.has(one));
}

/** Returns whether the queue is full: for all changes, for the tenant of the change, or for its departure. */
export function isFull(waiting: WaitingChange[], alone: number, change: SeatChange): boolean {
  if (waiting.length + alone >= QUEUE_LIMITS.waitingMax) return true;
  if (waiting.length < QUEUE_LIMITS.partMax) return false;
  const [departureId] = change.locks.departureIds;
  const ofTenant = waiting.filter(({ change: other }) => other.tenant.id === change.tenant.id);
  const ofDeparture = waiting.filter(
    ({ change: other }) => departureId !== undefined && other.locks.departureIds.includes(departureId),
  );
  return Math.max(ofTenant.length, ofDeparture.length) >= QUEUE_LIMITS.partMax;
}
