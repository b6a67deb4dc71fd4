import { findTour } from '../../../services/api/catalog/find-tour';
import type { CatalogTour } from '../../../services/api/catalog/tour';
import { type Departure, departureStatus, seatsAvailable } from '../../../services/api/departures/departure';
import { findDepartures } from '../../../services/api/departures/departure.repository';
import { pricesAnswer } from '../../../services/api/pricing/prices';
import type { Context } from '../../engine/context';
import { DEFAULT_LIMIT } from '../../engine/credential-flags';
import { answerPage, oneMoreThan } from '../../engine/list-page';
import { type Column, table } from '../../terminal/table';

export function toDepartureDocument({ slug }: CatalogTour, departure: Departure) {
  const { currency, currencyDigits } = departure.tour;
  return {
    id: departure.id,
    tour: slug,
    departure_date: departure.departureDate,
    return_date: departure.returnDate,
    status: departureStatus(departure),
    seats_total: departure.seatsTotal,
    seats_taken: departure.seatsTaken,
    seats_available: seatsAvailable(departure),
    currency,
    prices: pricesAnswer(departure.prices, currencyDigits),
  };
}

const number = (heading: string): Column => ({ heading, right: true });
const COLUMNS: Column[] = [
  'date',
  {
    heading: 'status',
    tones: { available: 'good', sold_out: 'waiting', cancelled: 'bad', gone: 'quiet', closed: 'quiet' },
  },
  ...['seats', 'taken', 'free', 'adult'].map(number),
  'currency',
];

/** Dates are YYYY-MM-DD. */
interface DepartureListOptions {
  from?: string;
  to?: string;
  limit?: number;
  after?: string;
}

export async function listDeparturesCommand(
  { db, output }: Context,
  { from, to, limit = DEFAULT_LIMIT, after }: DepartureListOptions,
  idOrSlug: string,
): Promise<void> {
  const tour = await findTour(db, idOrSlug);
  const page = { from, to, afterDate: after, limit: oneMoreThan(limit) };
  const departures = await findDepartures(db, tour.id, page);
  const found = departures.map((departure) => toDepartureDocument(tour, departure));
  answerPage(output, found, { limit, after: (d) => d.departure_date }, (items, screen) => {
    const rows = items.map((d) => {
      const { seats_total: seats, seats_taken: taken, seats_available: free } = d;
      return [d.departure_date, d.status, seats, taken, free, d.prices.adult, d.currency];
    });
    return table(COLUMNS, rows, `No departures of ${tour.slug}`, screen);
  });
}
