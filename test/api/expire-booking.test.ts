import { useTestApi } from '../support/api';
import { expectProblem } from '../support/responses';
import { sweep } from '../support/sweep';
import { endPaymentWindow, givenSeats, givenWebsite, seatsTaken, useWebsite } from '../support/website';
import { add } from '../webhook-queue/queue-fixture';

const api = useTestApi();
const website = useWebsite(api);

const read = async (ref: string) => (await website.get(`/api/tenant/bookings/${ref}`)).body;

describe('a booking that is not paid in time', () => {
  it('an unpaid booking expires and frees its seats when payment is due, without the sweeper', async () => {
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

  it('a booking of a tenant without a payment window never expires', async () => {
    const { db } = api;
    const patient = await givenWebsite(api, { paymentWindowMinutes: null });
    const { tour, date } = await givenSeats(db);
    const { body } = await patient.book({ tour_id: tour.id, departure_date: date });
    await db('booking_leads').where({ booking_ref: body.booking_ref }).update({ created_at: '2020-01-01' });
    await sweep(db);
    expect((await patient.get(`/api/tenant/bookings/${body.booking_ref}`)).body.status).toBe(
      'pending_payment',
    );
  });

  it('an expired booking sends one event, whether a sale or the sweeper marks it first', async () => {
    const { db } = api;
    const acme = await givenWebsite(api);
    await add(db, acme.tenant.id, 'https://acme.example/hook', ['booking.expired', 'hold.expired']);
    const { tour, date } = await givenSeats(db, { seats: 1 });
    const order = { tour_id: tour.id, departure_date: date };
    const swept = (await acme.book({ tour_id: tour.id })).body.booking_ref;
    const resold = (await acme.book(order)).body.booking_ref;
    await endPaymentWindow(db, swept);
    await endPaymentWindow(db, resold);
    await website.book(order);
    await sweep(db);
    await sweep(db);
    const refs = await db('webhook_events')
      .where({ tenant_id: acme.tenant.id, type: 'booking.expired' })
      .pluck('booking_ref');
    expect(refs.sort()).toEqual([swept, resold].sort());
    const lead = await db('booking_leads').where({ booking_ref: swept }).first('status');
    expect(lead).toEqual({ status: 'expired' });
  });
});
