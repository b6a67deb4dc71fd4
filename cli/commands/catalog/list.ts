import { listTours } from '../../../services/api/catalog/find-tour';
import type { CatalogTour, TourStatus } from '../../../services/api/catalog/tour';
import { toMajor } from '../../../services/api/pricing/currency';
import type { Context } from '../../engine/context';
import { DEFAULT_LIMIT } from '../../engine/flags';
import { answerPage, oneMoreThan } from '../../engine/list-page';
import { formatMoney } from '../../engine/money';
import type { Tone } from '../../terminal/screen';
import { table, type Column } from '../../terminal/table';

const TONES: Record<TourStatus, Tone> = { published: 'good', draft: 'waiting', archived: 'quiet' };

const COLUMNS: Column[] = [
  'slug',
  { heading: 'name', least: 10 },
  { heading: 'continent', aside: true },
  { heading: 'status', tones: TONES },
  { heading: 'from', right: true },
  { heading: 'departures', right: true, aside: true },
  { heading: 'next', aside: true },
];

interface Filter {
  status?: TourStatus;
  continent?: string;
  q?: string;
  limit?: number;
  /** Slug. */
  after?: string;
}

export async function listCatalogCommand(
  { db, output }: Context,
  { limit = DEFAULT_LIMIT, ...filter }: Filter,
): Promise<void> {
  const { status, continent, q, after } = filter;
  const tours = await listTours(db, { status, continent, q, after, limit: oneMoreThan(limit) });
  answerPage(output, tours.map(toTourDocument), { limit, after: (t) => t.slug }, (items, screen) => {
    const rows = items.map((t) => {
      const { upcoming_departures: departures, next_departure_date: next } = t;
      const from = formatMoney(t.price_from, t.currency);
      return [t.slug, t.name, t.continent, t.status, from, departures, next];
    });
    return table(COLUMNS, rows, 'No tours', screen);
  });
}

export function toTourDocument(tour: CatalogTour) {
  return {
    id: tour.id,
    slug: tour.slug,
    name: tour.name,
    continent: tour.continent,
    country: tour.country,
    status: tour.status,
    currency: tour.currency,
    base_price: toMajor(tour.basePriceMinor, tour.currencyDigits),
    price_from: toMajor(tour.priceFromMinor, tour.currencyDigits),
    time_zone: tour.timeZone,
    upcoming_departures: tour.upcomingDepartures,
    next_departure_date: tour.nextDepartureDate,
    updated_at: tour.updatedAt.toISOString(),
  };
}
