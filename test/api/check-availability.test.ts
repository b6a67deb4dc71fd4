import { useTestApi } from '../support/api';
import {
  daysFromToday,
  givenDeparture,
  givenTour,
  type GivenTour,
  insertHold,
  todayIn,
} from '../support/given';
import { expectProblem } from '../support/responses';
import { useWebsite } from '../support/website';

const api = useTestApi();
const reader = useWebsite(api, {}, ['catalog:read', 'booking:create']);
let tour: GivenTour;
let date: string;
beforeEach(async () => {
  tour = await givenTour(api.db);
  date = await givenDeparture(api.db, tour, { seats: 5 });
});

const pathOf = (query = '', { slug } = tour) =>
  `/api/gateway/tours/${slug}/availability?departure_date=${date}${query}`;
const ask = (query = '') => reader.get(pathOf(query));

describe('GET /api/gateway/tours/{id_or_slug}/availability', () => {
  it('GET /api/gateway/tours/{id_or_slug}/availability answers exactly the documented fields', async () => {
    const { status, body } = await ask('&quantity=2');
    expect(status).toBe(200);
    expect(body).toEqual({
      tour: { id: tour.id, slug: tour.slug },
      departure_date: date,
      departure_time: null,
      available: true,
      status: 'available',
      seats_available: 5,
      requested: 2,
      currency: 'EUR',
      prices: { adult: 500 },
      tenant_prices: { adult: 500, deposit: 100 },
      as_of: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    });
  });

  it.each([
    ['', 1, true],
    ['&quantity=5', 5, true],
    ['&quantity=6', 6, false],
    ['&quantity=50', 50, false],
  ])('the query %j requests %i seats, and available is %s', async (query, requested, available) => {
    expect((await ask(query)).body).toMatchObject({
      requested,
      available,
      status: 'available',
      seats_available: 5,
    });
  });

  it('GET /api/gateway/tours/{id_or_slug}/availability answers 200 with the status gone for a date without a departure', async () => {
    date = daysFromToday(31);
    const { status, body } = await ask();
    expect(status).toBe(200);
    expect(body).toMatchObject({
      available: false,
      status: 'gone',
      seats_available: 0,
      prices: null,
      tenant_prices: null,
      departure_date: date,
    });
  });

  it.each([
    ['sold_out', async () => insertHold(api.db, reader, tour, date, { quantity: 5 })],
    ['cancelled', async () => changeDeparture({ status: 'cancelled' })],
    ['closed', async () => changeDeparture({ closes_at: '2020-01-01T00:00:00Z' })],
    ['gone', async () => changeDeparture({ departure_date: (date = daysFromToday(-2)) })],
  ])('a departure that is %s has that status and no free seats', async (status, happen) => {
    await happen();
    expect((await ask()).body).toMatchObject({
      available: false,
      status,
      seats_available: 0,
      prices: { adult: 500 },
    });
  });

  it('the status of a departure is "gone" once its date is past in the tour\'s time zone', async () => {
    date = todayIn('Pacific/Pago_Pago');
    for (const [timeZone, status] of [
      ['Pacific/Kiritimati', 'gone'],
      ['Pacific/Pago_Pago', 'available'],
    ] as const) {
      const there = await givenTour(api.db, { timeZone });
      await givenDeparture(api.db, there, { date });
      expect((await reader.get(pathOf('', there))).body).toMatchObject({ status, departure_date: date });
    }
  });

  it.each([
    'quantity=0',
    'quantity=51',
    'quantity=-1',
    'quantity=1.5',
    'quantity=1e1',
    'quantity=%2B2',
    'quantity=two',
    'quantity=',
  ])('GET /api/gateway/tours/{id_or_slug}/availability refuses the parameter %s', async (query) => {
    const response = await ask(`&${query}`);
    expectProblem(response, 400, 'validation_failed');
    expect(response.body.errors).toEqual([{ in: 'query', field: 'quantity', message: expect.any(String) }]);
  });

  it.each([
    '',
    '?departure_date=',
    '?departure_date=2027-02-30',
    '?departure_date=tomorrow',
    '?departure_date=2027-01-01T00:00Z',
  ])(
    'GET /api/gateway/tours/{id_or_slug}/availability refuses the query %j, which has no valid date',
    async (query) => {
      const response = await reader.get(`/api/gateway/tours/${tour.slug}/availability${query}`);
      expectProblem(response, 400, 'validation_failed');
      expect(response.body.errors).toEqual([
        { in: 'query', field: 'departure_date', message: expect.any(String) },
      ]);
    },
  );
});

/** Changes the departure and the tour's revision, as the terminal does. */
async function changeDeparture(columns: Record<string, unknown>): Promise<void> {
  await api.db('departures').where({ tour_id: tour.id }).update(columns);
  await api.db('tours').where({ id: tour.id }).increment('revision', 1);
}
