import { QUEUE_LIMITS } from './queue-limits';

export interface OpenBatch {
  /** Records that the transaction of the batch has ended, so that the next batch may begin. The departures stay reserved for this batch. */
  end(): void;
  /** Keeps only these departures reserved. Other batches may then write the batch's other departures. */
  keepOnly(departures: ReadonlySet<string>): void;
}

/** The batches that a process is writing, and their departures. */
export class OpenBatches {
  private readonly departures = new Set<string>();
  /** The number of open batches: `single` have one change each, `shared` may have several. */
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
