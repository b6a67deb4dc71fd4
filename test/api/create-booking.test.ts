import { useTestApi } from '../support/api';
import { daysFromToday, givenDeparture, givenPriceRule, givenTour } from '../support/given';
import { expectProblem } from '../support/responses';
import { CUSTOMER, givenSeats, givenWebsite, seatsTaken, useWebsite } from '../support/website';

const api = useTestApi();
const website = useWebsite(api);

const read = async (ref: string) => (await website.get(`/api/tenant/bookings/${ref}`)).body;
const minutesBetween = (from: string, to: string) => (Date.parse(to) - Date.parse(from)) / 60_000;

describe('creating a booking', () => {
  it('creating a booking answers exactly the documented fields, to which GET adds customer, notes and travellers', async () => {
    const acme = await givenWebsite(api, { bookingPrefix: 'ACME' });
    const { tour, date } = await givenSeats(api.db);
    const order = {
      tour_id: tour.slug,
      departure_date: date,
      adults: 3,
      external_ref: 'order-9',
      notes: 'Vegan.',
    };
    const booking = await acme.book(order);
    expect(booking.status).toBe(201);
    expect(booking.headers['cache-control']).toBe('no-store');
    expect(booking.body).toEqual({
      ok: true,
      booking_ref: `ACME-${booking.body.lead_id}`,
      lead_id: expect.any(Number),
      tenant: { id: acme.tenant.id, slug: acme.tenant.slug },
      total_price: 1500,
      deposit_total: 300,
      status: 'pending_payment',
      currency: 'EUR',
      tour: { id: tour.id, slug: tour.slug },
      departure_date: date,
      departure_time: null,
      departure_status: 'scheduled',
      adults: 3,
      children: 0,
      party: { adult: 3 },
      single_supplements: 0,
      external_ref: 'order-9',
      payment_method: 'bank',
      source: 'tenant_api',
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      updated_at: booking.body.created_at,
      confirmed_at: null,
      cancelled_at: null,
      adjustment: null,
      answers: [],
      pickup: null,
      cancel_reason: null,
      cancellation: null,
      payment_due_at: expect.stringMatching(/Z$/),
      payment_note: null,
      price_breakdown: {
        platform_unit_price: 500,
        unit_price: 500,
        adults: 3,
        children: 0,
        single_supplements: 0,
        categories: [{ category: 'adult', number: 3, unit_price: 500, total: 1500 }],
        deposit_percent: 20,
        rule: null,
      },
    });
    expect(minutesBetween(booking.body.created_at, booking.body.payment_due_at)).toBe(72 * 60);

    const detail = await acme.get(`/api/tenant/bookings/${booking.body.booking_ref}`);
    expect(detail.status).toBe(200);
    expect(detail.headers['cache-control']).toBe('no-store');
    expect(detail.body).toEqual({ ...booking.body, customer: CUSTOMER, notes: 'Vegan.', travellers: null });
  });

  it('a booking without optional fields has one adult, no reference and no notes', async () => {
    const { tour, date } = await givenSeats(api.db);
    const { body } = await website.book({ tour_id: tour.id.toUpperCase(), departure_date: date });
    expect(body).toMatchObject({ adults: 1, external_ref: null, total_price: 500, tour: { id: tour.id } });
    expect((await read(body.booking_ref)).notes).toBeNull();
  });

  it('creating a booking takes the seats, and is refused when too few seats are free', async () => {
    const { db } = api;
    const seats = await givenSeats(db, { seats: 5 });
    const order = { tour_id: seats.tour.id, departure_date: seats.date };
    expect((await website.book({ ...order, adults: 4 })).status).toBe(201);
    const refusal = await website.book({ ...order, adults: 2 });
    expectProblem(refusal, 409, 'insufficient_seats', { seats_available: 1, alternatives: [] });
    expect(await seatsTaken(db, seats)).toBe(4);
  });

  it('the API refuses a booking for a date that is gone or cancelled, and for an unknown tour', async () => {
    const { db } = api;
    const { tour, date } = await givenSeats(db, { status: 'cancelled' });
    const past = await givenDeparture(db, tour, { date: daysFromToday(-2) });
    const book = (departure_date: string) => website.book({ tour_id: tour.id, departure_date });
    expectProblem(await book(date), 409, 'departure_cancelled', { title: 'Departure not available' });
    expectProblem(await book(past), 409, 'departure_gone');
    expectProblem(await book(daysFromToday(77)), 409, 'departure_gone');
    for (const tour_id of ['no-such-tour', 'a b', '\u0000', '01234567-89ab-4cde-8f01-23456789abcd', '💺']) {
      expectProblem(await website.book({ tour_id }), 404, 'tour_not_found', { title: 'Tour not found' });
    }
  });

  it("a booking without a date reserves no seats, and its price is the base price after the tenant's rule", async () => {
    const { db } = api;
    const cheap = await givenWebsite(api);
    const tour = await givenTour(db, { basePriceMinor: 80_000 });
    const date = await givenDeparture(db, tour, { seats: 1, prices: { adult: 99_900 } });
    await givenPriceRule(db, cheap, { percent: 10 });
    // A rule with a travel window does not apply to a booking without a date.
    const window = { travel_from: daysFromToday(0), travel_to: daysFromToday(90) };
    await givenPriceRule(db, cheap, { percent: 50, ...window });
    const { body, status } = await cheap.book({ tour_id: tour.id, adults: 4 });
    expect(status).toBe(201);
    expect(body).toMatchObject({ departure_date: null, total_price: 3520, adults: 4 });
    expect(body.price_breakdown).toMatchObject({ platform_unit_price: 800, unit_price: 880 });
    expect(await seatsTaken(db, { tour, date })).toBe(0);
    expect((await cheap.book({ tour_id: tour.id, departure_date: date })).body.total_price).toBe(1498.5);
  });
});

