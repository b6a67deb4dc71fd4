import type { Db } from '../platform/database';
import type { Logger } from '../platform/logger';
import { turnMonths } from './history.repository';

/** Enough for a queue that nobody starts for a month; without one the default partition takes what comes. */
const MONTHS_AHEAD = 2;

/** History is kept by the month: what is older than `retentionDays`, all of it, goes at once. */
export async function keepHistory(db: Db, log: Logger, retentionDays: number): Promise<void> {
  const change = await turnMonths(db, retentionDays, MONTHS_AHEAD);
  if (!change || change.made.length + change.dropped.length === 0) return;
  const { made, dropped, givenUp } = change;
  log[givenUp > 0 ? 'warn' : 'info'](
    { made, dropped, given_up: givenUp },
    'months of history made and dropped',
  );
}
