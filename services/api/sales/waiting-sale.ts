import type { ReplayedResponse } from '../idempotency/run-idempotent';
import { QUEUE_LIMITS } from './queue-limits';
import { departureKey } from '../departures/departure';
import type { Sale, Sold } from './sale';

/** A sale in the queue of its process, or in one of its transactions. */
export interface WaitingSale {
  sale: Sale;
  /** Null: the sale locks no departure that is known before its transaction. */
  departure: string | null;
  /** Order of arrival. */
  number: number;
  /** By performance.now(). */
  arrivedAt: number;
  /** By performance.now(). */
  lockBy: number;
  /** True if a batch has found no stored answer of its Idempotency-Key. */
  keyChecked: boolean;
  /** True if a batch has found its departure locked, or its key or tenant being changed. */
  metLock: boolean;
  /** Ends the wait at lockBy, unless a transaction writes the sale then. */
  timer: NodeJS.Timeout | undefined;
  /** The sale has its answer. */
  ended: boolean;
  resolve(sold: Sold | ReplayedResponse): void;
  reject(error: unknown): void;
}

export function toWaitingSale(
  sale: Sale,
  number: number,
  resolve: WaitingSale['resolve'],
  reject: WaitingSale['reject'],
): WaitingSale {
  const { tour, departureDate } = sale;
  const arrivedAt = performance.now();
  return {
    sale,
    number,
    resolve,
    reject,
    arrivedAt,
    lockBy: arrivedAt + QUEUE_LIMITS.waitMs,
    departure: departureDate && departureKey({ tourId: tour.id, departureDate }),
    keyChecked: false,
    metLock: false,
    timer: undefined,
    ended: false,
  };
}

export function salesOf(batch: WaitingSale[]): Sale[] {
  return batch.map(({ sale }) => sale);
}

export function without(sales: WaitingSale[], others: WaitingSale[]): WaitingSale[] {
  const removed = new Set(others);
  return sales.filter((one) => !removed.has(one));
}

/** Returns the first `most` sales that are wanted; none if there are fewer than `least`. */
export function oldestOf(
  sales: WaitingSale[],
  wanted: (one: WaitingSale) => boolean,
  { least, most }: { least: number; most: number },
): WaitingSale[] {
  if (sales.length < least) return [];
  const found = sales.filter(wanted).slice(0, most);
  return found.length < least ? [] : found;
}

/** Inserts a sale in order of arrival. */
export function insertInOrder(sales: WaitingSale[], one: WaitingSale): void {
  const index = sales.findIndex(({ number }) => number > one.number);
  sales.splice(index < 0 ? sales.length : index, 0, one);
}

export function isInTime({ lockBy }: WaitingSale): boolean {
  return lockBy > performance.now();
}

/** Returns two halves in order of arrival, or the only sale, or nothing. */
export function halvesOf(sales: WaitingSale[]): WaitingSale[][] {
  const middle = Math.ceil(sales.length / 2);
  return [sales.slice(0, middle), sales.slice(middle)].filter((half) => half.length > 0);
}

/**
 * Returns whether one more sale must be refused.
 * @param alone the number of sales that wait for a transaction of their own
 */
export function isFull(waiting: WaitingSale[], alone: number, { sale, departure }: WaitingSale): boolean {
  if (waiting.length + alone >= QUEUE_LIMITS.waitingMax) return true;
  if (waiting.length < QUEUE_LIMITS.partMax) return false;
  const ofTenant = waiting.filter((one) => one.sale.tenant.id === sale.tenant.id);
  const ofDeparture = waiting.filter((one) => one.departure === departure);
  return Math.max(ofTenant.length, ofDeparture.length) >= QUEUE_LIMITS.partMax;
}
