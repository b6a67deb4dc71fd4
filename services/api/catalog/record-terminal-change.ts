import type { Trx } from '../../platform/database/database';

/**
 * Increments the revision of a tour. From the commit on, no instance uses its cached availability of this tour. The terminal is a separate
 * process, so it cannot clear these caches itself.
 */
export async function recordTerminalChange(trx: Trx, tourId: string): Promise<void> {
  await trx('tours').where({ id: tourId }).increment('revision', 1);
}
