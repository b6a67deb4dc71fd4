/** The limits of a process's queue of changes (ADR 53); times in milliseconds. */
export const QUEUE_LIMITS = {
  /**
   * The longest wait of a batch for a lock. After this time, each change of the batch is written in a transaction of its own. A batch never
   * waits for the locks of departures and keys.
   */
  batchLockMs: 250,
  /**
   * The time after which the next batches no longer wait for a running batch. The database server of the running batch may be lost, while
   * new connections reach another server.
   */
  hangingMs: 500,
  /** The most changes in one transaction. */
  batchMax: 128,
  /**
   * The most batches that are written at the same time. Two such batches have no departure in common. The second batch begins only when it
   * has its full number of changes.
   */
  batches: 2,
  /** The most transactions at the same time that write one change of a stored hold or booking or, without group commit, one change. */
  singleBatches: 4,
  /** The most departures and resources that transactions wait for at the same time. All these limits together stay below the pool's 16 connections. */
  lockWaiters: 6,
  /** The most transactions that run at the same time for single changes whose batch failed. */
  alone: 3,
  /**
   * The pause before a change is tried again. A change is tried again if its Idempotency-Key, API key or tenant is in use, or if transactions
   * already wait for `lockWaiters` other departures.
   */
  tryAgainMs: 20,
  /** Limits the sum of two waits for a departure: in the process, and in the database. */
  waitMs: 2_000,
  /** The most changes that wait in the process. Further changes are refused. */
  waitingMax: 1_000,
  /**
   * The most changes of one departure, or of one tenant, that wait. Further changes are refused, so that changes of other departures and tenants
   * can still wait.
   */
  partMax: 500,
  /** The most departures whose resources the process remembers. */
  knownDepartures: 10_000,
} as const;
