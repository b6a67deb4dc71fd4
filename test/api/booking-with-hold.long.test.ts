import { useTestApi } from '../support/api';
import { daysFromToday, givenDeparture, givenPriceRule, givenTour } from '../support/given';
import { untilTransactionWaits } from '../support/lock-wait';
import { expectInvalidFields, expectProblem } from '../support/responses';
import { endHoldIn, givenSeats, givenWebsite, type Seats, seatsTaken, useWebsite } from '../support/website';

const api = useTestApi();
const website = useWebsite(api);

async function holdOf({ tour, date }: Seats, body: object = {}): Promise<string> {
  const hold = await website.hold(tour, { departure_date: date, quantity: 2, ...body });
  expect(hold.status).toBe(201);
  return hold.body.hold_id;
}

const setAdultPrice = ({ tour }: Seats, adult: number) =>
  api.db('departures').where({ tour_id: tour.id }).update({ prices_minor: { adult } });
const statusOf = async (holdId: string) => (await website.get(`/api/gateway/holds/${holdId}`)).body.status;

describe('a booking that names its hold', () => {
  it('a booking by hold_id takes the date of the hold, converts the hold, and counts the seats once', async () => {
    const { db } = api;
    const seats = await givenSeats(db, { seats: 2 });
    const hold_id = await holdOf(seats);
    const order = { tour_id: seats.tour.slug, hold_id: hold_id.toUpperCase(), adults: 2 };
    const booking = await website.book(order);
    expect(booking.status).toBe(201);
    expect(booking.body).toMatchObject({ departure_date: seats.date, adults: 2, total_price: 1000 });
    expect(await statusOf(hold_id)).toBe('converted');
    expect(await seatsTaken(db, seats)).toBe(2);
  });

  it('a booking may repeat the date of its hold', async () => {
    const seats = await givenSeats(api.db);
    const order = { tour_id: seats.tour.id, hold_id: await holdOf(seats), departure_date: seats.date };
    expect((await website.book(order)).status).toBe(201);
  });

  it('a booking for another date or tour than its hold gets 400, and the hold stays active', async () => {
    const { db } = api;
    const seats = await givenSeats(db);
    const other = await givenSeats(db);
    const otherDate = await givenDeparture(db, seats.tour, { date: daysFromToday(31) });
    const hold_id = await holdOf(seats);
    const otherDay = { tour_id: seats.tour.id, hold_id, departure_date: otherDate };
    expectInvalidFields(await website.book(otherDay), ['departure_date']);
    expectInvalidFields(await website.book({ tour_id: other.tour.id, hold_id }), ['tour_id']);
    expect(await statusOf(hold_id)).toBe('active');
  });

  it.each(['01234567-89ab-4cde-8f01-23456789abcd', 'nonsense'])(
    'a booking with the hold id %s, which names no hold, gets 404',
    async (hold_id) => {
      const { tour } = await givenSeats(api.db);
      expectProblem(await website.book({ tour_id: tour.id, hold_id }), 404, 'hold_not_found');
    },
  );

  it('a booking of a released, converted or expired hold gets 409', async () => {
    const { db } = api;
    const seats = await givenSeats(db);
    const book = (hold_id: string) => website.book({ tour_id: seats.tour.id, hold_id });

    const released = await holdOf(seats);
    await website.delete(`/api/gateway/holds/${released}`);
    expectProblem(await book(released), 409, 'hold_state_conflict', { hold_status: 'released' });

    const converted = await holdOf(seats);
    await book(converted);
    expectProblem(await book(converted), 409, 'hold_state_conflict', { hold_status: 'converted' });

    const expired = await holdOf(seats);
    await endHoldIn(db, expired, -1);
    expectProblem(await book(expired), 409, 'hold_expired');
    expect(await seatsTaken(db, seats)).toBe(1);
  });

  it('a booking for more adults than its hold needs free seats for the additional adults', async () => {
    const { db } = api;
    const seats = await givenSeats(db, { seats: 5 });
    const hold_id = await holdOf(seats);
    await website.hold(seats.tour, { departure_date: seats.date, quantity: 1 });
    const book = (adults: number) => website.book({ tour_id: seats.tour.id, hold_id, adults });
    expectProblem(await book(5), 409, 'insufficient_seats', { seats_available: 4 });
    expect([await statusOf(hold_id), await seatsTaken(db, seats)]).toEqual(['active', 3]);
    expect((await book(4)).status).toBe(201);
    expect([await statusOf(hold_id), await seatsTaken(db, seats)]).toEqual(['converted', 5]);
  });

  it('a booking for fewer adults than its hold frees the seats that it does not need', async () => {
    const { db } = api;
    const seats = await givenSeats(db);
    const hold_id = await holdOf(seats, { quantity: 6 });
    expect((await website.book({ tour_id: seats.tour.id, hold_id })).body.adults).toBe(1);
    expect(await seatsTaken(db, seats)).toBe(1);
  });

  it('a booking is refused when the departure of its hold was cancelled, and the hold stays active', async () => {
    const { db } = api;
    const seats = await givenSeats(db);
    const hold_id = await holdOf(seats);
    await db('departures').where({ tour_id: seats.tour.id }).update({ status: 'cancelled' });
    expectProblem(await website.book({ tour_id: seats.tour.id, hold_id }), 409, 'departure_cancelled');
    expect(await statusOf(hold_id)).toBe('active');
  });
});

