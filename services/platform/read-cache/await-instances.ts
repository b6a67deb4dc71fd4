import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from '../database';
import {
  deleteSilentInstances,
  findLaggingInstances,
  hasLaggingInstances,
  VALIDITY_MS,
} from './instance.repository';

const POLL_MS = 25;
/** Adds a margin: two clocks may differ in rate. */
const LAPSED_MS = VALIDITY_MS + 50;
const AT_MOST_MS = 1_500;

/**
 * Call it after COMMIT. Resolves when every instance of the API has seen the change, or its read-cache validity has lapsed: after
 * about a second at the latest. Never rejects: while the database is down, it waits for the whole time.
 */
export async function awaitInstances(db: Db): Promise<void> {
  const over = new AbortController();
  const atMost = sleep(AT_MOST_MS, undefined, { signal: over.signal }).catch(() => {});
  await Promise.race([atMost, untilSeen(db, over.signal).catch(() => atMost)]);
  over.abort();
}

async function untilSeen(db: Db, over: AbortSignal): Promise<void> {
  const { version, laggards } = await findLaggingInstances(db);
  const startedAt = performance.now();
  for (let lagging = laggards.length > 0; lagging; lagging = await hasLaggingInstances(db, version)) {
    if (over.aborted) return;
    // The validity of these instances has lapsed. Deletes them, so that the next command does not wait for dead processes.
    if (performance.now() - startedAt >= LAPSED_MS) return deleteSilentInstances(db, laggards);
    await sleep(POLL_MS);
  }
}
