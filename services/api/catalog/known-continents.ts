import type { Db } from '../../platform/database/database';
import { AppError } from '../../platform/errors';

/** Returns the continents of all tours, of any status. */
export async function findContinents(db: Db): Promise<string[]> {
  return db('tours').distinct().orderBy('continent').pluck<string[]>('continent');
}

/** Returns the text of an error or warning about a continent that has no tour. */
export function noTourIn(continent: string): string {
  return `No tour is in the continent "${continent}"`;
}

/** An operator named a continent that has no tour. */
class UnknownContinentError extends AppError {
  readonly code = 'continent_not_found';

  constructor(continent: string) {
    super(`${noTourIn(continent)}: tourctl catalog list shows the continents`);
  }
}

/**
 * Checks the continent of a new rule, because a rule for a misspelt continent would have no effect. An empty catalog has no continents yet,
 * so any continent is accepted then.
 * @returns false if the catalog is empty, otherwise true
 * @throws UnknownContinentError
 */
export async function checkContinent(db: Db, continent: string): Promise<boolean> {
  const known = await findContinents(db);
  if (known.length > 0 && !known.includes(continent)) throw new UnknownContinentError(continent);
  return known.length > 0;
}
