import { useTestApi } from '../support/api';
import { givenSeats, givenWebsite } from '../support/website';

const api = useTestApi();

describe('the main use of the API', () => {
  it('a tenant reads the catalog, checks a date, holds two seats and books them', async () => {
    const { db } = api;
    const website = await givenWebsite(api, { bookingPrefix: 'ACME' });
    const { tour, date } = await givenSeats(db, { seats: 5 });

    const catalog = await website.get('/api/tenant/catalog');
    expect(catalog.body.items).toHaveLength(1);

    const path = `/api/gateway/tours/${tour.slug}/availability?departure_date=${date}`;
    const availability = await website.get(path);
    expect(availability.body).toMatchObject({ available: true, seats_available: 5, currency: 'EUR' });

    const hold = await website.hold(tour, { departure_date: date, quantity: 2 });
    expect(hold.body).toMatchObject({
      ok: true,
      status: 'active',
      quantity: 2,
      seats_available: 3,
      total_price: 1000,
    });
    expect(hold.status).toBe(201);

    const { hold_id } = hold.body;
    const booking = await website.book({ tour_id: tour.id, hold_id, adults: 2, phone: '030 901820' });
    expect(booking.body).toMatchObject({
      ok: true,
      status: 'pending_payment',
      total_price: 1000,
      deposit_total: 200,
    });
    expect(booking.body.booking_ref).toMatch(/^ACME-\d+$/);
    expect(booking.status).toBe(201);

    const deliveries = await db('webhook_deliveries').count('* as n').first();
    expect(Number(deliveries!.n)).toBe(1);
  });
});
