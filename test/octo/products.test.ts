import { loadConfig } from '../../services/platform/config/config';
import { useTestApi } from '../support/api';
import { givenTour, givenVisibilityRule } from '../support/given';
import { givenWebsite } from '../support/website';
import { useConformance } from './conformance-api';
import { expectOcto, expectOctoError } from './schemas';

const { supplier } = loadConfig({
  SUPPLIER_NAME: 'Old Town Tours',
  SUPPLIER_EMAIL: 'resellers@tours.example',
  SUPPLIER_PHONE: '+49 30 901820',
  SUPPLIER_WEBSITE: 'https://tours.example',
});
const api = useTestApi({ supplier });
const { reseller, tours } = useConformance(api);

const WITH_PRICING = { 'octo-capabilities': 'octo/pricing' };
const WITH_CONTENT = { 'octo-capabilities': 'content' };

describe('GET /octo/supplier', () => {
  it('GET /octo/supplier answers the name and the contact of the settings, with null for a missing one', async () => {
    expect(expectOcto(await reseller.get('/octo/supplier'), 'supplier')).toEqual({
      id: 'tour-platform',
      name: 'Old Town Tours',
      endpoint: 'https://api.example.test/octo',
      contact: {
        website: 'https://tours.example',
        email: 'resellers@tours.example',
        telephone: '+49 30 901820',
        address: null,
      },
    });
  });

  it('GET /octo/supplier accepts a key without the scope catalog:read', async () => {
    const creator = await givenWebsite(api, {}, ['booking:create']);
    expectOcto(await creator.get('/octo/supplier'), 'supplier');
    expectOctoError(await creator.get('/octo/products'), 401, 'UNAUTHORIZED');
  });
});

describe('GET /octo/capabilities', () => {
  it('GET /octo/capabilities lists pricing, content and pickups as optional capabilities', async () => {
    const body = expectOcto(await reseller.get('/octo/capabilities'), 'capabilities');
    expect(body.map(({ id, required }: { id: string; required: boolean }) => [id, required])).toEqual([
      ['octo/pricing', false],
      ['octo/content', false],
      ['octo/pickups', false],
    ]);
  });
});

describe('GET /octo/products', () => {
  it('GET /octo/products lists all visible tours in the order of the catalog', async () => {
    const hidden = await givenTour(api.db, { name: 'A Hidden Tour' });
    await givenVisibilityRule(api.db, reseller, hidden, false);
    const products = expectOcto(await reseller.get('/octo/products'), 'products');
    const { body } = await reseller.get('/api/tenant/catalog?limit=100');
    const pairs = (items: { id: string }[]) => items.map(({ id }) => id);
    expect(pairs(products)).toEqual(pairs(body.items));
    expect(pairs(products)).not.toContain(hidden.id);
  });

  it('GET /octo/products streams a catalog of several pages as one list without gaps', async () => {
    const { db } = api;
    const wide = await givenWebsite(api);
    for (let n = 0; n < 205; n++) await givenTour(db, { name: `Tour ${n % 50}`, continent: 'europe' });
    const products = expectOcto(await wide.get('/octo/products'), 'products');
    const count = await db('tours')
      .where({ status: 'published' })
      .count({ count: '*' })
      .first<{ count: string }>();
    expect(new Set(products.map(({ id }: { id: string }) => id)).size).toBe(Number(count.count));
  });

  it('GET /octo/products answers an empty list to a tenant that sees no tour', async () => {
    const blind = await givenWebsite(api, { defaultVisible: false });
    expect(expectOcto(await blind.get('/octo/products'), 'products')).toEqual([]);
  });

  it('GET /octo/products answers HEAD like GET, without the list', async () => {
    const { status, headers, text } = await api.http
      .head('/octo/products')
      .set({ authorization: reseller.authorization });
    expect([status, headers['content-type'], text ?? '']).toEqual([
      200,
      expect.stringContaining('application/json'),
      '',
    ]);
  });

  it('a client that leaves in the middle of a list does not block the next request of its key', async () => {
    for (let n = 0; n < 3; n++) {
      const left = new AbortController();
      const { authorization } = reseller;
      const answer = await fetch(`${api.baseUrl}/octo/products`, {
        headers: { authorization },
        signal: left.signal,
      });
      expect(answer.status).toBe(200);
      left.abort();
    }
    expectOcto(await reseller.get('/octo/products'), 'products');
  });

  it('GET /octo/products answers concurrent lists of one key with the same text', async () => {
    const lists = await Promise.all([1, 2, 3].map(async () => reseller.get('/octo/products')));
    for (const list of lists) expectOcto(list, 'products');
    expect(new Set(lists.map(({ text }) => text)).size).toBe(1);
  });
});

