import type { Trx } from '../../platform/database/database';

/** A date of a tour whose seats have changed. */
export interface ChangedDate {
  tourId: string;
  /** YYYY-MM-DD. */
  date: string;
  /** True: seats of the sandbox; false: real seats. */
  sandbox: boolean;
  /**
   * True: the departure itself has changed, so its tour has a new revision, and OCTO's changes of the catalog tell of it. Undefined: only its
   * holds and bookings have changed.
   */
  inCatalog?: true;
}

/** Returns the date twice: its real seats, and its seats of the sandbox. For a change of all holds and bookings of a departure. */
export function datesOfBothKinds(tourId: string, date: string): ChangedDate[] {
  return [false, true].map((sandbox) => ({ tourId, date, sandbox }));
}

/**
 * The parts of the product that follow each change of seats. sales-context.ts has a listener of each, and cli/engine/change-seats.ts a
 * recorder of each.
 */
export type SeatFollower = 'availability' | 'octo';

/** Is called after the COMMIT of a transaction that changed seats, before the answer of the change. */
export type SeatListener = (changed: ChangedDate[]) => Promise<void>;

/** Is called in a transaction that changes seats, before its COMMIT. For the terminal, whose process ends after the COMMIT. */
export type SeatRecorder = (trx: Trx, changed: ChangedDate[]) => Promise<void>;

/**
 * Notifies the listeners of a process which dates' seats have changed. The start of the process gives the listeners.
 * @rule what follows the COMMIT of a change of seats: test/api/after-commit.long.test.ts
 */
export class AfterCommit {
  private readonly listeners: SeatListener[] = [];

  add(listener: SeatListener): void {
    this.listeners.push(listener);
  }

  async notify(changed: ChangedDate[]): Promise<void> {
    if (changed.length > 0) await Promise.all(this.listeners.map((listener) => listener(changed)));
  }
}
