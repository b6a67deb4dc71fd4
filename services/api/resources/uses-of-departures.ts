import type { Db } from '../../platform/database/database';
import { type Blocking, selectBlocking, selectUses } from './uses-of-departures.repository';

/** What a departure uses, as `uses` of a catalog file, and what takes it. */
export interface UsesOfDeparture {
  uses: object[];
  blockedBy: Blocking[];
}

/** Returns the uses of the departures by id: their own, or those of their tours. Counts real sales. */
export async function findUsesOfDepartures(
  db: Db,
  departureIds: string[],
): Promise<Map<string, UsesOfDeparture>> {
  const uses = await selectUses(db, departureIds);
  const used = uses.filter((one) => one.uses.length > 0).map(({ id }) => id);
  const blocking = used.length > 0 ? await selectBlocking(db, used) : [];
  return new Map(
    uses.map(({ id, uses: list }) => [
      id,
      { uses: list, blockedBy: blocking.filter(({ departureId }) => departureId === id) },
    ]),
  );
}
