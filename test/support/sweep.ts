import { AfterCommit } from '../../services/api/seats/after-commit';
import { sweepExpiredSeats } from '../../services/api/sweeper';
import type { Db } from '../../services/platform/database/database';

/** Marks the expired holds and bookings, as the sweeper does. @throws the first failure */
export async function sweep(db: Db, afterCommit = new AfterCommit()): Promise<void> {
  const failures: unknown[] = [];
  await sweepExpiredSeats({ db, afterCommit }, (error) => failures.push(error));
  if (failures.length > 0) throw failures[0];
}
