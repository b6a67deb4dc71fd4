import { findTour } from '../../../services/api/catalog/find-tour';
import { listTourDepartures } from '../../../services/api/departures/list-tour-departures';
import type { Context } from '../../context';
import { DEFAULT_LIMIT } from '../../credential-flags';
import { answerPage, oneMoreThan } from '../../list-page';
import { type Column, table } from '../../table';
import { toDepartureDocument } from './departure-document';

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
  const departures = await listTourDepartures(db, tour.id, page);
  const found = departures.map((departure) => toDepartureDocument(tour, departure));
  answerPage(output, found, { limit, after: (d) => d.departure_date }, (items, screen) => {
    const rows = items.map((d) => {
      const { seats_total: seats, seats_taken: taken, seats_available: free } = d;
      return [d.departure_date, d.status, seats, taken, free, d.prices.adult, d.currency];
    });
    return table(COLUMNS, rows, `No departures of ${tour.slug}`, screen);
  });
}