describe('the locked price of a hold', () => {
  it("the price of a hold applies to all adults of its booking after the tour's price changed", async () => {
    const { db } = api;
    const acme = await givenWebsite(api);
    const seats = await givenSeats(db);
    const hold = await acme.hold(seats.tour, { departure_date: seats.date, quantity: 2 });
    await givenPriceRule(db, acme, { percent: 25 });
    await setAdultPrice(seats, 70_000);

    const path = `/api/gateway/holds/${hold.body.hold_id}`;
    expect((await acme.get(path)).body).toMatchObject({ unit_price: 500, total_price: 1000 });
    const extended = await acme.post(`${path}/extend`, { hold_minutes: 30 });
    expect(extended.body).toMatchObject({ unit_price: 500, total_price: 1000 });

    const order = { tour_id: seats.tour.id, hold_id: hold.body.hold_id, adults: 3 };
    const shown = await acme.book({ ...order, expected_total: 2625 });
    expectProblem(shown, 409, 'price_changed', { total_price: 1500, currency: 'EUR' });
    const booking = await acme.book({ ...order, expected_total: 1500 });
    expect(booking.body).toMatchObject({ total_price: 1500, deposit_total: 300 });
    expect(booking.body.price_breakdown).toMatchObject({
      platform_unit_price: 500,
      unit_price: 500,
      rule: null,
    });
    const later = await acme.book({ tour_id: seats.tour.id, departure_date: seats.date });
    expect(later.body.total_price).toBe(875);
  });

  it("the price of a hold stays in its currency after the tour's currency changed", async () => {
    const { db } = api;
    const seats = await givenSeats(db);
    const hold_id = await holdOf(seats);
    await db('tours').where({ id: seats.tour.id }).update({ currency: 'JPY', currency_digits: 0 });
    const booking = await website.book({ tour_id: seats.tour.id, hold_id, adults: 2, expected_total: 1000 });
    expect(booking.body).toMatchObject({ currency: 'EUR', total_price: 1000, deposit_total: 200 });
  });
});

