import type { ReplayedResponse } from '../idempotency/run-idempotent';
import { departureKey, type Sale, type Sold } from './sale';

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
  /** A batch has found no answer of its key. */
  keyChecked: boolean;
  /** A batch has found its departure locked. */
  metLock: boolean;
  /** Ends the wait at lockBy, unless a transaction writes the sale then. */
  timer: NodeJS.Timeout | undefined;
  /** The sale has its answer. */
  ended: boolean;
  resolve(sold: Sold | ReplayedResponse): void;
  reject(error: unknown): void;
}

/** Limits the wait for a departure in the process and in the database together. */
const WAIT_MS = 2_000;

export function toWaitingSale(
  sale: Sale,
  number: number,
  resolve: WaitingSale['resolve'],
  reject: WaitingSale['reject'],
): WaitingSale {
  const { tour, departureDate } = sale;
  const arrivedAt = performance.now();
  return {
    ...{ sale, number, resolve, reject, arrivedAt, lockBy: arrivedAt + WAIT_MS },
    departure: departureDate && departureKey({ tourId: tour.id, departureDate }),
    ...{ keyChecked: false, metLock: false, timer: undefined, ended: false },
  };
}

export function salesOf(batch: WaitingSale[]): Sale[] {
  return batch.map(({ sale }) => sale);
}

export function isInTime({ lockBy }: WaitingSale): boolean {
  return lockBy > performance.now();
}

/** Returns two halves in order of arrival, or the only sale, or nothing. */
export function halvesOf(sales: WaitingSale[]): WaitingSale[][] {
  const middle = Math.ceil(sales.length / 2);
  return [sales.slice(0, middle), sales.slice(middle)].filter((half) => half.length > 0);
}

/** More sales are refused. */
const WAITING_MAX = 1_000;
/** More sales of one departure or one tenant are refused, so that the others can still wait. */
const PART_MAX = 500;

/**
 * Returns whether one more sale must be refused.
 * @param alone the number of sales that wait for a transaction of their own
 */
export function isFull(waiting: WaitingSale[], alone: number, { sale, departure }: WaitingSale): boolean {
  if (waiting.length + alone >= WAITING_MAX) return true;
  if (waiting.length < PART_MAX) return false;
  const ofTenant = waiting.filter((one) => one.sale.tenant.id === sale.tenant.id);
  const ofDeparture = waiting.filter((one) => one.departure === departure);
  return Math.max(ofTenant.length, ofDeparture.length) >= PART_MAX;
}
