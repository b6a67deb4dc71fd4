import type { Db } from '../platform/database';
import type { Logger } from '../platform/logger';
import { sweepExpiredSeats } from './departures/free-expired-seats';
import { writeRefusals } from './departures/note-refusal';
import { sweepExpiredKeys } from './idempotency/sweep-expired-keys';

const EVERY_MS = 15_000;

/**
 * Writes down what the clock has already decided: expired holds, unpaid leads, old idempotency keys. Late is no harm. And what
 * this process has refused since the last time.
 */
export function startSweeper(db: Db, log: Logger): { stop(): Promise<void> } {
  let stopped = false;
  let pass = Promise.resolve();
  const complain = (error: unknown) => {
    if (!stopped) log.warn({ err: error }, 'sweep failed');
  };
  const sweep = async () => {
    await sweepExpiredSeats(db, complain).catch(complain);
    await sweepExpiredKeys(db).catch(complain);
    await writeRefusals(db).catch(complain);
  };
  const timer = setInterval(() => {
    pass = pass.then(sweep);
  }, EVERY_MS);
  return {
    stop: async () => {
      stopped = true;
      clearInterval(timer);
      await pass;
      // No request is left that could be refused.
      await writeRefusals(db).catch((error: unknown) => log.warn({ err: error }, 'refusals not written'));
    },
  };
}
