import { importCatalog } from '../../services/api/catalog-import/import-catalog';
import { type Category, DEFAULT_CATEGORIES } from '../../services/api/parties/category';
import { inTransaction } from '../../services/platform/database/database';
import { givenWidgetToken } from '../widget/given-widget';
import { useTestApi } from '../support/api';
import {
  daysFromToday,
  givenDeparture,
  givenPriceRule,
  givenTour,
  type TourOverrides,
} from '../support/given';
import { useWebsite } from '../support/website';

const api = useTestApi();
const reader = useWebsite(api);

const INFANT: Category = {
  code: 'infant',
  kind: 'infant',
  age_to: 3,
  seats: 0,
  people: 1,
  with: ['adult', 'senior'],
};
/** The museum: its first category is not the adult. */
const MUSEUM: readonly Category[] = [
  { code: 'senior', kind: 'senior', name: 'Senior', age_from: 65, seats: 1, people: 1 },
  { code: 'adult', kind: 'adult', name: 'Adult', age_from: 18, seats: 1, people: 1 },
  INFANT,
];
const BOAT: readonly Category[] = [
  { code: 'boat', kind: 'group', name: 'Boat', seats: 8, people: 8, max: 1 },
];

const given = (overrides: TourOverrides) => givenTour(api.db, { basePriceMinor: 40_000, ...overrides });
const read = async (slug: string, query = '') => (await reader.get(`/api/tenant/tours/${slug}${query}`)).body;
const namesOf = ({ categories }: { categories: Category[] }) => categories.map(({ name }) => name ?? null);

/** The tour answer of the release before price categories, for a tour without a value in any optional field. */
const FIELDS_BEFORE = [
  'id slug name summary continent country duration_days image_url tags currency price_from next_departure_date updated_at',
  'description itinerary inclusions exclusions images languages start_location end_location time_zone group_size_max',
  'cancellation_policy cancellation booking_cutoff start_time questions pickup tenant_prices',
].flatMap((line) => line.split(' '));

describe('the categories of a tour', () => {
  it('a tour without categories answers as before, plus exactly the default list', async () => {
    const tour = await given({});
    await givenDeparture(api.db, tour, {
      prices: { adult: 39_000, child: 20_000, single_supplement: 5_000 },
    });
    const { categories, ...before } = await read(tour.slug);
    expect(Object.keys(before)).toEqual(FIELDS_BEFORE);
    expect(categories).toEqual(DEFAULT_CATEGORIES);
    expect([before.price_from, before.tenant_prices]).toEqual([390, { adult: 400, deposit: 80 }]);
    const { body } = await reader.get(`/api/tenant/tours/${tour.slug}/departures`);
    expect(body.items[0].prices).toEqual({ adult: 390, child: 200, single_supplement: 50 });
  });

  it('a tour answers its own categories in their order, and prices by their codes', async () => {
    const tour = await given({ categories: MUSEUM });
    await givenDeparture(api.db, tour, { prices: { adult: 30_000, infant: 0, senior: 25_000 } });
    expect((await read(tour.slug)).categories).toEqual(MUSEUM);
    const { body } = await reader.get(`/api/tenant/tours/${tour.slug}/departures`);
    expect(Object.entries(body.items[0].prices)).toEqual([
      ['senior', 250],
      ['adult', 300],
      ['infant', 0],
    ]);
  });

  it('price_from, the base price and the deposit mean the first category, on every list', async () => {
    const tour = await given({ name: 'Aaa museum', categories: MUSEUM });
    await givenDeparture(api.db, tour, { date: daysFromToday(9), prices: { senior: 27_000, adult: 10_000 } });
    await givenDeparture(api.db, tour, { date: daysFromToday(8), prices: { senior: 26_000, adult: 90_000 } });
    const { price_from, tenant_prices } = await read(tour.slug);
    expect([price_from, tenant_prices]).toEqual([260, { senior: 400, deposit: 80 }]);
    const { body } = await reader.get('/api/tenant/catalog?q=Aaa+museum');
    expect(body.items).toMatchObject([{ slug: tour.slug, price_from: 260 }]);
    const { token } = await givenWidgetToken(api.db, reader.tenant);
    const widget = await api.http.get(`/api/widget/tours?q=Aaa+museum&token=${token}`);
    expect(widget.body.items).toMatchObject([{ price_from: 260 }]);
    const page = await api.http.get(`/embed/tours?lang=en&q=Aaa+museum&token=${token}`);
    expect(page.text).toMatch(/<bdi>€260(\.00)?<\/bdi>/);
    expect(page.text).toContain('"price":260');
  });

  it('a rule in money without a category changes price_from of a tour whose first category is no adult', async () => {
    const tour = await given({ categories: BOAT });
    await givenDeparture(api.db, tour, { prices: { boat: 52_000 } });
    await givenPriceRule(api.db, reader, { amount_minor: -2_000, tour_id: tour.id });
    const { price_from, tenant_prices } = await read(tour.slug);
    expect([price_from, tenant_prices]).toEqual([500, { boat: 380, deposit: 76 }]);
  });

  it('a departure without a price of the first category does not lower price_from', async () => {
    const tour = await given({ categories: MUSEUM });
    await givenDeparture(api.db, tour, { date: daysFromToday(8), prices: { adult: 100 } });
    expect((await read(tour.slug)).price_from).toBe(400);
    await givenDeparture(api.db, tour, { date: daysFromToday(9), prices: { senior: 45_000 } });
    expect((await read(tour.slug)).price_from).toBe(450);
  });
});

