import type { Trx } from '../../platform/database';
import { incrementRevision } from './tour.repository';

/**
 * Makes every running instance forget what it has cached of this tour, from the commit on: the terminal is a process of
 * its own and cannot drop their entries.
 */
export async function noteTerminalChange(trx: Trx, tourId: string): Promise<void> {
  await incrementRevision(trx, tourId);
}
