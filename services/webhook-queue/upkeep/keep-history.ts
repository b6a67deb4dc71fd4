import type { Db } from '../../platform/database';
import type { Logger } from '../../platform/logger';
import { dropMonth, findMonthsBehind, makeMonths } from './history.repository';

/** Enough for a queue that nobody starts for a month; without one the default partition takes what comes. */
const MONTHS_AHEAD = 2;

/** History is kept by the month: what is older than `retentionDays`, all of it, goes at once. */
export async function keepHistory(db: Db, log: Logger, retentionDays: number): Promise<void> {
  const made = await makeMonths(db, MONTHS_AHEAD);
  if (made.length > 0) log.info({ made }, 'months of history made');
  for (const month of await findMonthsBehind(db, retentionDays)) {
    const givenUp = await dropMonth(db, month);
    if (givenUp !== null)
      log[givenUp > 0 ? 'warn' : 'info']({ month, given_up: givenUp }, 'month of history dropped');
  }
}
