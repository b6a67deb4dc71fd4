import { exportCatalog } from '../../services/api/catalog-import/export-catalog';
import { importTours } from '../catalog/catalog-files';
import { CATEGORIES } from './model';
import { DATES, expectAmount, type Shop } from './shop';

/** Compares the exported tour with the model, and checks that an import of it changes nothing. */
export async function checkExport(shop: Shop): Promise<void> {
  const { api, shape, model } = shop;
  const entry = await exportedTour(shop);
  expect(entry.categories).toEqual(shop.categories ?? null);
  const departures = entry.departures as { prices: Record<string, number> }[];
  expect(departures).toHaveLength(DATES.length);
  for (const [index, { prices }] of departures.entries())
    for (const category of CATEGORIES)
      expectAmount(prices[shape.codes[category]]!, model.departures[index]![category], model.listed);
  expect(await importTours(api.db, entry)).toMatchObject({
    errors: [],
    tours: { created: 0, updated: 0, unchanged: 1 },
    departures: { created: 0, updated: 0, unchanged: DATES.length },
  });
  expect(await exportedTour(shop)).toEqual(entry);
}

async function exportedTour({ api, tour }: Shop) {
  for await (const entry of exportCatalog(api.db)) if (entry.slug === tour.slug) return entry;
  throw new Error('the export lacks the tour');
}
