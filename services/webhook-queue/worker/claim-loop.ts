import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../../platform/logger';
import type { ClaimDue } from './claim-due';
import type { Slots } from './slots';

interface ClaimLoopOptions {
  log: Logger;
  claimDue: ClaimDue;
  slots: Slots;
  pollMs: number;
}

interface ClaimLoop {
  /** Claims now instead of at the next poll. */
  wake(): void;
  /** Stops claiming; resolves after the last claim. */
  stop(): Promise<void>;
}

/**
 * The longest time that a busy worker waits for half of its capacity to become free before it claims again. The worker waits longer while
 * claimed deliveries wait for a slot (ACCUMULATE_AHEAD_MS). Large claims are cheaper: in a claim of 400 deliveries, each delivery takes the
 * server a third of the time that it takes in a claim of 100 (ADR 15).
 */
const ACCUMULATE_MS = 25;
const ACCUMULATE_AHEAD_MS = 100;
const ACCUMULATE_STEP_MS = 5;

/**
 * Claims deliveries until `stop` is called. Each claim takes as many deliveries as the free capacity allows. Without a call of `wake` it
 * claims every `pollMs`, because nothing tells the worker that a delivery has become due.
 */
export function startClaimLoop({ log, claimDue, slots, pollMs }: ClaimLoopOptions): ClaimLoop {
  let stopping = false;
  let failure: string | undefined;
  const ignore = (): void => undefined;
  let wake = ignore;

  /** @returns true when more may be due now */
  const claim = async (): Promise<boolean> => {
    const free = slots.free();
    if (free <= 0) return false;
    const { claims, nothingLeft } = await claimDue(free, slots.capacity());
    if (failure) log.info('claims succeed again');
    failure = undefined;
    for (const delivery of claims) slots.take(delivery);
    return !nothingLeft;
  };
  /**
   * Logs a failure unless the previous claim failed for the same reason, so that an unreachable database is logged once and not at every
   * poll.
   */
  const waitAfterFailure = (error: unknown): Promise<false> => {
    const kind = kindOf(error);
    if (kind !== failure) log.error({ err: error }, 'claim failed');
    failure = kind;
    return sleep(pollMs, false);
  };
  const accumulate = async (): Promise<void> => {
    const begun = performance.now();
    const limit = () => (slots.waiting() > 0 ? ACCUMULATE_AHEAD_MS : ACCUMULATE_MS);
    while (slots.free() * 2 < slots.capacity() && performance.now() - begun < limit())
      await sleep(ACCUMULATE_STEP_MS);
  };
  const run = async (): Promise<void> => {
    while (!stopping) {
      const woken = new Promise<void>((resolve) => {
        wake = () => {
          wake = ignore;
          resolve();
        };
      });
      const more = await claim().catch(waitAfterFailure);
      if (!more) await Promise.race([woken, sleep(pollMs)]);
      await accumulate();
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

/**
 * Returns the code or the name of an error, so that two errors can be compared. Error messages cannot be compared, because they contain the
 * statement with its values.
 */
function kindOf(error: unknown): string {
  const { code, name } = error as NodeJS.ErrnoException;
  return code ?? name;
}