describe('a booking with the reference of a hold', () => {
  const ref = { external_ref: 'cart-81' };

  it('a booking consumes the only live hold with the same reference and departure', async () => {
    const { db } = api;
    const seats = await givenSeats(db, { seats: 2 });
    const hold_id = await holdOf(seats, ref);
    const { tour, date: departure_date } = seats;
    const booking = await website.book({ tour_id: tour.id, departure_date, adults: 2, ...ref });
    expect([booking.status, booking.body.external_ref]).toEqual([201, 'cart-81']);
    expect([await statusOf(hold_id), await seatsTaken(db, seats)]).toEqual(['converted', 2]);
  });

  it('a booking consumes no hold when two live holds have its reference', async () => {
    const { db } = api;
    const seats = await givenSeats(db);
    const holds = [await holdOf(seats, ref), await holdOf(seats, ref)];
    await website.book({ tour_id: seats.tour.id, departure_date: seats.date, ...ref });
    expect(await Promise.all(holds.map(statusOf))).toEqual(['active', 'active']);
    expect(await seatsTaken(db, seats)).toBe(5);
  });

  it('a booking consumes no hold that has ended or has another date or another reference', async () => {
    const { db } = api;
    const tour = await givenTour(db);
    const date = await givenDeparture(db, tour);
    const otherDate = await givenDeparture(db, tour, { date: daysFromToday(31) });
    const expired = await holdOf({ tour, date }, ref);
    await endHoldIn(db, expired, -1);
    const living = [
      await holdOf({ tour, date: otherDate }, ref),
      await holdOf({ tour, date }, { external_ref: 'CART-81' }),
      await holdOf({ tour, date }),
    ];
    await website.book({ tour_id: tour.id, departure_date: date, ...ref });
    await website.book({ tour_id: tour.id, departure_date: date });
    await website.book({ tour_id: tour.id });
    expect(await Promise.all(living.map(statusOf))).toEqual(['active', 'active', 'active']);
    expect(await seatsTaken(db, { tour, date })).toBe(6);
  });

  it('a booking ignores an expired hold with its reference and consumes the live one', async () => {
    const { db } = api;
    const seats = await givenSeats(db);
    await endHoldIn(db, await holdOf(seats, ref), -1);
    const living = await holdOf(seats, ref);
    await website.book({ tour_id: seats.tour.id, departure_date: seats.date, adults: 2, ...ref });
    expect([await statusOf(living), await seatsTaken(db, seats)]).toEqual(['converted', 2]);
  });

  it('a booking consumes the hold that it names, and no other hold with its reference', async () => {
    const seats = await givenSeats(api.db);
    const named = await holdOf(seats);
    const other = await holdOf(seats, ref);
    await website.book({ tour_id: seats.tour.id, hold_id: named, ...ref });
    expect([await statusOf(named), await statusOf(other)]).toEqual(['converted', 'active']);
  });

  it('two bookings may have the same reference', async () => {
    const { tour, date } = await givenSeats(api.db);
    const order = { tour_id: tour.id, departure_date: date, ...ref };
    const [first, second] = [await website.book(order), await website.book(order)];
    expect(second.status).toBe(201);
    expect(second.body.lead_id).not.toBe(first.body.lead_id);
  });
});

