import { tourProxy } from '../../clients/typescript/src/index';
import { useTestApi } from '../support/api';
import { givenDeparture, givenKey, givenTenant, givenTour, type GivenTour } from '../support/given';
import type { Category } from '../../services/api/parties/category';
import { type HttpProxy, startHttpProxy } from './http-proxy';
import { SECRET, type Shop, type ShopOptions, startShop, VisitorBrowser } from './proxy-fixture';

const CUSTOMER = { name: 'Ana Lima', phone: '+49 30 901820', email: 'ana@example.com' };
const FAMILIES: Category[] = [
  { code: 'adult', kind: 'adult', seats: 1, people: 1 },
  { code: 'infant', kind: 'infant', seats: 0, people: 1, with: ['adult'] },
  { code: 'family', kind: 'family', seats: 4, people: 4 },
];

const api = useTestApi();
let wire: HttpProxy;
let apiKey: string;
let tour: GivenTour;
let date: string;
const shops: Shop[] = [];

beforeAll(async () => {
  tour = await givenTour(api.db, { categories: FAMILIES });
  date = await givenDeparture(api.db, tour, {
    prices: { adult: 50_000, infant: 0, family: 150_000 },
    seats: 500,
  });
  apiKey = await givenKey(api.db, await givenTenant(api.db));
  wire = await startHttpProxy(api.baseUrl);
});
afterAll(async () => {
  await Promise.all(shops.map((shop) => shop.stop()));
  await wire.stop();
});

/** Returns a visitor of a new site. */
async function visitorOf(options: Partial<ShopOptions> = {}): Promise<VisitorBrowser> {
  const shop = await startShop({ baseUrl: wire.url, apiKey, ...options });
  shops.push(shop);
  return new VisitorBrowser(shop.api);
}

const holdOf = (more: object) => ({ tour_id: tour.slug, departure_date: date, ...more });

describe('the limits of a cookie', () => {
  it('a hold, its change and its booking have at most ten seats, counted by the categories of the tour', async () => {
    const visitor = await visitorOf();
    const hold = (more: object) => visitor.send('POST', '/hold', holdOf(more));
    for (const more of [{ quantity: 11 }, { party: { family: 3 } }, { party: { adult: 7, family: 1 } }]) {
      expect((await hold(more)).body.code).toBe('hold_limit_reached');
    }
    const widest = await hold({ party: { family: 2, adult: 2, infant: 2 } });
    expect(widest).toMatchObject({ status: 201, body: { quantity: 10 } });
    const change = (body: object) => visitor.send('PATCH', '/hold', body);
    expect((await change({ party: { adult: 3 } })).body.code).toBe('hold_limit_reached');
    expect((await change({ quantity: 11 })).body.code).toBe('hold_limit_reached');
    expect((await change({ party: { family: 1 } })).body.quantity).toBe(6);
    const book = (body: object) => visitor.send('POST', '/booking', { ...CUSTOMER, ...body });
    expect((await book({ party: { adult: 11 } })).body.code).toBe('hold_limit_reached');
    expect((await book({ adults: 11 })).body.code).toBe('hold_limit_reached');
    expect((await book({ party: { adult: 1 } })).status).toBe(201);
  });

  it.each([
    [undefined, '10'],
    [4, '4'],
  ])('a tour names the limit, so that a page offers no more: %p seats', async (seats, expected) => {
    const visitor = await visitorOf({ seats });
    const first = await visitor.send('GET', `/tours/${tour.slug}`);
    expect(first.headers.get('Seats-Max')).toBe(expected);
    expect(first.body).not.toHaveProperty('seatsMax');
  });

  it('a booking of children alone counts the adult that it means', async () => {
    const school = await givenTour(api.db);
    const day = await givenDeparture(api.db, school, { prices: { adult: 500, child: 300 }, seats: 50 });
    const visitor = await visitorOf();
    const place = { tour_id: school.slug, departure_date: day };
    expect((await visitor.send('POST', '/hold', { ...place, quantity: 2, children: 1 })).status).toBe(201);
    const book = (body: object) => visitor.send('POST', '/booking', { ...CUSTOMER, ...body });
    expect((await book({ children: 10 })).body.code).toBe('hold_limit_reached');
    expect((await book({ children: 9 })).body.party).toEqual({ adult: 1, child: 9 });
  });

  it('a number that the platform refuses is 400, whatever the limit', async () => {
    const visitor = await visitorOf();
    for (const quantity of [51, 0, -1, 1.5, '11']) {
      const answer = await visitor.send('POST', '/hold', holdOf({ quantity }));
      expect(answer).toMatchObject({ status: 400, body: { code: 'validation_failed' } });
    }
  });

  it('a site sets its own limits', async () => {
    const visitor = await visitorOf({ seats: 2, holdsPerHour: 2, maxHoldMinutes: 5 });
    const hold = (more: object) => visitor.send('POST', '/hold', holdOf(more));
    expect((await hold({ quantity: 3 })).status).toBe(409);
    expect((await hold({ quantity: 2, hold_minutes: 6 })).body.errors).toEqual([
      { in: 'body', field: 'hold_minutes', message: 'must be at most 5' },
    ]);
    expect((await hold({ quantity: 2, hold_minutes: 5 })).status).toBe(201);
    expect((await visitor.send('POST', '/hold/extend', { hold_minutes: 6 })).status).toBe(400);
    expect((await visitor.send('POST', '/hold/extend')).status).toBe(200);
    expect((await hold({ quantity: 1 })).status).toBe(201);
    const third = await hold({ quantity: 1 });
    expect(third).toMatchObject({ status: 429, body: { code: 'rate_limited', retryable: true } });
    const seconds = Number(third.headers.get('retry-after'));
    expect(seconds).toBeGreaterThan(3_500);
    expect(seconds).toBeLessThanOrEqual(3_601);
  });

  it('an hour after the first of its holds, a visitor places one more', async () => {
    const visitor = await visitorOf({ holdsPerHour: 2 });
    const hold = () => visitor.send('POST', '/hold', holdOf({ quantity: 1 }));
    const { body } = await hold();
    await hold();
    expect((await hold()).status).toBe(429);
    await api
      .db('seat_holds')
      .where({ id: body.hold_id })
      .update({ created_at: api.db.raw("created_at - interval '61 minutes'") });
    expect((await hold()).status).toBe(201);
  });

  it.each([
    ['seats', 51],
    ['seats', 0],
    ['holdsPerHour', 101],
    ['maxHoldMinutes', 61],
    ['maxHoldMinutes', 1.5],
    ['origins', ['www.example.com']],
    ['origins', ['https://example.com/path']],
    ['path', 'shop'],
    ['baseUrl', 'api.example.com'],
    ['baseUrl', 'ftp://api.example.com'],
    ['apiKey', ''],
    ['apiKey', 'svc_widget_x'],
    ['timeoutMs', -1],
    ['origins', 'https://www.example.com'],
    ['holdsPerHours', 5],
    ['cookieName', 'a b'],
  ])('the start fails for the option %s with the value %j', (name, value) => {
    const options = { baseUrl: api.baseUrl, apiKey, secret: SECRET, [name]: value };
    expect(() => tourProxy(options)).toThrow(TypeError);
  });
});

