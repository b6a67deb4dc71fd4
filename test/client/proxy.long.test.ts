import { useTestApi } from '../support/api';
import { givenDeparture, givenKey, givenTenant, givenTour, type GivenTour } from '../support/given';
import { SERVERS, SECRET, type Shop, VisitorBrowser } from './proxy-fixture';

const CUSTOMER = { name: 'Ana Lima', phone: '+49 30 901820', email: 'ana@example.com' };

const api = useTestApi();
let tour: GivenTour;
let date: string;
let apiKey: string;

beforeAll(async () => {
  const tenant = await givenTenant(api.db);
  tour = await givenTour(api.db);
  date = await givenDeparture(api.db, tour, { prices: { adult: 50_000, child: 20_000 }, seats: 100 });
  apiKey = await givenKey(api.db, tenant);
});

describe.each(Object.entries(SERVERS))('the proxy on %s', (_name, start) => {
  let shop: Shop;
  beforeAll(async () => {
    shop = await start({ baseUrl: api.baseUrl, apiKey, secret: SECRET });
  });
  afterAll(() => shop.stop());

  it('a visitor finds a tour, holds seats, changes and extends the hold, and books it', async () => {
    const visitor = new VisitorBrowser(shop.api);
    const tours = await visitor.send('GET', '/tours?limit=5');
    expect(tours.body.items[0]).toMatchObject({ slug: tour.slug });
    expect((await visitor.send('GET', `/tours/${tour.slug}`)).body.categories).toHaveLength(3);
    const departures = await visitor.send('GET', `/tours/${tour.slug}/departures`);
    expect(departures.body.items[0]).toMatchObject({ departure_date: date, tenant_prices: { adult: 500 } });
    expect(departures.body.items[0]).not.toHaveProperty('seats_total');
    expect(departures.body.items[0]).not.toHaveProperty('prices');
    const check = await visitor.send('GET', `/tours/${tour.slug}/availability?departure_date=${date}`);
    expect(check.body).toMatchObject({ available: true });
    expect(check.body).not.toHaveProperty('prices');
    expect(visitor.cookie).toBe('');

    const held = await visitor.send('POST', '/hold', {
      tour_id: tour.slug,
      departure_date: date,
      quantity: 2,
    });
    expect(held).toMatchObject({ status: 201, body: { status: 'active', total_price: 1000 } });
    const changed = await visitor.send('PATCH', '/hold', { party: { child: 1 } });
    expect(changed).toMatchObject({ status: 200, body: { quantity: 3, total_price: 1200 } });
    const extended = await visitor.send('POST', '/hold/extend', { hold_minutes: 20 });
    expect(extended).toMatchObject({ status: 200, body: { hold_id: held.body.hold_id } });
    const booked = await visitor.send('POST', '/booking', { ...CUSTOMER, expected_total: 1200 });
    expect(booked).toMatchObject({
      status: 201,
      body: { status: 'pending_payment', party: { adult: 2, child: 1 } },
    });
    const again = await visitor.send('POST', '/booking', { ...CUSTOMER, expected_total: 1200 });
    expect(again.body).toEqual(booked.body);
    const read = await visitor.send('GET', '/booking');
    expect(read.body).toMatchObject({ booking_ref: booked.body.booking_ref, customer: { name: 'Ana Lima' } });
  });

  it('a path that is not on the list is 404, and another method 405', async () => {
    const visitor = new VisitorBrowser(shop.api);
    expect((await visitor.send('GET', '/bookings')).status).toBe(404);
    expect((await visitor.send('DELETE', '/tours')).headers.get('allow')).toBe('GET, HEAD');
  });
});
