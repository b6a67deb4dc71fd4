import { useTestApi } from '../support/api';
import { givenDeparture, givenKey, givenTenant, givenTour, type GivenTour } from '../support/given';
import { type HttpProxy, startHttpProxy } from './http-proxy';
import { type Shop, startShop, VisitorBrowser } from './proxy-fixture';

const api = useTestApi();
let wire: HttpProxy;
let shop: Shop;
let visitor: VisitorBrowser;
let tour: GivenTour;
let other: GivenTour;
let apiKey: string;

beforeAll(async () => {
  tour = await givenTour(api.db, {
    name: 'Bay Cruise',
    language: 'en',
    translations: { de: { name: 'Buchtfahrt' } },
  });
  other = await givenTour(api.db, { name: 'Delta Walk', continent: 'europe' });
  const date = await givenDeparture(api.db, tour, { seats: 5 });
  await givenDeparture(api.db, other, { date, seats: 7 });
  apiKey = await givenKey(api.db, await givenTenant(api.db));
  wire = await startHttpProxy(api.baseUrl);
  shop = await startShop({ baseUrl: wire.url, apiKey });
  visitor = new VisitorBrowser(shop.api);
});
afterAll(async () => {
  await shop.stop();
  await wire.stop();
});

const etagsSent = () => wire.requests().map(({ headers }) => headers['if-none-match']);

describe('a kept answer', () => {
  it('each request asks the platform, which sends an unchanged answer once', async () => {
    wire.plan();
    const path = `/tours/${tour.slug}/departures`;
    const first = await visitor.send('GET', path);
    const second = await visitor.send('GET', path);
    expect(second.body).toEqual(first.body);
    expect(etagsSent()).toEqual([undefined, expect.stringMatching(/^".+"$/)]);
    const etag = first.headers.get('etag')!;
    const known = await visitor.send('GET', path, undefined, { 'if-none-match': `"x", W/${etag}` });
    expect(known).toMatchObject({ status: 304, body: undefined });
    expect(known.headers.get('etag')).toBe(etag);
    const foreign = etagsSent()[1]!;
    expect((await visitor.send('GET', path, undefined, { 'if-none-match': foreign })).status).toBe(200);
  });

  it('a change on the platform is seen at the next request', async () => {
    const path = `/tours/${tour.slug}/departures`;
    const seats = async () => (await visitor.send('GET', path)).body.items[0].seats_available as number;
    const before = await seats();
    await new VisitorBrowser(shop.api).send('POST', '/hold', {
      tour_id: tour.slug,
      departure_date: (await visitor.send('GET', path)).body.items[0].departure_date,
      quantity: 2,
    });
    expect(await seats()).toBe(before - 2);
  });

  it('two languages, two filters and two tours have answers of their own', async () => {
    const nameIn = async (query: string) =>
      (await visitor.send('GET', `/tours/${tour.slug}${query}`)).body.name;
    expect([
      await nameIn('?lang=de'),
      await nameIn('?lang=en'),
      await nameIn(''),
      await nameIn('?lang=de'),
    ]).toEqual(['Buchtfahrt', 'Bay Cruise', 'Bay Cruise', 'Buchtfahrt']);
    const german = await visitor.send('GET', `/tours/${tour.slug}?lang=de`);
    expect(german.headers.get('content-language')).toBe('de');
    const slugsOf = async (query: string) =>
      (await visitor.send('GET', `/tours${query}`)).body.items.map(({ slug }: GivenTour) => slug);
    for (let time = 0; time < 2; time += 1) {
      expect(await slugsOf('?continent=asia')).toEqual([tour.slug]);
      expect(await slugsOf('?continent=europe')).toEqual([other.slug]);
      expect(await slugsOf('?q=delta')).toEqual([other.slug]);
    }
  });

  it('a kept answer has no field that visitors do not see, also the second time and in another spelling', async () => {
    const path = `/tours/${tour.slug}/departures`;
    for (const query of [
      '?limit=5&status=available',
      '?status=available&limit=5',
      '?limit=5&status=available',
    ]) {
      const { body } = await visitor.send('GET', path + query);
      expect(body.items).toHaveLength(1);
      expect(Object.keys(body.items[0])).toEqual([
        'id',
        'departure_date',
        'start_time',
        'return_date',
        'status',
        'closes_at',
        'seats_available',
        'currency',
        'tenant_prices',
      ]);
    }
  });

  it('a tour that the tenant does not see any more is 404 although it was kept', async () => {
    const path = `/tours/${other.slug}`;
    expect((await visitor.send('GET', path)).status).toBe(200);
    await api.db('tours').where({ id: other.id }).update({ status: 'archived' });
    expect(await visitor.send('GET', path)).toMatchObject({ status: 404, body: { code: 'tour_not_found' } });
  });
});
