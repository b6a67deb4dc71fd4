import { AppError } from '../../platform/errors';

/** The limits of a process's queue of sales (ADR 26); times in milliseconds. */
export const QUEUE_LIMITS = {
  /** A batch waits for no departure and no key. Another lock that takes longer ends it, and its sales are written alone. */
  batchLockMs: 250,
  /** A batch that takes longer delays no other: its server may be lost, and a new connection may reach the next one. */
  hangingMs: 500,
  /** The most sales of a transaction. */
  batchMax: 128,
  /** Batches that are written at the same time, of different departures. The second one must be full (ADR 26). */
  batches: 2,
  /** Batches that are written at the same time without group commit; each has one sale. */
  singleBatches: 4,
  /** Departures that transactions wait for at the same time. With the other limits, less than the pool's 16 connections. */
  lockWaiters: 6,
  /** Transactions at the same time for sales whose batch failed. */
  alone: 3,
  /** Time before a sale is tried again: no transaction may wait for its departure, or its key, API key or tenant is in use. */
  tryAgainMs: 20,
  /** Limits the wait for a departure in the process and in the database together. */
  waitMs: 2_000,
  /** More waiting sales are refused. */
  waitingMax: 1_000,
  /** More waiting sales of one departure or one tenant are refused, so that the others can still wait. */
  partMax: 500,
} as const;

/** Too many holds and bookings wait in this process. The client may retry. */
export class SalesOverloadedError extends AppError {
  readonly code = 'overloaded';

  constructor() {
    super('The service is overloaded. Try again in a second.');
  }
}
