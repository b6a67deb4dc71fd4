import { useTestApi } from '../support/api';
import { givenDeparture, givenKey, givenTenant, givenTour } from '../support/given';

const api = useTestApi();

describe('the main use of the API', () => {
  it('a tenant reads the catalog, checks a date, holds two seats and books them', async () => {
    const { db } = api;
    const tenant = await givenTenant(db, { bookingPrefix: 'ACME' });
    const authorization = `Bearer ${await givenKey(db, tenant)}`;
    const tour = await givenTour(db);
    const date = await givenDeparture(db, tour, { seats: 5 });

    const catalog = await api.http.get('/api/tenant/catalog').set({ authorization });
    expect(catalog.body.items).toHaveLength(1);

    const availability = await api.http
      .get(`/api/gateway/tours/${tour.slug}/availability?departure_date=${date}`)
      .set({ authorization });
    expect(availability.body).toMatchObject({ available: true, seats_available: 5, currency: 'EUR' });

    const hold = await api.http
      .post(`/api/gateway/tours/${tour.slug}/hold`)
      .set({ authorization })
      .send({ departure_date: date, quantity: 2 });
    expect(hold.body).toMatchObject({
      ok: true,
      status: 'active',
      quantity: 2,
      seats_available: 3,
      total_price: 1000,
    });
    expect(hold.status).toBe(201);

    const booking = await api.http.post('/api/tenant/bookings').set({ authorization }).send({
      tour_id: tour.id,
      hold_id: hold.body.hold_id,
      adults: 2,
      name: 'Ana Lima',
      phone: '030 901820',
      email: 'ana@example.com',
    });
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
