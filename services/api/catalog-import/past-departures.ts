import type { Db } from '../../platform/database';
import { findToday } from './catalog-read.repository';
import type { TourChange } from './import-plan';
import type { StoredTour } from './plan-tour';

/** New departures of the files that nobody can book, since their date is over in the tour's time zone. */
export interface PastDepartures {
  departures: number;
  first: { tour: string; departure_date: string };
}

export interface PastCheck {
  add(planned: { change: TourChange; stored: StoredTour }[]): Promise<void>;
  found(): PastDepartures | undefined;
}

/** Asks the database's clock once for each time zone. */
export function createPastCheck(db: Db): PastCheck {
  const today = new Map<string, string>();
  let found: PastDepartures | undefined;
  return {
    async add(planned) {
      const given = planned.filter(({ change }) => change.inserts.length > 0).map(withTimeZone);
      const unknown = given.map(({ timeZone }) => timeZone).filter((name) => !today.has(name));
      if (unknown.length > 0)
        for (const { name, date } of await findToday(db, [...new Set(unknown)])) today.set(name, date);
      for (const { change, timeZone } of given) {
        for (const { departure_date } of change.inserts) {
          if (departure_date >= today.get(timeZone)!) continue;
          found ??= { departures: 0, first: { tour: change.file.slug, departure_date } };
          found.departures++;
        }
      }
    },
    found: () => found,
  };
}

function withTimeZone({ change, stored }: { change: TourChange; stored: StoredTour }) {
  return { change, timeZone: change.tour?.row.time_zone ?? stored.tour!.time_zone };
}
