import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from '../database';
import { deleteSilent, findLaggards, hasLaggards } from './instance.repository';
import { LEASE_MS } from './lease-term';

const LOOK_MS = 25;
/** Two clocks need not run at quite the same rate. */
const LAPSED_MS = LEASE_MS + 50;
const AT_MOST_MS = 1_500;

/**
 * Called after COMMIT: resolves when every instance of the API has seen the change, or can hold no lease from before it. That
 * is after a second at the latest, whatever has become of the instances; never rejects: if the database cannot be asked, the
 * time is waited out.
 */
export async function untilInstancesObey(db: Db): Promise<void> {
  const over = new AbortController();
  const atMost = sleep(AT_MOST_MS, undefined, { signal: over.signal }).catch(() => {});
  await Promise.race([atMost, untilSeen(db, over.signal).catch(() => atMost)]);
  over.abort();
}

async function untilSeen(db: Db, over: AbortSignal): Promise<void> {
  const { version, laggards } = await findLaggards(db);
  const begun = performance.now();
  for (let lagging = laggards.length > 0; lagging; lagging = await hasLaggards(db, version)) {
    if (over.aborted) return;
    // Whoever has not polled in all this time holds no lease. The next command need not wait for a process that died.
    if (performance.now() - begun >= LAPSED_MS) return deleteSilent(db, laggards);
    await sleep(LOOK_MS);
  }
}