describe('GET /octo/products/{id}', () => {
  it('GET /octo/products/{id} answers a tour with a start time as a product with start times', async () => {
    const { id, slug } = tours.startTime;
    const product = expectOcto(await reseller.get(`/octo/products/${id}`), 'product');
    expect(product).toEqual({
      id,
      reference: slug,
      internalName: 'A Morning in the Old Town',
      locale: 'en',
      timeZone: 'Europe/Berlin',
      availabilityType: 'START_TIME',
      allowFreesale: false,
      instantConfirmation: true,
      instantDelivery: true,
      availabilityRequired: true,
      deliveryFormats: ['QRCODE'],
      deliveryMethods: ['VOUCHER'],
      redemptionMethod: 'MANIFEST',
      options: [
        {
          id: 'DEFAULT',
          default: true,
          internalName: 'Default',
          reference: null,
          availabilityLocalStartTimes: ['09:30'],
          requiredContactFields: [],
          cancellationCutoff: 'Not stated',
          cancellationCutoffAmount: 0,
          cancellationCutoffUnit: 'hour',
          restrictions: { minUnits: 1, maxUnits: 9 },
          units: [unit('adult', 'Adult', 'ADULT', 18, 99), unit('child', 'Child', 'CHILD', 0, 17)],
        },
      ],
    });
  });

  it('GET /octo/products/{id} answers a tour without a start time as a product with opening hours and no start times', async () => {
    const product = expectOcto(await reseller.get(`/octo/products/${tours.openingHours.id}`), 'product');
    expect(product).toMatchObject({
      availabilityType: 'OPENING_HOURS',
      options: [{ availabilityLocalStartTimes: [] }],
    });
  });

  it('GET /octo/products/{id} offers no child unit for a tour without a price for children', async () => {
    const { id } = await givenTour(api.db);
    const [option] = expectOcto(await reseller.get(`/octo/products/${id}`), 'product').options;
    expect(option.units.map((it: { id: string }) => it.id)).toEqual(['adult']);
  });

  it('GET /octo/products/{id} allows 50 units for a tour without a group size', async () => {
    const { id } = await givenTour(api.db);
    const [option] = expectOcto(await reseller.get(`/octo/products/${id}`), 'product').options;
    expect(option.restrictions.maxUnits).toBe(50);
  });

  it('GET /octo/products/{id} adds the lowest prices of the open dates with octo/pricing', async () => {
    const { tenant } = reseller;
    const rule = { tenant_id: tenant.id, tour_id: tours.startTime.id, kind: 'percent', percent: 12.5 };
    await api.db('price_rules').insert(rule);
    const product = await reseller.get(`/octo/products/${tours.startTime.id}`).set(WITH_PRICING);
    expect(expectOcto(product, 'product')).toMatchObject({
      defaultCurrency: 'EUR',
      availableCurrencies: ['EUR'],
      pricingPer: 'UNIT',
      options: [
        {
          units: [{ pricingFrom: [price(4800, 5400)] }, { pricingFrom: [price(2400, 2700)] }],
        },
      ],
    });
  });

  it('GET /octo/products/{id} prices an adult at the base price while the tour has no open date', async () => {
    const { id } = await givenTour(api.db, { basePriceMinor: 9900 });
    const product = await reseller.get(`/octo/products/${id}`).set(WITH_PRICING);
    const [option] = expectOcto(product, 'product').options;
    expect(option.units).toMatchObject([{ pricingFrom: [price(9900, 9900)] }]);
  });

  it('GET /octo/products/{id} adds the whole content of the tour with octo/content', async () => {
    const { id } = await givenTour(api.db, { durationDays: 2 });
    await api
      .db('tours')
      .where({ id })
      .update({
        summary: 'One night',
        description: 'First\nsecond',
        cancellation_policy: 'Free until a day before.',
        inclusions: ['Meals'],
        exclusions: ['Flights'],
        languages: ['en', 'vi'],
        image_url: 'https://img.example.com/1.jpg',
        start_location: { name: 'Marina', lat: 20.9, lng: 107.1, google_place_id: 'ChIJHaLong_1-a' },
        end_location: { name: 'Without coordinates' },
        images: JSON.stringify([
          { url: 'https://img.example.com/1.jpg' },
          { url: 'https://img.example.com/2.PNG?w=1', alt: 'A junk' },
          { url: '/covers/b.svg' },
        ]),
        itinerary: JSON.stringify([
          { day: 1, title: 'Out', description: 'To sea' },
          { day: 2, title: 'Back' },
        ]),
      });
    const product = await reseller.get(`/octo/products/${id}`).set(WITH_CONTENT);
    const medium = { title: null, copyright: null };
    expect(expectOcto(product, 'product')).toMatchObject({
      title: 'Hà Long Bay Cruise',
      shortDescription: 'One night',
      description: 'First\nsecond',
      features: [
        { type: 'INCLUSION', shortDescription: 'Meals' },
        { type: 'EXCLUSION', shortDescription: 'Flights' },
        { type: 'ADDITIONAL_INFORMATION', shortDescription: 'Day 1: Out\nTo sea' },
        { type: 'ADDITIONAL_INFORMATION', shortDescription: 'Day 2: Back' },
        { type: 'CANCELLATION_TERM', shortDescription: 'Free until a day before.' },
      ],
      media: [
        { ...medium, src: 'https://img.example.com/1.jpg', type: 'image/jpeg', rel: 'COVER', caption: null },
        {
          ...medium,
          src: 'https://img.example.com/2.PNG?w=1',
          type: 'image/png',
          rel: 'GALLERY',
          caption: 'A junk',
        },
      ],
      locations: [
        {
          title: 'Marina',
          types: ['START'],
          place: {
            latitude: 20.9,
            longitude: 107.1,
            identifiers: { googlePlaceId: 'ChIJHaLong_1-a', applePlaceId: null },
          },
        },
      ],
      commentary: [
        { format: 'IN_PERSON', language: 'en' },
        { format: 'IN_PERSON', language: 'vi' },
      ],
      durationMinutesFrom: 2880,
      durationMinutesTo: null,
      faqs: [],
      categoryLabels: [],
      options: [{ units: [{ title: 'Adult', features: [] }] }],
    });
  });

  it.each(['no-such-tour', 'a-morning-in-the-old-town', '01234567-89ab-4cde-8f01-23456789abcd'])(
    'GET /octo/products/{id} answers INVALID_PRODUCT_ID to an id that is not the UUID of a visible tour: %s',
    async (productId) => {
      expectOctoError(await reseller.get(`/octo/products/${productId}`), 400, 'INVALID_PRODUCT_ID', {
        productId,
      });
    },
  );
});

function unit(id: string, internalName: string, type: string, minAge: number, maxAge: number) {
  const restrictions = {
    minAge,
    maxAge,
    idRequired: false,
    minQuantity: null,
    maxQuantity: null,
    paxCount: 1,
    accompaniedBy: [],
  };
  return { id, internalName, reference: id, type, requiredContactFields: [], restrictions };
}

function price(net: number, retail: number) {
  return { original: retail, retail, net, currency: 'EUR', currencyPrecision: 2, includedTaxes: [] };
}
