import type { Trx } from '../../platform/database';
import { readDatabaseTime } from './queue.repository';
import { countReplayable, requeueFinished, type ReplayFilter } from './replay.repository';

/** Maximum number of deliveries of one replay. */
export const REPLAY_LIMIT = 10_000;

/**
 * Queues finished deliveries of active endpoints again, in the order in which they finished, each with its old webhook-id.
 * @returns also the number left above REPLAY_LIMIT: pass `finishedBefore` to continue with them
 */
export async function replayDeliveries(
  trx: Trx,
  filter: ReplayFilter,
): Promise<{ replayed: number; left: number; finishedBefore: Date }> {
  const finishedBefore = filter.finishedBefore ?? (await readDatabaseTime(trx));
  const bounded = { ...filter, finishedBefore };
  const replayed = await requeueFinished(trx, bounded, REPLAY_LIMIT);
  const left = replayed < REPLAY_LIMIT ? 0 : await countReplayable(trx, bounded);
  return { replayed, left, finishedBefore };
}
