import type { DemoCatalogTour } from '../../services/api/demo/demo-catalog';
import { addDays } from '../../services/platform/forms/days';

/** Returns the departures that the examples of the documentation can book on the day: 14 days ahead, with 12 seats. */
export function openOnes({ departures }: Pick<DemoCatalogTour, 'departures'>, today: string) {
  return departures.filter(
    ({ departure_date, seats_total, status, closes_at = '9' }) =>
      departure_date >= addDays(today, 14) &&
      seats_total >= 12 &&
      status === 'scheduled' &&
      closes_at > addDays(today, 1),
  );
}
