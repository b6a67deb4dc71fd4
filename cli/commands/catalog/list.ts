import type { CatalogTour } from '../../../services/api/catalog/catalog-tour';
import { listTours } from '../../../services/api/catalog/list-tours';
import type { TourStatus } from '../../../services/api/catalog/tour';
import { toMajor } from '../../../services/api/money/currency';
import type { Context } from '../../context';
import { DEFAULT_LIMIT } from '../../credential-flags';
import { table } from '../../table';

const COLUMNS = ['slug', 'name', 'continent', 'status', 'from', '', 'departures', 'next'];

interface Filter {
  status?: TourStatus;
  continent?: string;
  q?: string;
  limit?: number;
}

export async function listCatalogCommand(
  { db, output }: Context,
  { limit = DEFAULT_LIMIT, ...filter }: Filter,
): Promise<void> {
  const { status, continent, q } = filter;
  const items = (await listTours(db, { status, continent, q, limit })).map(toTourDocument);
  output.answer({ items }, () => {
    const rows = items.map((t) => {
      const { upcoming_departures: departures, next_departure_date: next } = t;
      return [t.slug, t.name, t.continent, t.status, t.base_price, t.currency, departures, next];
    });
    return table(COLUMNS, rows, 'No tours');
  });
}

function toTourDocument(tour: CatalogTour) {
  return {
    id: tour.id,
    slug: tour.slug,
    name: tour.name,
    continent: tour.continent,
    country: tour.country,
    status: tour.status,
    currency: tour.currency,
    base_price: toMajor(tour.basePriceMinor, tour.currencyDigits),
    time_zone: tour.timeZone,
    upcoming_departures: tour.upcomingDepartures,
    next_departure_date: tour.nextDepartureDate,
    updated_at: tour.updatedAt.toISOString(),
  };
}
