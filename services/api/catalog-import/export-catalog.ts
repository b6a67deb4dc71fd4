import type { Db } from '../../platform/database';
import { toMajor } from '../pricing/currency';
import { findDeparturesOfTours, findToursAfter } from './catalog-read.repository';
import type { DepartureRow, Stored, TourRow } from './stored-rows';

const TOURS_A_CHUNK = 200;

/**
 * Every tour, whatever its status, as an entry of a catalog file, by slug. It says everything, also what is empty, so
 * that importing it makes each tour and departure what it was.
 * @param db for one state of the whole catalog, a transaction of isolation level repeatable read
 */
export async function* exportCatalog(db: Db): AsyncGenerator<Record<string, unknown>> {
  for (let last = ''; ;) {
    const tours = await findToursAfter(db, last, TOURS_A_CHUNK);
    const departures = await findDeparturesOfTours(
      db,
      tours.map((tour) => tour.id),
    );
    for (const tour of tours) yield toEntry(tour, departures.get(tour.id) ?? []);
    if (tours.length < TOURS_A_CHUNK) return;
    last = tours.at(-1)!.slug;
  }
}

function toEntry(tour: Stored<TourRow>, departures: DepartureRow[]): Record<string, unknown> {
  const { id: _, name_folded: __, currency_digits: digits, base_price_minor: basePrice, ...fields } = tour;
  const { slug, name, continent, country, duration_days, currency, ...rest } = fields;
  return {
    slug,
    name,
    continent,
    country,
    duration_days,
    currency,
    base_price: toMajor(basePrice, digits),
    ...rest,
    departures: departures.map((departure) => toDepartureEntry(departure, digits)),
  };
}

function toDepartureEntry(departure: DepartureRow, digits: number): Record<string, unknown> {
  const { adult, child, single_supplement } = departure.prices_minor;
  const price = (minor: number | undefined) => (minor === undefined ? null : toMajor(minor, digits));
  return {
    departure_date: departure.departure_date,
    return_date: departure.return_date,
    seats_total: departure.seats_total,
    prices: { adult: price(adult), child: price(child), single_supplement: price(single_supplement) },
    status: departure.status,
    closes_at: departure.closes_at,
  };
}
