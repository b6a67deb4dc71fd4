import type { Trx } from '../../platform/database/database';
import { findTouchedDates, type TouchedDate } from '../resources/touched-dates';
import type { ChangedDate } from './after-commit';

/** A departure whose seats a transaction may change. */
export interface ChangingDeparture {
  id: string;
  tour: { id: string };
  departureDate: string;
  /** Ids of the resources that it uses. */
  resourceIds: string[];
}

/** Adds to changed dates those of the other departures whose free seats may have changed, because they use the same resources. */
export type AddTouchedDates = (changed: ChangedDate[]) => ChangedDate[];

/**
 * Reads the dates that the changed departures touch, by one statement. Runs none if no changed departure uses a resource.
 * @param known the dates that all these departures touch, if they are read already
 */
export async function readTouchedDates(
  trx: Trx,
  departures: Iterable<ChangingDeparture>,
  changed: ChangedDate[],
  known?: TouchedDate[],
): Promise<AddTouchedDates> {
  const changedKeys = new Set(changed.map(keyOf));
  const keys = new Map<string, string>();
  for (const { id, tour, departureDate, resourceIds } of departures) {
    const key = keyOf({ tourId: tour.id, date: departureDate });
    if (resourceIds.length > 0 && changedKeys.has(key)) keys.set(id, key);
  }
  if (keys.size === 0) return (dates) => dates;
  const touched = known ?? (await findTouchedDates(trx, [...keys.keys()]));
  return (dates) => {
    const all = dates.flatMap((date): ChangedDate[] => {
      const others = touched.filter(({ departureId }) => keys.get(departureId) === keyOf(date));
      return [date, ...others.map((one) => ({ tourId: one.tourId, date: one.date, sandbox: date.sandbox }))];
    });
    return [
      ...new Map(all.map((date) => [`${keyOf(date)} ${date.sandbox} ${date.inCatalog}`, date])).values(),
    ];
  };
}

function keyOf({ tourId, date }: Pick<ChangedDate, 'tourId' | 'date'>): string {
  return `${tourId} ${date}`;
}