describe('the names of categories in languages', () => {
  const translations = {
    de: { name: 'Museum am Morgen', categories: { senior: 'Seniorin', adult: 'Erwachsene' } },
    'de-CH': { categories: { senior: 'Pensionierte' } },
    fr: { name: 'Le musée' },
  };

  it.each([
    ['', ['Senior', 'Adult', null]],
    ['?lang=en', ['Senior', 'Adult', null]],
    ['?lang=de', ['Seniorin', 'Erwachsene', null]],
    ['?lang=de-CH', ['Pensionierte', 'Erwachsene', null]],
    ['?lang=fr', ['Senior', 'Adult', null]],
  ])('the query "%s" names the categories %j', async (query, names) => {
    const tour = await given({ categories: MUSEUM, translations });
    expect(namesOf(await read(tour.slug, query))).toEqual(names);
  });

  it('a category of the default list has a name only in a language that names it', async () => {
    const tour = await given({ translations: { de: { categories: { child: 'Kinder' } } } });
    expect(namesOf(await read(tour.slug))).toEqual([null, null, null]);
    const { categories } = await read(tour.slug, '?lang=de');
    expect(categories[1]).toEqual({ ...DEFAULT_CATEGORIES[1], name: 'Kinder' });
  });
});

describe('a change of the categories', () => {
  const entry = (slug: string, categories: unknown) => ({
    slug,
    name: 'Museum',
    continent: 'europe',
    country: 'NL',
    duration_days: 1,
    currency: 'EUR',
    base_price: 40,
    categories,
  });
  const importTour = (value: object) =>
    inTransaction(api.db, (trx) =>
      importCatalog(trx, [{ place: { file: 'tours.json', index: 0 }, value }], { prune: false }),
    );

  it('an import that changes the categories changes the answer, its ETag and updated_at', async () => {
    const slug = 'museum-with-etag';
    await importTour(entry(slug, [{ code: 'adult', kind: 'adult' }]));
    const first = await reader.get(`/api/tenant/tours/${slug}`);
    const etag = first.headers['etag']!;
    const again = () => reader.get(`/api/tenant/tours/${slug}`).set({ 'if-none-match': etag });
    expect((await again()).status).toBe(304);
    await importTour(
      entry(slug, [
        { code: 'adult', kind: 'adult', age_from: 18 },
        { code: 'baby', kind: 'infant', seats: 0 },
      ]),
    );
    const second = await again();
    expect([second.status, second.headers['etag'] === etag]).toEqual([200, false]);
    expect(second.body.categories).toEqual([
      { code: 'adult', kind: 'adult', age_from: 18, seats: 1, people: 1 },
      { code: 'baby', kind: 'infant', seats: 0, people: 1 },
    ]);
    expect(Date.parse(second.body.updated_at)).toBeGreaterThan(Date.parse(first.body.updated_at));
  });

  it('a change of the categories lists the tour for updated_since', async () => {
    const tour = await given({ categories: MUSEUM });
    const { as_of } = (await reader.get('/api/tenant/catalog?updated_since=1970-01-01T00:00:00Z&limit=100'))
      .body;
    await api
      .db('tours')
      .where({ id: tour.id })
      .update({ categories: JSON.stringify(BOAT) });
    const { body } = await reader.get(`/api/tenant/catalog?updated_since=${as_of}`);
    expect(body.items.map(({ slug }: { slug: string }) => slug)).toContain(tour.slug);
  });
});
