import { setTimeout as sleep } from 'node:timers/promises';
import type { Response } from 'supertest';
import type { Db, Trx } from '../../services/platform/database/database';
import type { Seats } from './website';

/** Resolves when `count` transactions on this database wait for a lock. */
export async function untilTransactionWaits(db: Db, count = 1): Promise<void> {
  await transactionsWait(db, count, () => false);
}

/** Returns true when `count` transactions on this database wait for a lock, and false if `isOver` returns true before. */
export async function transactionsWait(db: Db, count: number, isOver: () => boolean): Promise<boolean> {
  const waiting =
    "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
  while ((await db.raw(waiting)).rows.length < count) {
    if (isOver()) return false;
    await sleep(5);
  }
  return true;
}

/**
 * Sends a request while another transaction holds the departure's lock. Then runs `work` in this transaction and commits it.
 * @returns the answer to the request
 */
export async function answerAfter(
  db: Db,
  { tour, date }: Seats,
  request: () => Promise<Response>,
  work: (trx: Trx, departureId: string) => Promise<unknown>,
): Promise<Response> {
  const other = await db.transaction();
  try {
    const row = await other('departures')
      .where({ tour_id: tour.id, departure_date: date })
      .forUpdate()
      .first('id');
    const answer = request();
    await untilTransactionWaits(db);
    await work(other, row.id);
    await other.commit();
    return await answer;
  } finally {
    if (!other.isCompleted()) await other.rollback();
  }
}
