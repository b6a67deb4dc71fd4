import { createCachedReads } from '../../services/api/http/api-context';
import { seedDemo } from '../../services/api/demo/seed-demo';
import { currencyDigits } from '../../services/api/pricing/currency';
import { chooseLanguage, formatsOf } from '../../services/api/widget/languages';
import { inTransaction, openDatabase } from '../../services/platform/database/database';
import { createLogger } from '../../services/platform/logger';
import { awaitInstances } from '../../services/platform/read-cache/instance.repository';
import { startReadCacheValidity } from '../../services/platform/read-cache/read-cache';
import { useTestApi } from '../support/api';
import { daysFromToday, givenDeparture, givenPriceRule, givenTour, PEPPER } from '../support/given';
import { givenWebsite, type Website } from '../support/website';
import { givenWidgetToken } from '../widget/given-widget';

const api = useTestApi();
/** Widget tokens by tenant id. */
const tokens: Record<string, string> = {};

async function givenShop(): Promise<Website> {
  const shop = await givenWebsite(api, {}, ['catalog:read']);
  tokens[shop.tenant.id] = (await givenWidgetToken(api.db, shop.tenant)).token;
  return shop;
}

interface Item {
  slug: string;
  currency: string;
  price_from: number;
}

interface Detail {
  categories: { code: string }[];
  tenant_prices: Record<string, number>;
}

/** Price by slug. */
type Lowest = Record<string, number | string>;

async function listAll(page: (query: string) => Promise<{ body: unknown }>): Promise<Item[]> {
  const items: Item[] = [];
  let query = '';
  for (;;) {
    const body = (await page(query)).body as { items: Item[]; next_cursor: string | null };
    items.push(...body.items);
    if (body.next_cursor === null) return items;
    query = `&cursor=${body.next_cursor}`;
  }
}

/** Returns the prices of all embed pages in the order of the list: those of the cards, and those of the JSON-LD. */
async function embedPrices(shop: Website): Promise<{ cards: [string, string][]; offers: number[] }> {
  const cards: [string, string][] = [];
  const offers: number[] = [];
  let next: string | undefined = `tours?lang=en&limit=30&token=${tokens[shop.tenant.id]}`;
  while (next !== undefined) {
    const { text } = await api.http.get(`/embed/${next}`);
    const card = /<li class="tour" data-slug="([^"]+)">.*?<strong><bdi>(.*?)<\/bdi>/gs;
    for (const [, slug, price] of text.matchAll(card)) cards.push([slug!, price!]);
    const data = JSON.parse(/<script type="application\/ld\+json"[^>]*>(.*?)<\/script>/s.exec(text)![1]!) as {
      itemListElement: { item: { offers: { price: number } } }[];
    };
    offers.push(...data.itemListElement.map(({ item }) => item.offers.price));
    next = /rel="next" href="([^"]+)"/.exec(text)?.[1]?.replaceAll('&amp;', '&');
  }
  return { cards, offers };
}

/** Returns the lowest price of the first category on the tour's open departures. Without an open departure, returns the price of a booking without a date. */
async function lowestOfDepartures(shop: Website, slug: string): Promise<number> {
  const tour = (await shop.get(`/api/tenant/tours/${slug}`)).body as Detail;
  const { code } = tour.categories[0]!;
  const { items } = (await shop.get(`/api/tenant/tours/${slug}/departures?limit=366`)).body as {
    items: { status: string; tenant_prices: Record<string, number> }[];
  };
  const open = items.filter(({ status }) => status === 'available' || status === 'sold_out');
  if (open.length > 0) return Math.min(...open.map(({ tenant_prices }) => tenant_prices[code]!));
  return tour.tenant_prices[code]!;
}

async function expectOnePrice(shop: Website): Promise<Lowest> {
  const catalog = await listAll((query) => shop.get(`/api/tenant/catalog?limit=100${query}`));
  const token = tokens[shop.tenant.id];
  const widget = await listAll((query) => api.http.get(`/api/widget/tours?limit=30&token=${token}${query}`));
  const { cards, offers } = await embedPrices(shop);
  const pricesOf = (items: Item[]) => Object.fromEntries(items.map((item) => [item.slug, item.price_from]));
  const expected: Lowest = {};
  const details: Lowest = {};
  for (const { slug } of catalog) {
    expected[slug] = await lowestOfDepartures(shop, slug);
    details[slug] = (await shop.get(`/api/tenant/tours/${slug}`)).body.price_from;
  }
  expect(pricesOf(catalog)).toEqual(expected);
  expect(details).toEqual(expected);
  expect(pricesOf(widget)).toEqual(expected);
  expect(offers).toEqual(Object.values(expected));
  const { price } = formatsOf(chooseLanguage(['en']).locale);
  const shown = catalog.map(({ slug, currency, price_from }) => {
    const digits = currencyDigits(currency)!;
    return [slug, price(Math.round(price_from * 10 ** digits), { currency, currencyDigits: digits })];
  });
  expect(cards).toEqual(shown);
  return expected;
}

