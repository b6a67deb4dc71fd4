import { DEFAULT_CATEGORIES } from '../../services/api/parties/category';
import { useTestApi } from '../support/api';
import {
  daysFromToday,
  givenDeparture,
  givenPriceRule,
  givenTour,
  type GivenTour,
  givenVisibilityRule,
} from '../support/given';
import { expectProblem, withoutRequestId } from '../support/responses';
import { sendRaw } from '../support/send-raw';
import { givenWebsite, useWebsite } from '../support/website';

const api = useTestApi();
const reader = useWebsite(api, {}, ['catalog:read']);
let tour: GivenTour;
beforeAll(async () => {
  tour = await givenTour(api.db, { basePriceMinor: 129_050, timeZone: 'Asia/Ho_Chi_Minh' });
});

describe('GET /api/tenant/tours/{id_or_slug}', () => {
  it('GET /api/tenant/tours/{id_or_slug} answers exactly the fields of a tour, null or empty when the catalog has no value', async () => {
    const { status, body } = await reader.get(`/api/tenant/tours/${tour.slug}`);
    expect(status).toBe(200);
    expect(body).toEqual({
      id: tour.id,
      slug: tour.slug,
      name: 'Hà Long Bay Cruise',
      summary: null,
      continent: 'asia',
      country: 'VN',
      duration_days: 3,
      image_url: null,
      tags: [],
      currency: 'EUR',
      price_from: 1290.5,
      next_departure_date: null,
      updated_at: expect.stringMatching(/Z$/),
      description: null,
      itinerary: [],
      inclusions: [],
      exclusions: [],
      images: [],
      languages: [],
      start_location: null,
      end_location: null,
      time_zone: 'Asia/Ho_Chi_Minh',
      group_size_max: null,
      cancellation_policy: null,
      cancellation: null,
      booking_cutoff: '0m',
      start_time: null,
      categories: DEFAULT_CATEGORIES,
      questions: [],
      pickup: null,
      tenant_prices: { adult: 1290.5, deposit: 258.1 },
    });
  });

  it('GET /api/tenant/tours/{id_or_slug} answers structured content with absolute picture addresses', async () => {
    const { db } = api;
    const rich = await givenTour(db);
    const place = { name: 'Tuần Châu', lat: 20.93, lng: 106.99 };
    const fields = {
      summary: 'Two days',
      description: 'Line one\nline two',
      image_url: '/covers/ha-long.svg',
      images: JSON.stringify([
        { url: 'https://img.example.com/1.jpg', alt: 'A junk' },
        { url: '/covers/b.svg' },
      ]),
      itinerary: JSON.stringify([
        { day: 1, title: 'Out', description: 'To sea' },
        { day: 2, title: 'Back' },
      ]),
      inclusions: ['Meals'],
      exclusions: ['Flights'],
      tags: ['sea', 'junk'],
      languages: ['en', 'vi'],
      start_location: place,
      end_location: { name: 'Hà Nội' },
      group_size_max: 12,
      cancellation_policy: 'Free until a week before.',
      start_time: '09:30',
    };
    await db('tours').where({ id: rich.id }).update(fields);
    const { body } = await reader.get(`/api/tenant/tours/${rich.id}`);
    expect(body).toMatchObject({
      ...fields,
      image_url: 'https://api.example.test/covers/ha-long.svg',
      images: [
        { url: 'https://img.example.com/1.jpg', alt: 'A junk' },
        { url: 'https://api.example.test/covers/b.svg', alt: null },
      ],
      itinerary: [
        { day: 1, title: 'Out', description: 'To sea' },
        { day: 2, title: 'Back', description: null },
      ],
      end_location: { name: 'Hà Nội', lat: null, lng: null },
    });
  });

  it('GET /api/tenant/tours/{id_or_slug} answers the cancellation policy and the cut-off as they are stored', async () => {
    const { db } = api;
    const tiers = [
      { until: '30d', refund_percent: 100 },
      { until: '36h', refund_percent: 50 },
    ];
    const stated = await givenTour(db, { cancellation: { tiers }, bookingCutoff: '90m' });
    const { body } = await reader.get(`/api/tenant/tours/${stated.id}`);
    expect(body).toMatchObject({ cancellation: { tiers }, booking_cutoff: '90m' });
    const strict = await givenTour(db, { cancellation: { tiers: [] }, bookingCutoff: '0m' });
    expect((await reader.get(`/api/tenant/tours/${strict.id}`)).body).toMatchObject({
      cancellation: { tiers: [] },
      booking_cutoff: '0m',
    });
  });

  it('GET /api/tenant/tours/{id_or_slug} tells every cache to revalidate the tour', async () => {
    const { headers } = await reader.get(`/api/tenant/tours/${tour.slug}`);
    expect(headers['cache-control']).toBe('private, no-cache');
  });
});

const SUFFIX = {
  'GET /api/tenant/tours/{id_or_slug}': (key: string) => `/api/tenant/tours/${key}`,
  'GET …/departures': (key: string) => `/api/tenant/tours/${key}/departures`,
  'GET …/availability': (key: string) =>
    `/api/gateway/tours/${key}/availability?departure_date=${daysFromToday(30)}`,
};

