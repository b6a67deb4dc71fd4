import { useTestApi } from '../support/api';
import { givenDeparture, givenTour, type GivenTour } from '../support/given';
import { useWebsite } from '../support/website';

const api = useTestApi();
const reseller = useWebsite(api);
let lake: GivenTour;
beforeAll(async () => {
  lake = await givenTour(api.db, {
    name: 'Lake walk',
    summary: 'Around the lake',
    translations: { de: { name: 'Seewanderung' } },
  });
  await givenDeparture(api.db, lake);
  await givenTour(api.db, { name: 'Zoo' });
});

const CONTENT = { 'octo-capabilities': 'octo/content' };
const ask = (path: string, headers: Record<string, string> = CONTENT) =>
  reseller.get(`/octo/${path}`).set(headers);

describe('the languages of OCTO content', () => {
  it.each<[string, Record<string, string>, string, string, string]>([
    ['', {}, 'en', 'Lake walk', 'Around the lake'],
    ['', { 'accept-language': 'de-AT, en;q=0.5' }, 'de', 'Seewanderung', 'Around the lake'],
    ['', { 'accept-language': 'it' }, 'en', 'Lake walk', 'Around the lake'],
    ['?lang=de', { 'accept-language': 'en' }, 'de', 'Seewanderung', 'Around the lake'],
  ])('a product read with "%s" and %j is in %s', async (query, accepted, language, title, summary) => {
    const product = await ask(`products/${lake.id}${query}`, { ...CONTENT, ...accepted });
    expect(product.body).toMatchObject({
      title,
      shortDescription: summary,
      internalName: 'Lake walk',
      locale: 'en',
    });
    expect(product.headers).toMatchObject({ 'content-language': language, 'available-languages': 'en, de' });
    const list = await ask(`products${query}`, { ...CONTENT, ...accepted });
    expect(list.body.map((one: { title: string }) => one.title)).toEqual([title, 'Zoo']);
    expect(list.headers).toMatchObject({ 'content-language': language, 'available-languages': 'en, de' });
  });

  it('an answer without octo/content names no language', async () => {
    for (const path of ['products', `products/${lake.id}`, 'supplier']) {
      const { headers } = await ask(path, { 'accept-language': 'de' });
      expect(headers).not.toHaveProperty('content-language');
      expect(headers).not.toHaveProperty('available-languages');
    }
  });

  it('every success with octo/content names its language, and a refusal names none', async () => {
    const days = {
      productId: lake.id,
      optionId: 'DEFAULT',
      localDateStart: '2030-01-01',
      localDateEnd: '2030-01-02',
    };
    const named = { 'content-language': 'en', 'available-languages': 'en, de' };
    for (const path of ['supplier', 'capabilities', 'bookings?resellerReference=x'])
      expect((await ask(path)).headers).toMatchObject(named);
    expect((await reseller.post('/octo/availability', days, CONTENT)).headers).toMatchObject(named);
    const refused = await ask('products/none');
    expect(refused.status).toBe(400);
    expect(refused.headers).not.toHaveProperty('content-language');
    expect(refused.headers).not.toHaveProperty('available-languages');
  });

  it('an unreadable lang is refused with 400', async () => {
    expect((await ask('products?lang=de_DE')).body).toMatchObject({ error: 'BAD_REQUEST' });
  });

  it('a tour that the tenant does not see adds no language', async () => {
    await givenTour(api.db, { status: 'draft', translations: { cs: { name: 'Jezero' } } });
    expect((await ask('products')).headers['available-languages']).toBe('en, de');
    await api.db('tours').where({ id: lake.id }).update({ currency: 'JPY', currency_digits: 0 });
    await api.db('tenants').where({ id: reseller.tenant.id }).update({ sell_in: 'EUR', sell_in_digits: 2 });
    expect((await ask('products')).headers['available-languages']).toBe('en');
  });
});