describe('price_from of the demo catalog', () => {
  let plain: Lowest;
  beforeAll(async () => {
    await inTransaction(api.db, (trx) => seedDemo(trx, daysFromToday(0), PEPPER));
    plain = await expectOnePrice(await givenShop());
  });

  it('catalog, widget, embed page and JSON-LD show the lowest price of the open departures', () => {
    expect(Object.keys(plain).length).toBeGreaterThan(45);
    expect(new Set(Object.values(plain)).size).toBeGreaterThan(10);
  });

  it('price_from prices each departure by the rule whose travel window contains its date', async () => {
    const shop = await givenShop();
    const tour = await api.db('tours').where({ slug: 'ha-long-bay-cruise' }).first('id');
    const soon = { travel_from: daysFromToday(5), travel_to: daysFromToday(40) };
    const later = { travel_from: daysFromToday(41), travel_to: null };
    await givenPriceRule(api.db, shop, { percent: 20 });
    await givenPriceRule(api.db, shop, { percent: -12.5, round_to: 5, ...soon });
    await givenPriceRule(api.db, shop, { percent: -30, continent: 'europe', ...later });
    await givenPriceRule(api.db, shop, { amount_minor: -3000, continent: 'asia', ...soon });
    await givenPriceRule(api.db, shop, {
      amount_minor: 9000,
      continent: 'asia',
      travel_from: null,
      travel_to: daysFromToday(60),
    });
    await givenPriceRule(api.db, shop, {
      percent: -90,
      tour_id: tour.id,
      travel_from: daysFromToday(60),
      travel_to: daysFromToday(120),
    });
    const ruled = await expectOnePrice(shop);
    expect(ruled['ha-long-bay-cruise']).toBeLessThan(Number(plain['ha-long-bay-cruise']) / 5);
    const changed = Object.keys(plain).filter((slug) => ruled[slug] !== plain[slug]);
    expect(changed.length).toBeGreaterThan(40);
  });
});

describe('price_from of a tour', () => {
  it('price_from ignores cancelled, closed and past departures, and includes sold-out departures', async () => {
    const { db } = api;
    const shop = await givenShop();
    const tour = await givenTour(db, { basePriceMinor: 50_000 });
    const priceFrom = async () =>
      (await shop.get(`/api/tenant/tours/${tour.slug}`)).body.price_from as number;
    const adult = (minor: number) => ({ prices: { adult: minor } });
    await givenDeparture(db, tour, { date: daysFromToday(2), status: 'cancelled', ...adult(100) });
    await givenDeparture(db, tour, {
      date: daysFromToday(3),
      closesAt: '2020-01-01T00:00:00Z',
      ...adult(200),
    });
    await givenDeparture(db, tour, { date: daysFromToday(-3), ...adult(300) });
    expect(await priceFrom()).toBe(500);
    await givenDeparture(db, tour, { date: daysFromToday(5), ...adult(70_000) });
    expect(await priceFrom()).toBe(700);
    const date = await givenDeparture(db, tour, { date: daysFromToday(9), seats: 1, ...adult(60_000) });
    const seller = await givenWebsite(api);
    expect((await seller.book({ tour_id: tour.slug, departure_date: date })).status).toBe(201);
    expect(await priceFrom()).toBe(600);
  });

  it('price_from is cached until the cheapest departure closes, and changes at that instant', async () => {
    const { db } = api;
    const polls = openDatabase(api.database.url, { applicationName: 'tests', poolMax: 1 });
    const validity = startReadCacheValidity(polls, createLogger('silent', 'tests'));
    const before = {
      cache: api.context.cache,
      answers: api.context.answers,
      credentials: api.context.credentials,
    };
    Object.assign(api.context, createCachedReads(db, validity));
    const shop = await givenShop();
    const tour = await givenTour(db, { name: 'Aaa first' });
    await givenDeparture(db, tour, { date: daysFromToday(5), prices: { adult: 70_000 } });
    const { at } = await db.select(db.raw("clock_timestamp() + interval '6 seconds' as at")).first();
    const closesAt = (at as Date).toISOString();
    await givenDeparture(db, tour, { date: daysFromToday(20), prices: { adult: 60_000 }, closesAt });
    await awaitInstances(db);
    let listings = 0;
    db.on('query', ({ sql }: { sql: string }) => (listings += sql.includes('lowest_prices') ? 1 : 0));
    const token = tokens[shop.tenant.id];
    const prices = async () => [
      (await shop.get('/api/tenant/catalog?limit=1')).body.items[0].price_from,
      (await shop.get(`/api/tenant/tours/${tour.slug}`)).body.price_from,
      (await api.http.get(`/api/widget/tours?limit=1&token=${token}`)).body.items[0].price_from,
      /"price":(\d+)/.exec((await api.http.get(`/embed/tours?limit=1&token=${token}`)).text)?.[1],
    ];
    expect(await prices()).toEqual([600, 600, 600, '600']);
    let cached: unknown[];
    do {
      listings = 0;
      cached = await prices();
    } while (listings > 0 && Date.now() < Date.parse(closesAt) - 500);
    expect([listings, cached]).toEqual([0, [600, 600, 600, '600']]);
    await db.raw('select pg_sleep_until(?)', [at]);
    expect(await prices()).toEqual([700, 700, 700, '700']);
    Object.assign(api.context, before);
    await validity.stop();
    await polls.destroy();
  });
});
