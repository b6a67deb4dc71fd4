import { useTestApi } from '../support/api';
import { expectProblem } from '../support/responses';
import { endPaymentWindow, givenSeats, givenWebsite, seatsTaken, useWebsite } from '../support/website';
import { sweepExpiredSeats } from '../../services/api/departures/free-expired-seats';

const api = useTestApi();
const website = useWebsite(api);

const read = async (ref: string) => (await website.get(`/api/tenant/bookings/${ref}`)).body;

const raise = (error: unknown): never => {
  throw error;
};

describe('a booking that is not paid in time', () => {
  it('is expired and frees its seats at that instant, without the sweeper', async () => {
    const { db } = api;
    const seats = await givenSeats(db, { seats: 2 });
    const order = { tour_id: seats.tour.id, departure_date: seats.date, adults: 2 };
    const { body } = await website.book(order);
    expectProblem(await website.book(order), 409, 'insufficient_seats', { seats_available: 0 });
    await endPaymentWindow(db, body.booking_ref);
    expect((await read(body.booking_ref)).status).toBe('expired');
    expect(await seatsTaken(db, seats)).toBe(0);
    expect((await website.book(order)).status).toBe(201);
    expect((await read(body.booking_ref)).status).toBe('expired');
  });

  it('does not exist for a tenant without a payment window', async () => {
    const { db } = api;
    const patient = await givenWebsite(api, { paymentWindowMinutes: null });
    const { tour, date } = await givenSeats(db);
    const { body } = await patient.book({ tour_id: tour.id, departure_date: date });
    await db('booking_leads').where({ booking_ref: body.booking_ref }).update({ created_at: '2020-01-01' });
    await sweepExpiredSeats(db, raise);
    expect((await patient.get(`/api/tenant/bookings/${body.booking_ref}`)).body.status).toBe(
      'pending_payment',
    );
  });

  it('sends one event to an endpoint that subscribes to it, whichever process marks it first', async () => {
    const { db } = api;
    const acme = await givenWebsite(api);
    const events = ['booking.expired', 'hold.expired'];
    await db('webhook_endpoints').insert({
      tenant_id: acme.tenant.id,
      url: 'https://acme.example/hook',
      events,
    });
    const { tour, date } = await givenSeats(db, { seats: 1 });
    const order = { tour_id: tour.id, departure_date: date };
    const swept = (await acme.book({ tour_id: tour.id })).body.booking_ref;
    const resold = (await acme.book(order)).body.booking_ref;
    await endPaymentWindow(db, swept);
    await endPaymentWindow(db, resold);
    await website.book(order);
    await sweepExpiredSeats(db, raise);
    await sweepExpiredSeats(db, raise);
    const types = await db('webhook_events')
      .where({ tenant_id: acme.tenant.id, type: 'booking.expired' })
      .pluck('booking_ref');
    expect(types.sort()).toEqual([swept, resold].sort());
    expect(await db('booking_leads').where({ booking_ref: swept }).first('status')).toEqual({
      status: 'expired',
    });
  });
});
