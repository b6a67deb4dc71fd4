// tours-for-search.mjs
import { createClient } from '@tour-platform/client';

const platform = createClient({ baseUrl: process.env.API, apiKey: process.env.KEY });

export async function toursForSearch() {
  const { data: catalog } = await platform.GET('/api/tenant/catalog', { params: { query: { limit: 12 } } });
  const list = {
    '@context': 'https://schema.org',
    '@type': 'ItemList',
    itemListElement: catalog.items.map((tour, index) => ({
      '@type': 'ListItem',
      position: index + 1,
      item: {
        '@type': 'TouristTrip',
        name: tour.name,
        url: `https://acme.example/tours/${tour.slug}`,
        image: tour.image_url ?? undefined,
        offers: { '@type': 'Offer', price: tour.price_from, priceCurrency: tour.currency },
      },
    })),
  };
  // No name may end the script that it stands in.
  const json = JSON.stringify(list).replace(/</g, '\\u003c');
  return `<script type="application/ld+json">${json}</script>`;
}
