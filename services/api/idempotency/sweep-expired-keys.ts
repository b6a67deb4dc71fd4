import type { Db } from '../../platform/database';
import { deleteExpiredKeys } from './idempotency.repository';

const BATCH = 1000;

/** Forgets keys whose day, or week, is over. */
export async function sweepExpiredKeys(db: Db): Promise<void> {
  while ((await deleteExpiredKeys(db, BATCH)) === BATCH);
}
