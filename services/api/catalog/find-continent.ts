import type { Db } from '../../platform/database';
import { hasTourInContinent } from './catalog-tour.repository';

/** A rule may speak of a continent before its first tour is imported; a slip of the pen looks the same. */
export async function isContinentOfSomeTour(db: Db, continent: string): Promise<boolean> {
  return hasTourInContinent(db, continent);
}