describe('the hook allow', () => {
  it('the hook sees the request and the call, and its false is 429 before the body is read', async () => {
    const calls: string[] = [];
    const visitor = await visitorOf({
      allow: (request, call) => {
        calls.push(call);
        return !('x-robot' in request.headers);
      },
    });
    wire.plan();
    const refused = await visitor.send('POST', '/hold', { no: 'hold' }, { 'x-robot': 'yes' });
    expect(refused).toMatchObject({ status: 429, body: { code: 'rate_limited' } });
    expect(refused.headers.get('retry-after')).toBe('60');
    expect(wire.requests()).toEqual([]);
    expect((await visitor.send('GET', '/tours')).status).toBe(200);
    expect(calls).toEqual(['placeHold', 'listTours']);
  });

  it('a hook that fails refuses, and its error goes to the site alone', async () => {
    const errors: unknown[] = [];
    const visitor = await visitorOf({
      allow: () => Promise.reject(new Error('the limiter is away')),
      onError: (error) => errors.push(error),
    });
    const answer = await visitor.send('GET', '/tours');
    expect(answer).toMatchObject({ status: 500, body: { code: 'internal_error' } });
    expect(JSON.stringify(answer.body)).not.toContain('limiter');
    expect(errors).toEqual([new Error('the limiter is away')]);
  });
});

describe('the quotas of the key', () => {
  it('a purchase with the element makes four reads, one hold and one booking, and one more read of the tour in a minute', async () => {
    const visitor = await visitorOf();
    wire.plan();
    await visitor.send('GET', `/tours/${tour.slug}`);
    await visitor.send('GET', `/tours/${tour.slug}/departures`);
    await visitor.send('OPTIONS', '/hold');
    const { body: hold } = await visitor.send('POST', '/hold', holdOf({ party: { adult: 1 } }));
    const { hold_id, total_price: expected_total } = hold;
    const wish = { ...CUSTOMER, tour_id: tour.slug, hold_id, party: { adult: 1 }, expected_total };
    expect((await visitor.send('POST', '/booking', wish)).status).toBe(201);
    // The site's own page for the payment asks with bookingOf, which sends the same.
    await visitor.send('GET', '/booking');
    const sent = wire.requests().map(({ method, url }) => `${method} ${url.split('?')[0]}`);
    expect(sent).toEqual([
      `GET /api/tenant/tours/${tour.slug}`,
      `GET /api/tenant/tours/${tour.slug}/departures`,
      // The seats of each category, which the proxy keeps for a minute.
      `GET /api/tenant/tours/${tour.slug}`,
      'GET /api/gateway/holds',
      `POST /api/gateway/tours/${tour.slug}/hold`,
      'POST /api/tenant/bookings',
      'GET /api/tenant/bookings',
    ]);
  });
});