describe('a payment window', () => {
  it.each([30, null])(
    'the API computes payment_due_at from a payment window of %j minutes',
    async (minutes) => {
      const { tour, date } = await givenSeats(api.db);
      const acme = await givenWebsite(api, { paymentWindowMinutes: minutes });
      const { body } = await acme.book({ tour_id: tour.id, departure_date: date });
      const { created_at, payment_due_at } = body;
      expect(payment_due_at === null ? null : minutesBetween(created_at, payment_due_at)).toBe(minutes);
    },
  );
});

describe("a booking's event", () => {
  it('a booking stores one pending delivery with exactly the documented bytes', async () => {
    const { db } = api;
    const { tour, date } = await givenSeats(db);
    const { body } = await website.book({ tour_id: tour.id, departure_date: date, adults: 2 });
    const { booking_ref, lead_id } = body;
    const events = await db('webhook_events').where({ booking_ref }).select('id', 'type', 'body');
    expect(events.map(({ type }) => type)).toEqual(['booking.created']);
    expect(events[0].body).toBe(
      JSON.stringify({
        event_type: 'booking.created',
        booking_ref,
        lead_id,
        source: 'tenant_api',
        external_ref: null,
        customer: CUSTOMER,
        departure_date: date,
        total_price: 1000,
      }),
    );
    const deliveries = await db('webhook_deliveries')
      .where({ event_id: events[0].id })
      .select('status', 'endpoint_id');
    expect(deliveries).toEqual([{ status: 'pending', endpointId: null }]);
  });

  it('a refused booking stores no event', async () => {
    const { db } = api;
    const { tour, date } = await givenSeats(db, { seats: 1 });
    const quiet = await givenWebsite(api);
    await quiet.book({ tour_id: tour.id, departure_date: date, adults: 2 });
    await quiet.book({ tour_id: tour.id, departure_date: date, expected_total: 1 });
    await quiet.book({ tour_id: tour.id, departure_date: date, name: '' });
    expect(await db('webhook_events').where({ tenant_id: quiet.tenant.id })).toEqual([]);
  });

  it('the event of a booking without a date has a null date', async () => {
    const { tour } = await givenSeats(api.db);
    const { booking_ref } = (await website.book({ tour_id: tour.id })).body;
    const [event] = await api.db('webhook_events').where({ booking_ref });
    expect(JSON.parse(event.body)).toMatchObject({ departure_date: null, total_price: 500 });
  });
});
