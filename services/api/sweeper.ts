import type { Db } from '../platform/database/database';
import type { Logger } from '../platform/logger';
import { announceMissingAnswers } from './bookings/announce-missing-answers';
import { eraseAnswersAfterReturn } from './bookings/erase-late-answers';
import { remindOfPayments } from './bookings/remind-payment';
import { pruneCatalogChanges } from './catalog/catalog-changes.repository';
import { refreshNextDepartures } from './catalog/next-departures.repository';
import { findDeparturesWithExpiredSeats } from './departures/departure-sales.repository';
import { eraseEndedHolds, type HoldRetention } from './holds/erase-ended-holds';
import { sweepExpiredKeys } from './idempotency/idempotency.repository';
import type { ChangedSeats } from './octo/changed-seats';
import { notifyOfCatalog } from './octo/notify-of-catalog';
import type { RefusalLog } from './refusals/refusal-log';
import type { AfterCommit } from './seats/after-commit';
import { expire } from './seats/changes/expire';
import { performBulkAlone } from './seats/perform';

const EVERY_MS = 15_000;
/** Old changes of the catalog are deleted, and old answers erased, once an hour. */
const SWEEPS_BETWEEN_PRUNINGS = 240;
const DEPARTURES_A_SWEEP = 100;

/**
 * Marks the expired holds and leads of up to 100 departures, each in its own short transaction, and notifies the listeners of their seats.
 * @param onFailure receives the error of one departure; the others continue, and the next sweep retries it
 */
export async function sweepExpiredSeats(
  services: { db: Db; afterCommit: AfterCommit },
  onFailure: (error: unknown) => void,
): Promise<void> {
  const departureIds = await findDeparturesWithExpiredSeats(services.db, DEPARTURES_A_SWEEP);
  for (const departureId of departureIds)
    await performBulkAlone(services, expire(departureId)).catch(onFailure);
}

interface SweptContext {
  refusals: RefusalLog;
  seats: ChangedSeats;
  holds: HoldRetention;
  /** ANSWER_DAYS */
  answerDays: number;
  changes: { afterCommit: AfterCommit };
}

/**
 * Repeats these tasks:
 * - marks expired holds and leads
 * - sends payment reminders, and announces missing answers
 * - deletes expired Idempotency-Keys
 * - stores changed next departures
 * - deletes old changes of the catalog
 * - erases the customers of holds that ended long ago, and deletes older holds
 * - erases the answers and notes of travellers who returned long ago
 * - writes the refusals of this process
 * - notifies the subscribers of OCTO of changed seats
 *
 * A second timer notifies these subscribers of changes of the catalog, so that a large change does not delay a sweep.
 *
 * Answers are correct even if the sweeper runs late, because every query compares the expiry with the clock.
 */
export function startSweeper(
  db: Db,
  { refusals, seats, holds, answerDays, changes: { afterCommit } }: SweptContext,
  log: Logger,
): { stop(): Promise<void> } {
  let stopped = false;
  let pass = Promise.resolve();
  let sweeps = 0;
  const logFailure = (error: unknown) => {
    if (!stopped) log.warn({ err: error }, 'sweep failed');
  };
  const sweep = async () => {
    await sweepExpiredSeats({ db, afterCommit }, logFailure).catch(logFailure);
    await remindOfPayments(db).catch(logFailure);
    await announceMissingAnswers(db).catch(logFailure);
    await sweepExpiredKeys(db).catch(logFailure);
    await refreshNextDepartures(db).catch(logFailure);
    await eraseEndedHolds(db, holds).catch(logFailure);
    if (sweeps++ % SWEEPS_BETWEEN_PRUNINGS === 0) {
      await pruneCatalogChanges(db).catch(logFailure);
      await eraseAnswersAfterReturn(db, answerDays).catch(logFailure);
    }
    await refusals.write(db).catch(logFailure);
    await seats.notify(db).catch(logFailure);
  };
  const timer = setInterval(() => {
    pass = pass.then(sweep);
  }, EVERY_MS);
  let catalogRound: Promise<void> | undefined;
  const catalogTimer = setInterval(() => {
    catalogRound ??= notifyOfCatalog(db, logFailure, () => stopped)
      .catch(logFailure)
      .finally(() => {
        catalogRound = undefined;
      });
  }, EVERY_MS);
  return {
    stop: async () => {
      stopped = true;
      clearInterval(timer);
      clearInterval(catalogTimer);
      await pass;
      await catalogRound;
      await seats.notify(db).catch((error: unknown) => log.warn({ err: error }, 'changed seats not sent'));
      // Writes the last refusals: no request is left that could be refused.
      await refusals.write(db).catch((error: unknown) => log.warn({ err: error }, 'refusals not written'));
    },
  };
}
