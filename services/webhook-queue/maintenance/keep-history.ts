import type { Db } from '../../platform/database';
import type { Logger } from '../../platform/logger';
import { dropMonth, expireStranded, findExpiredMonths, makeMonths } from './history.repository';

/** Covers a queue that does not run for a month; without a month, rows go to the default partition. */
const MONTHS_AHEAD = 2;
/** Limits a round, so that a worker stops quickly; the next round continues. */
const BATCHES_A_ROUND = 20;

/** Creates the months to come and drops each month that is wholly older than `retentionDays`. */
export async function keepHistory(db: Db, log: Logger, retentionDays: number): Promise<void> {
  if (!(await expireOldStranded(db, log, retentionDays))) return;
  const made = await makeMonths(db, MONTHS_AHEAD);
  if (made.length > 0) log.info({ made }, 'history months created');
  for (const month of await findExpiredMonths(db, retentionDays)) {
    const givenUp = await dropMonth(db, month);
    if (givenUp !== null)
      log[givenUp > 0 ? 'warn' : 'info']({ month, given_up: givenUp }, 'history month dropped');
  }
}

/**
 * Deletes expired rows without a month, because a month created for them would be dropped at once.
 * @returns true when none is left; false when another round must continue, or another process deletes
 */
async function expireOldStranded(db: Db, log: Logger, retentionDays: number): Promise<boolean> {
  let [deleted, givenUp] = [0, 0];
  let isDone = false;
  for (let batch = 0; batch < BATCHES_A_ROUND && !isDone; batch++) {
    const expired = await expireStranded(db, retentionDays);
    if (!expired) break;
    isDone = expired.deleted === 0;
    deleted += expired.deleted;
    givenUp += expired.givenUp;
  }
  if (deleted > 0)
    log[givenUp > 0 ? 'warn' : 'info'](
      { deleted, given_up: givenUp },
      'history rows without a month deleted',
    );
  return isDone;
}
