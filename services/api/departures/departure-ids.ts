import { LRUCache } from 'lru-cache';
import type { Db } from '../../platform/database';
import { findDepartureId, findDepartureIds } from './departure.repository';

export { findDepartureId };

const IDS_MAX = 200_000;
const TTL_MS = 60_000;

/**
 * Finds the departures that requests name by date. Keeps the ids of a tour's upcoming departures for one revision of the tour: each import,
 * and each new departure, revises it.
 */
export class DepartureIds {
  private readonly known: LRUCache<string, Map<string, string>, { id: string }>;

  constructor(private readonly db: Db) {
    this.known = new LRUCache({
      maxSize: IDS_MAX,
      // After a restore, a revision may name other departures.
      ttl: TTL_MS,
      sizeCalculation: (ids) => ids.size + 1,
      fetchMethod: (_key, _stale, { context }) => findDepartureIds(db, context.id),
    });
  }

  /**
   * Returns the id of the tour's departure on the date. Asks the database for a date that is not known, because the revision may be up to a second old.
   * @param date YYYY-MM-DD
   * @returns null when the tour has no departure on the date
   */
  async find(tour: { id: string; revision: number }, date: string): Promise<string | null> {
    const ids = await this.known.fetch(`${tour.id} ${tour.revision}`, { context: tour });
    return ids?.get(date) ?? findDepartureId(this.db, tour.id, date);
  }
}
