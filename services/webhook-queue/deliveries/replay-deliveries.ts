import type { Db, Trx } from '../../platform/database';
import { isUuid } from '../../platform/text-forms';
import { readClock } from './queue.repository';
import {
  countHeldBack,
  countReplayable,
  requeueFinished,
  type HeldBack,
  type ReplayFilter,
} from './replay.repository';

/** How many deliveries `replayDeliveries` would send. */
export async function countReplay(db: Db | Trx, filter: ReplayFilter): Promise<number> {
  return filter.endpointId && !isUuid(filter.endpointId) ? 0 : countReplayable(db, filter);
}

/** How many it would not, though the filter finds them: their endpoints are paused or disabled. */
export async function countHeldBackReplay(db: Db | Trx, filter: ReplayFilter): Promise<HeldBack> {
  const nobodys = filter.endpointId && !isUuid(filter.endpointId);
  return nobodys ? { paused: 0, disabled: 0 } : countHeldBack(db, filter);
}

/** What one replay sends at most. */
export const REPLAYED_MOST = 10_000;

/**
 * Sends finished deliveries of active endpoints again, those that finished first, each under its old webhook-id.
 * @returns also how many are left beyond REPLAYED_MOST: to go on with them, pass `finishedBefore` on
 */
export async function replayDeliveries(
  trx: Trx,
  filter: ReplayFilter,
): Promise<{ replayed: number; left: number; finishedBefore: Date }> {
  const finishedBefore = filter.finishedBefore ?? (await readClock(trx));
  const bounded = { ...filter, finishedBefore };
  if (filter.endpointId && !isUuid(filter.endpointId)) return { replayed: 0, left: 0, finishedBefore };
  const replayed = await requeueFinished(trx, bounded, REPLAYED_MOST);
  const left = replayed < REPLAYED_MOST ? 0 : await countReplayable(trx, bounded);
  return { replayed, left, finishedBefore };
}
