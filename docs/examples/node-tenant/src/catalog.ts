import { Router } from 'express';
import type { TourPlatform } from './tour-platform.js';

/** The data that a visitor may see. The API key stays on the server. */
export function showCatalog(platform: TourPlatform): Router {
  const router = Router();

  router.get('/tours', async (_request, response) => {
    const { items } = await platform('get', '/api/tenant/catalog', { query: { limit: 100 } });
    response.json(items);
  });

  router.get('/tours/:slug', async (request, response) => {
    const path = { id_or_slug: request.params.slug };
    const [tour, departures] = await Promise.all([
      platform('get', '/api/tenant/tours/{id_or_slug}', { path }),
      platform('get', '/api/tenant/tours/{id_or_slug}/departures', { path }),
    ]);
    // Copies named fields only, because the platform's own prices are in the response too and must stay private.
    const dates = departures.items.map(({ departure_date, seats_available, tenant_prices, currency }) => {
      return { departure_date, seats_available, price: tenant_prices.adult, currency };
    });
    response.json({ ...tour, departures: dates });
  });

  return router;
}