describe('a booking without a date, with the reference of a hold', () => {
  const ref = { external_ref: 'cart-82' };
  const bookingsOf = async ({ tour }: Seats) =>
    (await api.db('booking_leads').where({ tour_id: tour.id })).length;

  it('a booking without a date takes the date, seats and price of the only live hold with its reference', async () => {
    const { db } = api;
    const seats = await givenSeats(db, { seats: 2 });
    await holdOf(await givenSeats(db), ref);
    await endHoldIn(db, await holdOf(seats, { ...ref, quantity: 1 }), -1);
    const hold_id = await holdOf(seats, ref);
    await setAdultPrice(seats, 70_000);
    const booking = await website.book({ tour_id: seats.tour.slug, adults: 2, ...ref });
    expect(booking.status).toBe(201);
    expect(booking.body).toMatchObject({ departure_date: seats.date, total_price: 1000, ...ref });
    expect([await statusOf(hold_id), await seatsTaken(db, seats)]).toEqual(['converted', 2]);
  });

  it('a booking without a date gets 409 hold_expired and inserts no lead when only ended holds have the reference', async () => {
    const { db } = api;
    const seats = await givenSeats(db);
    await endHoldIn(db, await holdOf(seats, ref), -1);
    const released = await holdOf(seats, ref);
    await website.delete(`/api/gateway/holds/${released}`);
    expectProblem(await website.book({ tour_id: seats.tour.id, ...ref }), 409, 'hold_expired');
    expect([await bookingsOf(seats), await seatsTaken(db, seats)]).toEqual([0, 0]);
  });

  it('a repeat with the Idempotency-Key gets the first answer after the hold was converted', async () => {
    const seats = await givenSeats(api.db);
    await holdOf(seats, ref);
    const book = () =>
      website.book({ tour_id: seats.tour.id, ...ref }, { 'idempotency-key': `${seats.tour.slug}-book` });
    const [first, again] = [await book(), await book()];
    expect([first.status, again.status, again.text]).toEqual([201, 201, first.text]);
    expect(again.headers['idempotent-replayed']).toBe('true');
    expectProblem(await website.book({ tour_id: seats.tour.id, ...ref }), 409, 'hold_expired');
  });

  it('a booking without a date takes no seats when its reference matches only foreign holds', async () => {
    const { db } = api;
    const seats = await givenSeats(db);
    await holdOf(await givenSeats(db), ref);
    const stranger = await givenWebsite(api);
    const { hold_id } = (await stranger.hold(seats.tour, { departure_date: seats.date, quantity: 1, ...ref }))
      .body;
    const booking = await website.book({ tour_id: seats.tour.id, ...ref });
    expect([booking.status, booking.body.departure_date]).toEqual([201, null]);
    expect((await stranger.get(`/api/gateway/holds/${hold_id}`)).body.status).toBe('active');
  });

  it('a booking without a date gets 409 hold_state_conflict when two live holds of the tour have the reference', async () => {
    const seats = await givenSeats(api.db);
    const otherDate = await givenDeparture(api.db, seats.tour, { date: daysFromToday(31) });
    const holds = [await holdOf(seats, ref), await holdOf({ ...seats, date: otherDate }, ref)];
    const booking = await website.book({ tour_id: seats.tour.id, ...ref });
    expectProblem(booking, 409, 'hold_state_conflict');
    expect(booking.body.detail).toContain('Send the hold_id, or departure_date, and departure_time if');
    expect(await Promise.all(holds.map(statusOf))).toEqual(['active', 'active']);
  });

  it('a booking without a date gets 409 hold_expired when the hold ends while the booking waits for the departure', async () => {
    const { db } = api;
    const seats = await givenSeats(db);
    const hold_id = await holdOf(seats, ref);
    const trx = await db.transaction();
    await trx('departures').where({ tour_id: seats.tour.id }).forUpdate().select('id');
    const booking = website.book({ tour_id: seats.tour.id, ...ref });
    await untilTransactionWaits(db);
    await trx('seat_holds').where({ id: hold_id }).update({ status: 'released' });
    await trx.commit();
    expectProblem(await booking, 409, 'hold_expired');
    expect([await bookingsOf(seats), await seatsTaken(db, seats)]).toEqual([0, 0]);
  });
});

describe('the reference of a booking with a hold', () => {
  it('the answer and the event of a booking without a reference contain the reference of its hold', async () => {
    const { db } = api;
    const seats = await givenSeats(db);
    const hold_id = await holdOf(seats, { external_ref: 'cart-83' });
    const { body } = await website.book({ tour_id: seats.tour.id, hold_id });
    expect(body.external_ref).toBe('cart-83');
    const found = await website.get('/api/tenant/bookings?external_ref=cart-83');
    expect(found.body.items).toMatchObject([{ booking_ref: body.booking_ref }]);
    const event = await db('webhook_events').where({ booking_ref: body.booking_ref }).first();
    expect(JSON.parse(event.body)).toMatchObject({ external_ref: 'cart-83' });
  });

  it('a booking keeps the reference that it sends when its hold has another reference', async () => {
    const seats = await givenSeats(api.db);
    const named = await holdOf(seats, { external_ref: 'cart-84' });
    const own = await website.book({ tour_id: seats.tour.id, hold_id: named, external_ref: 'order-84' });
    expect(own.body.external_ref).toBe('order-84');
  });

  it('a booking has no reference when neither the request nor the hold has one', async () => {
    const seats = await givenSeats(api.db);
    const bare = await website.book({ tour_id: seats.tour.id, hold_id: await holdOf(seats) });
    expect(bare.body.external_ref).toBeNull();
  });
});
