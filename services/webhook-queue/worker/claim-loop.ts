import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../../platform/logger';
import type { ClaimDue } from './claim-due';
import type { Slots } from './slots';

export interface ClaimLoopOptions {
  log: Logger;
  claimDue: ClaimDue;
  slots: Slots;
  pollMs: number;
}

export interface ClaimLoop {
  /** There is room: it does not wait for the next poll. */
  wake(): void;
  /** Claims no more; resolves once the last claim is through. */
  stop(): Promise<void>;
}

/**
 * How long a worker that is nowhere near idle waits for room before it claims again: a claim of 400 costs the server 30 µs a
 * delivery, one of 180 costs 41.
 */
const GATHER_MS = 25;
const GATHER_STEP_MS = 5;

/** Claims as much as there is room for, over and over; the poll is the truth, waking it a hint. */
export function startClaimLoop({ log, claimDue, slots, pollMs }: ClaimLoopOptions): ClaimLoop {
  let stopping = false;
  let failure: string | undefined;
  let wake: () => void = () => undefined;

  /** @returns whether there may be more at once */
  const claim = async (): Promise<boolean> => {
    const room = slots.room();
    if (room <= 0) return false;
    const { claims, nothingLeft } = await claimDue(room, slots.capacity());
    if (failure) log.info('claims succeed again');
    failure = undefined;
    for (const delivery of claims) slots.take(delivery);
    return !nothingLeft;
  };
  /** A database that is away is told of once, not with every poll. */
  const waitOut = (error: unknown): Promise<false> => {
    const kind = kindOf(error);
    if (kind !== failure) log.error({ err: error }, 'claim failed');
    failure = kind;
    return sleep(pollMs, false);
  };
  const gather = async (): Promise<void> => {
    const begun = performance.now();
    while (slots.room() * 2 < slots.capacity() && performance.now() - begun < GATHER_MS)
      await sleep(GATHER_STEP_MS);
  };
  const run = async (): Promise<void> => {
    while (!stopping) {
      const woken = new Promise<void>((resolve) => (wake = resolve));
      const more = await claim().catch(waitOut);
      if (!more) await Promise.race([woken, sleep(pollMs)]);
      await gather();
    }
  };

  const running = run();
  return {
    wake: () => wake(),
    stop: async () => {
      stopping = true;
      wake();
      await running;
    },
  };
}

/** Its message has the statement with all its values in it, which are others each time. */
function kindOf(error: unknown): string {
  const { code, name } = error as NodeJS.ErrnoException;
  return code ?? name;
}
