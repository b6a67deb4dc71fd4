import { demoCatalog } from '../../../services/api/demo/demo-catalog';
import { foldName } from '../../../services/platform/forms/fold-name';
import { currencyDigits } from '../../../services/api/pricing/currency';
import type { Db } from '../../../services/platform/database/database';
import { daysFromToday } from '../../support/given';

/** Inserts this number of the demo catalog's tours, each with its next departure. */
export async function givenShowcase(db: Db, count = Infinity): Promise<void> {
  for (const tour of demoCatalog(daysFromToday(0)).slice(0, count)) {
    const digits = currencyDigits(tour.currency)!;
    const adult = Math.round(tour.base_price * 10 ** digits);
    const [row] = await db('tours')
      .insert({
        slug: tour.slug,
        name: tour.name,
        name_folded: foldName(tour.name),
        summary: tour.summary,
        continent: tour.continent,
        country: tour.country,
        duration_days: tour.duration_days,
        currency: tour.currency,
        currency_digits: digits,
        base_price_minor: adult,
        image_url: tour.image_url,
      })
      .returning('id');
    const next = tour.departures?.find(({ departure_date }) => departure_date > daysFromToday(3));
    if (next) {
      await db('departures').insert({
        tour_id: row.id,
        departure_date: next.departure_date,
        seats_total: 10,
        prices_minor: JSON.stringify({ adult }),
      });
    }
  }
}
