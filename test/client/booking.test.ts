import { createClient, type TourPlatform, TourPlatformError } from '../../clients/typescript/src/index';
import { useTestApi } from '../support/api';
import { daysFromToday, givenDeparture, givenKey, givenTenant, givenTour } from '../support/given';

const CUSTOMER = { name: 'Ana Lima', phone: '+49 30 901820', email: 'ana@example.com' };

const api = useTestApi();
let platform: TourPlatform;
let tour: string;
let date: string;
let otherDate: string;

beforeAll(async () => {
  const tenant = await givenTenant(api.db);
  const given = await givenTour(api.db);
  tour = given.slug;
  const prices = { adult: 50_000, child: 20_000 };
  date = await givenDeparture(api.db, given, { prices, seats: 5 });
  otherDate = await givenDeparture(api.db, given, { date: daysFromToday(37), prices });
  platform = createClient({ baseUrl: api.baseUrl, apiKey: await givenKey(api.db, tenant) });
});

const hold = (quantity: number, idempotencyKey?: string) =>
  platform.POST('/api/gateway/tours/{id_or_slug}/hold', {
    params: { path: { id_or_slug: tour }, header: { 'Idempotency-Key': idempotencyKey } },
    body: { departure_date: date, quantity },
  });

/** Returns the error that a call throws. */
async function refusal(call: Promise<unknown>): Promise<TourPlatformError> {
  const error: unknown = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(TourPlatformError);
  return error as TourPlatformError;
}

describe('the client of a tenant’s server', () => {
  it('the client finds a tour, holds its seats, books, changes, confirms and cancels', async () => {
    const { data: catalog, response } = await platform.GET('/api/tenant/catalog', {
      params: { query: { continent: 'asia', limit: 10 } },
    });
    expect(catalog.items[0]).toMatchObject({ slug: tour, next_departure_date: date });
    expect(response.headers.get('RateLimit')).toMatch(/r=\d+/);

    const { data: held } = await hold(2);
    const { data: booking } = await platform.POST('/api/tenant/bookings', {
      body: {
        tour_id: tour,
        hold_id: held.hold_id,
        adults: 2,
        expected_total: held.total_price,
        ...CUSTOMER,
      },
    });
    expect(booking.status).toBe('pending_payment');

    const params = { path: { booking_ref: booking.booking_ref } };
    const { data: changed } = await platform.PATCH('/api/tenant/bookings/{booking_ref}', {
      params,
      body: { departure_date: otherDate },
    });
    expect(changed.departure_date).toBe(otherDate);
    const { data: confirmed } = await platform.POST('/api/tenant/bookings/{booking_ref}/confirm', { params });
    expect(confirmed.status).toBe('confirmed');
    await platform.POST('/api/tenant/bookings/{booking_ref}/cancel', { params, body: { reason: 'Ill.' } });
    const { data: read } = await platform.GET('/api/tenant/bookings/{booking_ref}', { params });
    expect(read).toMatchObject({ status: 'cancelled', customer: { name: 'Ana Lima' } });
  });

  it('the client releases a hold, whose answer has no data', async () => {
    const { data: held } = await hold(1);
    const params = { path: { hold_id: held.hold_id } };
    const { data, response } = await platform.DELETE('/api/gateway/holds/{hold_id}', { params });
    expect({ data, status: response.status }).toEqual({ data: undefined, status: 204 });
  });

  it('the client returns a 304 without data for the ETag of an earlier answer', async () => {
    const { response } = await platform.GET('/api/tenant/catalog');
    const headers = { 'If-None-Match': response.headers.get('ETag') };
    const again = await platform.GET('/api/tenant/catalog', { headers });
    expect({ status: again.response.status, data: again.data }).toEqual({ status: 304, data: undefined });
  });
});

describe('an error of the client', () => {
  it('the error for too few seats has the code and the facts of the problem document', async () => {
    const error = await refusal(hold(6));
    expect(error).toMatchObject({
      name: 'TourPlatformError',
      code: 'insufficient_seats',
      status: 409,
      detail: 'The departure has too few free seats.',
      requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      retryAfterSeconds: undefined,
      retryable: false,
    });
    expect(error.message).toBe('insufficient_seats: The departure has too few free seats.');
    expect(error.problem!.alternatives).toEqual([
      { departure_date: otherDate, departure_time: null, seats_available: 10 },
    ]);
  });

  it('the error for a reused key has the code of the refusal and the key', async () => {
    await hold(1, 'cart-81');
    const error = await refusal(hold(2, 'cart-81'));
    expect(error).toMatchObject({ code: 'idempotency_key_reused', status: 422, idempotencyKey: 'cart-81' });
  });

  it('the error for a 400 names the fields, and the error for a 401 names the credential', async () => {
    const invalid = await refusal(platform.GET('/api/tenant/catalog', { params: { query: { limit: 0 } } }));
    expect(invalid).toMatchObject({
      code: 'validation_failed',
      problem: { errors: [{ in: 'query', field: 'limit' }] },
    });
    const stranger = createClient({ baseUrl: api.baseUrl, apiKey: 'svc_live_unknown' });
    expect(await refusal(stranger.GET('/api/tenant/catalog'))).toMatchObject({
      code: 'invalid_api_key',
      status: 401,
    });
  });
});