describe.each(Object.entries(SUFFIX))('%s', (_name, path) => {
  it.each<[string, (tour: GivenTour) => string]>([
    ['its slug', ({ slug }) => slug],
    ['its UUID', ({ id }) => id],
    ['its UUID in upper case', ({ id }) => id.toUpperCase()],
    [
      'its percent-encoded slug',
      ({ slug }) => [...slug].map((c) => `%${c.charCodeAt(0).toString(16)}`).join(''),
    ],
  ])('the API finds a tour by %s', async (_what, key) => {
    expect((await reader.get(path(key(tour)))).status).toBe(200);
  });

  it.each([
    ['in upper case', 'UPPER'],
    ['too short', 'a'],
    ['overlong', 'a'.repeat(64)],
    ['very long', 'a'.repeat(6000)],
    ['of dots', '..'],
    ['of encoded dots', '%2e%2e'],
    ['with a slash', 'a%2Fb'],
    ['with NUL', 'a%00'],
    ['of NUL alone', '%00'],
    ['with a line break', 'a%0A'],
    ['with an edge dash', '-ab'],
    ['with a space', 'a%20b'],
    ['with a quote', "a'--"],
    ['in other letters', 'h%C3%A0'],
    ['of a UUID without dashes', '0'.repeat(32)],
    ['of a UUID in braces', `%7B00000000-0000-4000-8000-000000000000%7D`],
    ['of an unknown UUID', '00000000-0000-4000-8000-000000000000'],
    ['that is unknown', 'no-such-tour'],
  ])('the API answers 404 for a name of a tour %s', async (_what, key) => {
    const response = await sendRaw(
      api,
      `GET ${path(key)} HTTP/1.1`,
      'Host: x',
      `Authorization: Bearer ${reader.key}`,
      'Connection: close',
    );
    expectProblem(response, 404, 'tour_not_found');
    expect(response.body.title).toBe('Tour not found');
  });

  it('the API answers the same bytes for a hidden, an unpublished and an unknown tour', async () => {
    const { db } = api;
    const blind = await givenWebsite(api, { defaultVisible: false }, ['catalog:read']);
    const hidden = await givenTour(db);
    await givenDeparture(db, hidden);
    const draft = await givenTour(db, { status: 'draft' });
    const archived = await givenTour(db, { status: 'archived' });
    await givenVisibilityRule(db, blind, draft, true);
    await givenVisibilityRule(db, blind, archived, true);
    const keys = [
      'no-such-tour',
      hidden.slug,
      hidden.id,
      hidden.id.toUpperCase(),
      draft.slug,
      archived.id,
      '%00',
    ];
    const answers = await Promise.all(keys.map(async (key) => withoutRequestId(await blind.get(path(key)))));
    expect(answers[0]).toMatchObject({ status: 404 });
    for (const answer of answers) expect(answer).toEqual(answers[0]);
  });

  it('a change of visibility takes effect at once', async () => {
    const { db } = api;
    const tenant = await givenWebsite(api, {}, ['catalog:read']);
    const status = async () => (await tenant.get(path(tour.slug))).status;
    const seen = [await status()];
    await givenVisibilityRule(db, tenant, 'asia', false);
    seen.push(await status());
    await givenVisibilityRule(db, tenant, tour, true);
    seen.push(await status());
    await db('visibility_tour_rules').where({ tenant_id: tenant.tenant.id }).update({ visible: false });
    seen.push(await status());
    await db('visibility_tour_rules').where({ tenant_id: tenant.tenant.id }).delete();
    await db('visibility_continent_rules').where({ tenant_id: tenant.tenant.id }).delete();
    seen.push(await status());
    await db('tenants').where({ id: tenant.tenant.id }).update({ default_visible: false });
    seen.push(await status());
    expect(seen).toEqual([200, 404, 200, 404, 200, 404]);
  });
});

describe('the price rule that applies', () => {
  it('a price rule changes the prices of the tour, its departures and its availability', async () => {
    const { db } = api;
    const tenant = await givenWebsite(api, { depositPercent: '10' }, ['catalog:read']);
    const priced = await givenTour(db, { basePriceMinor: 40_000 });
    const date = await givenDeparture(db, priced, {
      prices: { adult: 50_005, child: 30_001, single_supplement: 9_999 },
    });
    await givenPriceRule(db, tenant, { percent: -50 });
    const detail = (await tenant.get(`/api/tenant/tours/${priced.slug}`)).body;
    expect(detail).toMatchObject({ price_from: 250.03, tenant_prices: { adult: 200, deposit: 20 } });
    const expected = {
      prices: { adult: 500.05, child: 300.01, single_supplement: 99.99 },
      tenant_prices: { adult: 250.03, child: 150.01, single_supplement: 50, deposit: 25 },
    };
    const [departure] = (await tenant.get(`/api/tenant/tours/${priced.slug}/departures`)).body.items;
    expect(departure).toMatchObject(expected);
    const answer = await tenant.get(`/api/gateway/tours/${priced.slug}/availability?departure_date=${date}`);
    expect(answer.body).toMatchObject(expected);
  });
});
