import { QUEUE_LIMITS } from './queue-limits';

export interface OpenBatch {
  /** Ends the transaction: the next batch may begin. The departures are kept. */
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
      // Each once: a later batch may be writing a departure that this one has given back.
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
