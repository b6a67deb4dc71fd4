import { useTestApi } from '../support/api';
import { givenTour } from '../support/given';
import { useWebsite } from '../support/website';
import { givenWidgetToken } from './given-widget';

const OTHER_SCHEMES = [
  'javascript:alert(1)',
  ' javascript:alert(1)',
  'javascript:alert(1)\nhttps://evil.example/p',
  'data:text/html,x',
  'data:image/svg+xml,x',
  'http://evil.example/p',
  'http://localhost.evil.example/p',
  '//evil.example/p',
  '/\\evil.example/p',
  'https:evil.example',
  'blob:https://evil.example/1',
];
const HOSTILE = [...OTHER_SCHEMES, 'https://user@evil.example/p', 'https://a b/p'];
const CHECKS = [
  ['tours', 'tours_image_url_scheme'],
  ['tours', 'tours_images_schemes'],
  ['tenants', 'tenants_brand_logo_scheme'],
  ['tenants', 'tenants_link_template_scheme'],
];

const api = useTestApi();
const reader = useWebsite(api, {}, ['catalog:read']);
let token: string;
beforeAll(async () => {
  ({ token } = await givenWidgetToken(api.db, reader.tenant));
  await givenTour(api.db, { slug: 'huts' });
});

const pictures = (...urls: unknown[]) => JSON.stringify(urls.map((url) => ({ url })));
const write = (table: 'tours' | 'tenants', column: string, value: string) =>
  api.db(table).update({ [column]: value });

describe('the database', () => {
  it.each([...OTHER_SCHEMES, 'HTTPS://a.example/p', 'http://localhost/p', ''])(
    'the database refuses %j in each column for an address',
    async (address) => {
      const refused = { code: '23514' };
      await expect(write('tours', 'image_url', address)).rejects.toMatchObject(refused);
      await expect(write('tours', 'images', pictures('https://a.example', address))).rejects.toMatchObject(
        refused,
      );
      await expect(write('tenants', 'brand_logo', address)).rejects.toMatchObject(refused);
      await expect(write('tenants', 'link_template', address)).rejects.toMatchObject(refused);
    },
  );

  it.each([
    '[{}]',
    '[null]',
    '["https://a.example"]',
    '[[{"url": "https://a.example"}]]',
    '[{"url": 7}]',
    '[{"url": ["https://a.example"]}]',
  ])('the database refuses %s as the pictures of a tour', async (images) => {
    await expect(write('tours', 'images', images)).rejects.toMatchObject({ code: '23514' });
  });

  it('the database accepts each address that the terminal and an import accept', async () => {
    for (const address of ['https://a.example/p', '/covers/huts.svg', '/']) {
      expect(await write('tours', 'image_url', address)).toBe(1);
      expect(await write('tours', 'images', pictures(address, address))).toBe(1);
    }
    await write('tours', 'images', '[]');
    await write('tenants', 'brand_logo', 'https://a.example/p');
    for (const address of ['https://a.example/{slug}', 'http://localhost:3000/{slug}'])
      await write('tenants', 'link_template', address);
  });
});

/** Writes the address to every column for addresses. Older versions could store it, because their database had no check. */
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
  beforeAll(async () => {
    for (const [table, check] of CHECKS)
      await api.db.raw('alter table ?? drop constraint ??', [table!, check!]);
  });

  it.each(HOSTILE)(
    'no answer contains a stored address that is neither https nor a path of the service: %s',
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

  it('the answers contain a stored https address', async () => {
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

  it('a stored path of the service is shown as a picture, and not as a link', async () => {
    await store('/covers/huts.svg');
    const { list, page, tour } = await answers();
    expect(list).toMatchObject({ image_url: 'https://api.example.test/covers/huts.svg', url: null });
    expect(tour.images).toEqual([{ url: 'https://api.example.test/covers/huts.svg', alt: null }]);
    expect(page).toContain('src="../covers/huts.svg"');
    expect(page).not.toContain('target="_top"');
  });
});
