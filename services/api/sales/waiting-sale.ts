import type { ReplayedResponse } from '../idempotency/run-idempotent';
import type { Sale, Sold } from './sale';

/** A sale in the queue of its process, or in one of its transactions. */
export interface WaitingSale {
  sale: Sale;
  /** Null: the sale locks no departure that is known before its transaction. */
  departure: string | null;
  /** Order of arrival. */
  number: number;
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
/** More sales of one departure are refused, so that it leaves room for the others. */
const DEPARTURE_MAX = 500;

/** Returns whether a sale of `departure` must be refused. @param alone the sales that wait for a transaction of their own */
export function isFull(waiting: WaitingSale[], alone: number, departure: string | null): boolean {
  if (waiting.length + alone >= WAITING_MAX) return true;
  if (departure === null || waiting.length < DEPARTURE_MAX) return false;
  return waiting.filter((one) => one.departure === departure).length >= DEPARTURE_MAX;
}
