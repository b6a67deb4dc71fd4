import { AppError } from '../../../platform/errors';

/** The limits of a process's queue of sales (ADR 26); times in milliseconds. */
export const QUEUE_LIMITS = {
  /**
   * The longest wait of a batch for a lock. After this time, each sale of the batch is written in a transaction of its own. A batch never
   * waits for the locks of departures and keys.
   */
  batchLockMs: 250,
  /**
   * The time after which the next batches no longer wait for a running batch. The database server of the running batch may be lost, while
   * new connections reach another server.
   */
  hangingMs: 500,
  /** The most sales in one transaction. */
  batchMax: 128,
  /**
   * The most batches that are written at the same time. Two such batches have no departure in common. The second batch begins only when it
   * has its full number of sales (ADR 26).
   */
  batches: 2,
  /** The most transactions at the same time that write one change of a stored hold or booking or, without group commit, one sale. */
  singleBatches: 4,
  /** The most departures that transactions wait for at the same time. All these limits together stay below the pool's 16 connections. */
  lockWaiters: 6,
  /** The most transactions that run at the same time for single sales whose batch failed. */
  alone: 3,
  /**
   * The pause before a sale is tried again. A sale is tried again if its Idempotency-Key, API key or tenant is in use, or if transactions
   * already wait for `lockWaiters` other departures.
   */
  tryAgainMs: 20,
  /** Limits the sum of two waits for a departure: in the process, and in the database. */
  waitMs: 2_000,
  /** The most sales that wait in the process. Further sales are refused. */
  waitingMax: 1_000,
  /**
   * The most sales of one departure, or of one tenant, that wait. Further sales are refused, so that sales of other departures and tenants
   * can still wait.
   */
  partMax: 500,
} as const;

/** Too many holds and bookings wait in this process. The client may retry. */
export class SalesOverloadedError extends AppError {
  readonly code = 'overloaded';

  constructor() {
    super('The service is overloaded. Try again in a second.');
  }
}

export interface OpenBatch {
  /** Records that the transaction of the batch has ended, so that the next batch may begin. The departures stay reserved for this batch. */
  end(): void;
  /** Keeps only these departures reserved. Other batches may then write the batch's other departures. */
  keepOnly(departures: ReadonlySet<string>): void;
}

/** The batches that a process is writing, and their departures. */
export class OpenBatches {
  private readonly departures = new Set<string>();
  /** The number of open batches: `single` have one change each, `shared` have several sales. */
  readonly count = { single: 0, shared: 0 };

  /** @param onChange is called when a batch may begin */
  constructor(private readonly onChange: () => void) {}

  isWriting(departure: string): boolean {
    return this.departures.has(departure);
  }

  /** Counts a batch until it ends or hangs (QUEUE_LIMITS.hangingMs), and reserves its departures until `keepOnly` releases them. */
  begin(departures: ReadonlySet<string>, kind: 'single' | 'shared'): OpenBatch {
    let isOpen = true;
    const kept = new Set(departures);
    for (const departure of kept) this.departures.add(departure);
    this.count[kind]++;
    const keepOnly = (needed: ReadonlySet<string>) => {
      // Releases each departure only once, because a later batch may have reserved it meanwhile.
      for (const departure of kept)
        if (!needed.has(departure) && kept.delete(departure)) this.departures.delete(departure);
      this.onChange();
    };
    const end = () => {
      clearTimeout(hanging);
      if (isOpen) this.count[kind]--;
      isOpen = false;
      this.onChange();
    };
    const hanging = setTimeout(() => {
      keepOnly(new Set());
      end();
    }, QUEUE_LIMITS.hangingMs);
    return { end, keepOnly };
  }
}

/** Runs a task. Tasks above the limit wait, in order of arrival. */
type Limit = <T>(task: () => Promise<T>) => Promise<T>;

export function createLimit(most: number): Limit {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async (task) => {
    if (running < most) running++;
    else await new Promise<void>((begin) => waiting.push(begin));
    try {
      return await task();
    } finally {
      // A task that ends passes its slot to the next task, so `running` does not change.
      const next = waiting.shift();
      if (next) next();
      else running--;
    }
  };
}
