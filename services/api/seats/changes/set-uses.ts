import { isDeepStrictEqual } from 'node:util';
import type { Trx } from '../../../platform/database/database';
import { changeDeparture } from '../../departures/departure.repository';
import {
  findNamedDeparture,
  type NamedDeparture,
  type TourOfDeparture,
} from '../../departures/find-departures';
import { assertTripsFit } from '../../resources/busy-trips';
import { ResourceNotFoundError } from '../../resources/resource.errors';
import { findTouchedDates } from '../../resources/touched-dates';
import { selectOwnUses, selectResourceIds } from '../../resources/stored-resource.repository';
import { datesOfBothKinds } from '../after-commit';
import type { BulkChange } from '../bulk-change';
import { type ChangedDeparture, departureAfter, presentDeparture } from './change-departure';

/** A resource that a departure uses, and for how long, as `uses` of a catalog file has it. */
export interface UseOfResource {
  resource: string;
}

interface ChangedUses extends ChangedDeparture {
  /** The own list of the departure. Null: that of its tour. */
  uses: { before: object[] | null; after: object[] | null };
}

/**
 * Gives a departure its own list of resources. Its bookings and holds stay.
 * @param uses an empty list: none; null: those of the tour
 * @throws errors of findNamedDeparture; ResourceNotFoundError; the change ResourceBusyError if its resources make other sold trips
 * @rule which uses a sold departure may get: test/catalog/resources.long.test.ts
 */
export async function setUses(
  trx: Trx,
  tour: TourOfDeparture,
  named: NamedDeparture,
  uses: UseOfResource[] | null,
): Promise<BulkChange<ChangedUses>> {
  const id = await findNamedDeparture(trx, tour, named);
  // The resources of the tour are locked too: the list of the tour may count again.
  const tourUses = await trx('tours').where({ id: tour.id }).first<{ uses: UseOfResource[] | null }>('uses');
  const codes = (uses ?? tourUses.uses ?? []).map(({ resource }) => resource);
  return {
    departureIds: [id],
    locksResources: true,
    newResourceIds: [...(await findIds(trx, codes)).values()],
    change: async (_, facts) => {
      const before = presentDeparture(facts, tour, { ...named, id });
      // Reads them again under the locks, because a resource may have been removed.
      if (uses !== null) await findIds(trx, codes);
      const usesBefore = await selectOwnUses(trx, id);
      const changedUses = { before: usesBefore, after: uses };
      if (isDeepStrictEqual(usesBefore, uses))
        return { result: { before, after: before, uses: changedUses }, changed: [] };
      await changeDeparture(trx, before, { uses });
      await assertTripsFit(trx, [id]);
      // performBulk finds the dates that the resources of before touch. These are the dates of the new ones.
      const touched = await findTouchedDates(trx, [id]);
      return {
        result: { before, after: await departureAfter(trx, before), uses: changedUses },
        changed: [
          ...datesOfBothKinds(before.tour.id, before.departureDate),
          ...touched.flatMap(({ tourId, date }) => datesOfBothKinds(tourId, date)),
        ],
      };
    },
  };
}

/** Returns the ids of the resources by their codes. @throws ResourceNotFoundError */
async function findIds(trx: Trx, codes: string[]): Promise<Map<string, string>> {
  const ids = await selectResourceIds(trx, codes);
  const missing = codes.find((code) => !ids.has(code));
  if (missing !== undefined) throw new ResourceNotFoundError(missing);
  return ids;
}
