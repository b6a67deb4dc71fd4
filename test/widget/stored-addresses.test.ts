import { useTestApi } from '../support/api';
import { givenTour } from '../support/given';
import { useWebsite } from '../support/website';
import { givenWidgetToken } from './given-widget';

const HOSTILE = [
  'javascript:alert(1)',
  ' javascript:alert(1)',
  'data:text/html,x',
  'data:image/svg+xml,x',
  'http://evil.example/p',
  '//evil.example/p',
  '/\\evil.example/p',
  'https:evil.example',
  'https://user@evil.example/p',
  'https://a b/p',
  'blob:https://evil.example/1',
];

const api = useTestApi();
const reader = useWebsite(api, {}, ['catalog:read']);
let token: string;
beforeAll(async () => {
  ({ token } = await givenWidgetToken(api.db, reader.tenant));
  await givenTour(api.db, { slug: 'huts' });
});

/** Writes the address to every column for addresses, without any check. */
async function store(address: string): Promise<void> {
  const { db } = api;
  await db('tours').update({ image_url: address, images: JSON.stringify([{ url: address }]) });
  await db('tenants').where({ id: reader.tenant.id }).update({ link_template: address, brand_logo: address });
}

const answers = async () => ({
  list: (await api.http.get('/api/widget/tours').query({ token })).body.items[0],
  page: (await api.http.get('/embed/tours').query({ token })).text,
  catalog: (await reader.get('/api/tenant/catalog')).body.items[0],
  tour: (await reader.get('/api/tenant/tours/huts')).body,
});

describe('an address that is stored in the database', () => {
  it.each(HOSTILE)(
    'is in no answer where it is neither https nor a path of the service: %s',
    async (address) => {
      await store(address);
      const { list, page, catalog, tour } = await answers();
      expect(list).toMatchObject({ image_url: null, url: null });
      expect(catalog.image_url).toBeNull();
      expect(tour).toMatchObject({ image_url: null, images: [] });
      expect(page).not.toMatch(/<img|target="_top"|"image":|"url":/);
      expect(page).not.toContain(address.trim());
    },
  );

  it('is in the answers where it is https', async () => {
    await store('https://shop.example/p');
    const { list, page, catalog, tour } = await answers();
    expect(list).toMatchObject({
      image_url: 'https://shop.example/p',
      url: 'https://shop.example/p',
    });
    expect(page).toContain('"url":"https://shop.example/p"');
    expect(catalog.image_url).toBe('https://shop.example/p');
    expect(tour.images).toEqual([{ url: 'https://shop.example/p', alt: null }]);
  });

  it('is a picture and no link where it is a path of the service', async () => {
    await store('/covers/huts.svg');
    const { list, page, tour } = await answers();
    expect(list).toMatchObject({ image_url: 'https://api.example.test/covers/huts.svg', url: null });
    expect(tour.images).toEqual([{ url: 'https://api.example.test/covers/huts.svg', alt: null }]);
    expect(page).toContain('src="../covers/huts.svg"');
    expect(page).not.toContain('target="_top"');
  });
});
