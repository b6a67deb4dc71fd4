import { AppError } from '../../platform/errors';

/** The limits of a process's queue of sales (ADR 26); times in milliseconds. */
export const QUEUE_LIMITS = {
  /** A batch waits for no departure and no key. A longer wait for another lock ends the batch, and its sales are written alone. */
  batchLockMs: 250,
  /** A batch that takes longer delays no other batch any more: its server may be lost, and a new connection may reach another server. */
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

export interface OpenBatch {
  /** Ends the transaction of the batch, so that the next batch may begin. The batch keeps its departures. */
  end(): void;
  /** Keeps these departures only, and gives the others back to other batches. */
  keepOnly(departures: ReadonlySet<string | null>): void;
}

/** The batches that a process is writing, and their departures. */
export class OpenBatches {
  private readonly departures = new Set<string>();
  private open = 0;

  /** @param onChange is called when a batch may begin */
  constructor(private readonly onChange: () => void) {}

  get count(): number {
    return this.open;
  }

  isWriting(departure: string): boolean {
    return this.departures.has(departure);
  }

  /** Counts a batch until it ends or hangs (QUEUE_LIMITS.hangingMs), and keeps its departures until they are given back. */
  begin(departures: ReadonlySet<string>): OpenBatch {
    let isOpen = true;
    const kept = new Set(departures);
    for (const departure of kept) this.departures.add(departure);
    this.open++;
    const keepOnly = (needed: ReadonlySet<string | null>) => {
      // Gives each departure back once, because a later batch may be writing it.
      for (const departure of kept)
        if (!needed.has(departure) && kept.delete(departure)) this.departures.delete(departure);
      this.onChange();
    };
    const end = () => {
      clearTimeout(hanging);
      if (isOpen) this.open--;
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

/** Runs at most so many tasks at the same time, in order of arrival. */
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
      // A task that ends passes its place to the next one, so `running` does not change.
      const next = waiting.shift();
      if (next) next();
      else running--;
    }
  };
}
