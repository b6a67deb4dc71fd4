import { useTestApi } from '../support/api';
import {
  daysFromToday,
  givenDeparture,
  givenPriceRule,
  givenVisibilityRule,
  type GivenTour,
} from '../support/given';
import { expectInvalidFields, expectProblem } from '../support/responses';
import {
  CUSTOMER,
  endPaymentWindow,
  givenSeats,
  givenWebsite,
  type Seats,
  seatsTaken,
  useWebsite,
} from '../support/website';
import { add } from '../webhook-queue/queue-fixture';

const api = useTestApi();
const website = useWebsite(api, { depositPercent: '20' });
const FAMILY = { adult: 50_000, child: 30_000, single_supplement: 10_000 };

async function givenBooking({ tour, date }: Seats, body: object = {}) {
  const booking = await website.book({ tour_id: tour.id, departure_date: date, adults: 2, ...body });
  expect(booking.status).toBe(201);
  return booking.body;
}

const pathOf = (ref: string) => `/api/tenant/bookings/${ref}`;
const change = (ref: string, body: object, headers?: Record<string, string>) =>
  website.patch(pathOf(ref), body, headers);
const step = (ref: string, name: 'confirm' | 'cancel') => website.post(`${pathOf(ref)}/${name}`);
const read = async (ref: string) => (await website.get(pathOf(ref))).body;

/** Creates another departure of the tour, 31 days from today. */
async function givenOther(tour: GivenTour, departure: object = {}): Promise<Seats> {
  return { tour, date: await givenDeparture(api.db, tour, { date: daysFromToday(31), ...departure }) };
}

const setDeparture = ({ tour, date }: Seats, values: object) =>
  api.db('departures').where({ tour_id: tour.id, departure_date: date }).update(values);
const setPrices = (seats: Seats, prices: object) =>
  setDeparture(seats, { prices_minor: JSON.stringify(prices) });

describe('a change of a booking on its date', () => {
  it('a changed number of adults changes the seats, the total and the deposit, at the booked price', async () => {
    const seats = await givenSeats(api.db, { seats: 4 });
    const booking = await givenBooking(seats);
    await setPrices(seats, { adult: 90_000 });
    const grown = await change(booking.booking_ref, { adults: 4, expected_total: 2_000 });
    expect(grown.status).toBe(200);
    expect(grown.headers['cache-control']).toBe('no-store');
    expect(grown.body).toMatchObject({ adults: 4, total_price: 2_000, deposit_total: 400 });
    expect(grown.body).toMatchObject({ payment_due_at: booking.payment_due_at, customer: CUSTOMER });
    expect(grown.body.price_breakdown).toEqual({
      ...booking.price_breakdown,
      adults: 4,
      categories: [{ category: 'adult', number: 4, unit_price: 500, total: 2_000 }],
    });
    expect(grown.body.updated_at > booking.updated_at).toBe(true);
    const { text } = await website.get(pathOf(booking.booking_ref));
    expect(grown.text).toBe(text.replace(/\}$/, ',"reduction":null}'));
    expect(await seatsTaken(api.db, seats)).toBe(4);
    const shrunk = await change(booking.booking_ref, { adults: 1 });
    expect(shrunk.body).toMatchObject({ adults: 1, total_price: 500, deposit_total: 100 });
    expect(await seatsTaken(api.db, seats)).toBe(1);
  });

  it("a new category has today's price, and the other categories keep theirs", async () => {
    const seats = await givenSeats(api.db, { prices: FAMILY });
    const booking = await givenBooking(seats, { single_supplements: 1 });
    await setPrices(seats, { adult: 90_000, child: 40_000, single_supplement: 20_000 });
    const { body } = await change(booking.booking_ref, { children: 2, single_supplements: 2 });
    expect(body.price_breakdown.categories).toEqual([
      { category: 'adult', number: 2, unit_price: 500, total: 1_000 },
      { category: 'child', number: 2, unit_price: 400, total: 800 },
      { category: 'single_supplement', number: 2, unit_price: 100, total: 200 },
    ]);
    expect(body).toMatchObject({ total_price: 2_000, deposit_total: 400 });
    expect(body.price_breakdown.unit_price).toBe(500);
  });

  it('the API refuses the whole change of a booking when too few seats are free, and names other dates with enough seats', async () => {
    const seats = await givenSeats(api.db, { seats: 3 });
    const other = await givenOther(seats.tour);
    const booking = await givenBooking(seats);
    const refusal = await change(booking.booking_ref, { adults: 4, notes: 'Vegan' });
    expectProblem(refusal, 409, 'insufficient_seats', {
      seats_available: 3,
      alternatives: [{ departure_date: other.date, seats_available: 10 }],
    });
    expect(await read(booking.booking_ref)).toMatchObject({ adults: 2, notes: null });
  });

  it('a booking on a closed or cancelled departure may shrink and change its customer, but not grow', async () => {
    const { db } = api;
    const seats = await givenSeats(db, { prices: FAMILY });
    const { booking_ref } = await givenBooking(seats, { adults: 3, children: 1 });
    await setDeparture(seats, { closes_at: db.fn.now() });
    expectProblem(await change(booking_ref, { adults: 4 }), 409, 'departure_gone');
    expectProblem(await change(booking_ref, { single_supplements: 1 }), 409, 'departure_gone');
    expect((await change(booking_ref, { adults: 2 })).body.adults).toBe(2);
    await setDeparture(seats, { status: 'cancelled' });
    expectProblem(await change(booking_ref, { children: 2 }), 409, 'departure_cancelled');
    expectProblem(await change(booking_ref, { single_supplements: 2 }), 409, 'departure_cancelled');
    // Replaces an adult by a child, so that the booking has more children than before.
    expectProblem(await change(booking_ref, { adults: 1, children: 2 }), 409, 'departure_cancelled');
    const { body } = await change(booking_ref, { adults: 1, name: 'Rui Lima' });
    expect(body).toMatchObject({ adults: 1, children: 1, total_price: 800, customer: { name: 'Rui Lima' } });
  });

  it('a change of a booking adds a single supplement although no seat is free, because a supplement takes no seat', async () => {
    const seats = await givenSeats(api.db, { prices: FAMILY });
    const { booking_ref } = await givenBooking(seats);
    await givenBooking(seats, { adults: 8 });
    expect((await change(booking_ref, { single_supplements: 2 })).body.single_supplements).toBe(2);
  });

  it('a change adds no seat and no category to a booking of a tour that the tenant no longer sees', async () => {
    const seats = await givenSeats(api.db, { prices: FAMILY });
    const { booking_ref } = await givenBooking(seats);
    await givenVisibilityRule(api.db, website, seats.tour, false);
    for (const body of [{ adults: 3 }, { single_supplements: 1 }, { adults: 1, children: 1 }])
      expectProblem(await change(booking_ref, body), 404, 'tour_not_found');
    expect((await change(booking_ref, { adults: 1 })).status).toBe(200);
  });

  it('a refusal shows no dates and no free seats of a tour that the tenant no longer sees', async () => {
    const seats = await givenSeats(api.db);
    await givenOther(seats.tour);
    const dated = await givenBooking(seats);
    const { body: undated } = await website.book({ tour_id: seats.tour.id });
    await givenVisibilityRule(api.db, website, seats.tour, false);
    for (const { booking_ref } of [dated, undated]) {
      const answer = await change(booking_ref, { departure_date: daysFromToday(40) });
      expectProblem(answer, 404, 'tour_not_found');
      expect(answer.body).not.toHaveProperty('alternatives');
    }
  });

  it('the API refuses a change of a booking when the new total is not the expected_total', async () => {
    const seats = await givenSeats(api.db);
    const { booking_ref } = await givenBooking(seats);
    const refusal = await change(booking_ref, { adults: 3, expected_total: 1_499.99 });
    expectProblem(refusal, 409, 'price_changed', { total_price: 1_500, currency: 'EUR' });
    expect(await seatsTaken(api.db, seats)).toBe(2);
  });
});

describe('a change of a booking to another date', () => {
  it("a change to another date moves the seats of a booking in one step, and takes today's price for each category", async () => {
    const seats = await givenSeats(api.db, { seats: 2, prices: FAMILY });
    const other = await givenOther(seats.tour, { seats: 3, prices: { adult: 60_000, child: 20_000 } });
    const booking = await givenBooking(seats);
    await givenPriceRule(api.db, website, { tour_id: seats.tour.id, percent: 10 });
    const moved = await change(booking.booking_ref, { departure_date: other.date, children: 1 });
    expect(moved.body).toMatchObject({
      departure_date: other.date,
      adults: 2,
      children: 1,
      total_price: 1_540,
      deposit_total: 308,
      payment_due_at: booking.payment_due_at,
      price_breakdown: {
        platform_unit_price: 600,
        unit_price: 660,
        deposit_percent: 20,
        rule: { applies_to: 'tour', kind: 'percent', value: 10 },
      },
    });
    expect([await seatsTaken(api.db, seats), await seatsTaken(api.db, other)]).toEqual([0, 3]);
    const back = await change(booking.booking_ref, { departure_date: seats.date, children: 0 });
    expect(back.body).toMatchObject({ departure_date: seats.date, total_price: 1_100, deposit_total: 220 });
    expect([await seatsTaken(api.db, seats), await seatsTaken(api.db, other)]).toEqual([2, 0]);
  });

  it('the API refuses a move when seats or prices are missing, and the booking keeps its seats', async () => {
    const seats = await givenSeats(api.db, { prices: FAMILY });
    const other = await givenOther(seats.tour, { seats: 2 });
    const { booking_ref } = await givenBooking(seats, { children: 1 });
    const move = (date: string, more = {}) => change(booking_ref, { departure_date: date, ...more });
    expectProblem(await move(other.date), 409, 'insufficient_seats', { seats_available: 2 });
    expectProblem(await move(daysFromToday(33)), 409, 'departure_gone');
    expectInvalidFields(await move(other.date, { adults: 1 }), ['children']);
    await setDeparture(other, { status: 'cancelled' });
    expectProblem(await move(other.date, { adults: 1, children: 0 }), 409, 'departure_cancelled');
    expect([await seatsTaken(api.db, seats), await seatsTaken(api.db, other)]).toEqual([3, 0]);
  });

  it('the API moves a booking away from a cancelled departure, and a paid one away from a past departure', async () => {
    const seats = await givenSeats(api.db);
    const other = await givenOther(seats.tour);
    const { booking_ref } = await givenBooking(seats);
    await setDeparture(seats, { status: 'cancelled' });
    expect((await change(booking_ref, { departure_date: other.date })).status).toBe(200);
    await website.post(`/api/tenant/bookings/${booking_ref}/confirm`);
    const past = daysFromToday(-2);
    await setDeparture(other, { departure_date: past });
    await api.db('booking_leads').where({ booking_ref }).update({ departure_date: past });
    const later = await givenOther(seats.tour);
    expect((await change(booking_ref, { departure_date: later.date })).status).toBe(200);
    expect(await seatsTaken(api.db, later)).toBe(2);
  });

  it('a booking without a date takes the seats and the price of the date that it gets', async () => {
    const seats = await givenSeats(api.db, { prices: { ...FAMILY, adult: 60_000 } });
    const { body } = await website.book({ tour_id: seats.tour.id, adults: 2 });
    expect(body).toMatchObject({ departure_date: null, total_price: 1_000 });
    expect((await change(body.booking_ref, { adults: 3 })).body.total_price).toBe(1_500);
    expectInvalidFields(await change(body.booking_ref, { children: 1 }), ['children']);
    const dated = await change(body.booking_ref, { departure_date: seats.date, children: 1 });
    expect(dated.body).toMatchObject({ departure_date: seats.date, total_price: 2_100 });
    expect(await seatsTaken(api.db, seats)).toBe(4);
  });

  it('the API refuses a move or a new category after the currency of the tour has changed', async () => {
    const seats = await givenSeats(api.db, { prices: FAMILY });
    const other = await givenOther(seats.tour);
    const { booking_ref } = await givenBooking(seats);
    await api.db('tours').where({ id: seats.tour.id }).update({ currency: 'USD' });
    expectProblem(await change(booking_ref, { departure_date: other.date }), 409, 'booking_state_conflict');
    expectProblem(await change(booking_ref, { children: 1 }), 409, 'booking_state_conflict');
    expect((await change(booking_ref, { adults: 3 })).body).toMatchObject({
      currency: 'EUR',
      total_price: 1_500,
    });
  });

  it("an unpaid booking counts in the tenant's share of the departure that it moves to", async () => {
    const limited = await givenWebsite(api, { maxHoldShare: 50 });
    const seats = await givenSeats(api.db, { seats: 10 });
    const other = await givenOther(seats.tour, { seats: 8 });
    const order = { tour_id: seats.tour.id, departure_date: seats.date, adults: 5 };
    const { booking_ref } = (await limited.book(order)).body;
    const move = (body: object) => limited.patch(pathOf(booking_ref), body);
    expectProblem(await move({ adults: 6 }), 409, 'hold_limit_reached');
    expectProblem(await move({ departure_date: other.date }), 409, 'hold_limit_reached');
    expect((await move({ departure_date: other.date, adults: 4 })).status).toBe(200);
    expectProblem(await move({ adults: 5 }), 409, 'hold_limit_reached');
    await limited.post(`${pathOf(booking_ref)}/confirm`);
    expect((await move({ adults: 6 })).status).toBe(200);
  });
});

describe('a change of a booking in the sandbox', () => {
  it('a changed booking of the sandbox takes seats of the sandbox only', async () => {
    const tests = await givenWebsite(api, { sandbox: true });
    const seats = await givenSeats(api.db, { seats: 3 });
    const other = await givenOther(seats.tour, { seats: 3 });
    await givenBooking(other, { adults: 3 });
    const order = { tour_id: seats.tour.id, departure_date: seats.date, adults: 2 };
    const { booking_ref } = (await tests.book(order)).body;
    const moved = await tests.patch(pathOf(booking_ref), { departure_date: other.date, adults: 3 });
    expect([moved.status, moved.headers['x-sandbox']]).toEqual([200, 'true']);
    expectProblem(await tests.patch(pathOf(booking_ref), { adults: 4 }), 409, 'insufficient_seats');
    const { hold_id } = (await tests.hold(seats.tour, { departure_date: seats.date, quantity: 1 })).body;
    expect((await tests.patch(`/api/gateway/holds/${hold_id}`, { quantity: 3 })).status).toBe(200);
    expect([await seatsTaken(api.db, seats), await seatsTaken(api.db, other)]).toEqual([0, 3]);
    expect((await givenBooking(seats, { adults: 3 })).adults).toBe(3);
  });
});

describe('a change of a confirmed booking', () => {
  it('a confirmed booking keeps its deposit when its total changes, even when the total becomes smaller', async () => {
    const seats = await givenSeats(api.db);
    const { booking_ref } = await givenBooking(seats, { adults: 8 });
    await step(booking_ref, 'confirm');
    const { body } = await change(booking_ref, { adults: 1 });
    expect(body).toMatchObject({ status: 'confirmed', total_price: 500, deposit_total: 800 });
    const other = await givenOther(seats.tour, { prices: { adult: 70_000 } });
    const moved = await change(booking_ref, { departure_date: other.date });
    expect(moved.body).toMatchObject({ status: 'confirmed', total_price: 700, deposit_total: 800 });
  });
});

describe('a change of the people of a booking', () => {
  it('the API replaces the customer, the notes, the reference and the travellers of a booking', async () => {
    const seats = await givenSeats(api.db);
    const { booking_ref } = await givenBooking(seats, { external_ref: 'cart-1', notes: 'Vegan' });
    const traveller = { category: 'adult', first_name: 'Ana', last_name: 'Lima' };
    const { body } = await change(booking_ref, {
      name: ' Rui Lima ',
      phone: '912 345 678',
      phone_country: 'PT',
      email: 'rui@example.com',
      external_ref: 'cart-2',
      notes: 'Two\r\nlines',
      travellers: [traveller],
    });
    expect(body).toMatchObject({
      customer: { name: 'Rui Lima', phone: expect.stringMatching(/^\+351/), email: 'rui@example.com' },
      external_ref: 'cart-2',
      notes: 'Two\nlines',
      travellers: [{ ...traveller, birth_date: null, note: null }],
    });
    const same = await change(booking_ref, { travellers: body.travellers });
    expect([same.status, same.body.travellers]).toEqual([200, body.travellers]);
    const order = { tour_id: seats.tour.id, travellers: body.travellers };
    expect((await website.book(order)).status).toBe(201);
    const cleared = await change(booking_ref, { external_ref: null, notes: null, travellers: null });
    expect(cleared.body).toMatchObject({ external_ref: null, notes: null, travellers: null });
    expect(cleared.body.customer).toEqual(body.customer);
  });

  it('the API changes the customer on a sold-out departure without taking a seat', async () => {
    const seats = await givenSeats(api.db, { seats: 2 });
    const { booking_ref } = await givenBooking(seats);
    expect(await seatsTaken(api.db, seats)).toBe(2);
    const { status, body } = await change(booking_ref, { name: 'Rui Lima', email: 'rui@example.com' });
    expect([status, body.customer]).toEqual([200, expect.objectContaining({ name: 'Rui Lima' })]);
    expect(await seatsTaken(api.db, seats)).toBe(2);
  });

  it.each([
    [{}, ['body']],
    [{ expected_total: 5 }, ['body']],
    [{ phone_country: 'DE' }, ['phone_country']],
    [{ phone: '030 901820', phone_country: 'XX' }, ['phone_country']],
    ...['name', 'phone', 'email', 'adults', 'children', 'single_supplements', 'departure_date'].map(
      (field): [object, string[]] => [{ [field]: null }, [field]],
    ),
    [{ phone: '030 901820', phone_country: null }, ['phone_country']],
    [{ adults: 1, expected_total: null }, ['expected_total']],
    [{ name: '' }, ['name']],
    [{ departure_date: '2027-02-30', phone: '1' }, ['departure_date', 'phone']],
    [{ notes: 5 }, ['notes']],
    [{ notes: '' }, ['notes']],
    [{ external_ref: 'x'.repeat(129) }, ['external_ref']],
    [{ travellers: {} }, ['travellers']],
    [
      { travellers: [{ category: 'adult', first_name: 'A', last_name: 'L', birth_date: 5 }] },
      ['travellers.0.birth_date'],
    ],
    [{ travellers: [{ category: 'adult', first_name: 'Ana' }] }, ['travellers.0.last_name']],
    [{ travellers: [{ category: 'dog', first_name: 'Rex', last_name: 'L' }] }, ['travellers.0.category']],
    [{ travellers: Array(3).fill({ category: 'adult', first_name: 'Ana', last_name: 'L' }) }, ['travellers']],
    [{ adults: 0 }, ['adults']],
    [{ adults: 30, children: 30 }, ['adults']],
    [{ single_supplements: 3 }, ['single_supplements']],
    [{ adults: 51 }, ['adults']],
  ])('the API refuses to change a booking to %j', async (body, fields) => {
    const seats = await givenSeats(api.db, { prices: FAMILY });
    const { booking_ref } = await givenBooking(seats);
    expectInvalidFields(await change(booking_ref, body), fields);
  });

  it('the API refuses a change of the tour, the hold, the payment method or the status', async () => {
    const { booking_ref } = await givenBooking(await givenSeats(api.db));
    for (const field of ['tour_id', 'hold_id', 'payment_method', 'status'])
      expectInvalidFields(
        await change(booking_ref, { adults: 1, [field]: 'x' }),
        [field],
        'unknown_parameter',
      );
  });

  it('the API refuses fewer adults than the booking has single supplements or travellers', async () => {
    const seats = await givenSeats(api.db, { prices: FAMILY });
    const traveller = (first_name: string) => ({ category: 'adult', first_name, last_name: 'Lima' });
    const travellers = [traveller('Ana'), traveller('Rui')];
    const { booking_ref } = await givenBooking(seats, { single_supplements: 2, travellers });
    expectInvalidFields(await change(booking_ref, { adults: 1 }), ['travellers']);
    const one = [traveller('Rui')];
    expectInvalidFields(await change(booking_ref, { adults: 1, travellers: one }), ['single_supplements']);
    const both = { adults: 1, single_supplements: 1, travellers: one };
    expect((await change(booking_ref, both)).body).toMatchObject({ adults: 1, total_price: 600 });
  });
});

describe('a change of a booking', () => {
  it.each(['cancelled', 'expired'])('the API refuses to change a booking that is %s', async (status) => {
    const seats = await givenSeats(api.db);
    const { booking_ref } = await givenBooking(seats);
    if (status === 'cancelled') await step(booking_ref, 'cancel');
    else await endPaymentWindow(api.db, booking_ref);
    expectProblem(await change(booking_ref, { name: 'Rui Lima' }), 409, 'booking_state_conflict', {
      booking_status: status,
    });
  });

  it('the API answers 404 for a booking of another tenant and for an unknown reference', async () => {
    const { booking_ref } = await givenBooking(await givenSeats(api.db));
    const other = await givenWebsite(api);
    expectProblem(await other.patch(pathOf(booking_ref), { adults: 1 }), 404, 'booking_not_found');
    expectProblem(await change('nonsense', { adults: 1 }), 404, 'booking_not_found');
  });

  it('changing a booking needs the scope booking:manage', async () => {
    const { booking_ref } = await givenBooking(await givenSeats(api.db));
    const seller = await givenWebsite(api, {}, ['booking:create', 'booking:read']);
    expectProblem(await seller.patch(pathOf(booking_ref), { adults: 1 }), 401, 'insufficient_scope');
  });

  it('a repeat of a change with the same Idempotency-Key gets the first answer and changes nothing', async () => {
    const seats = await givenSeats(api.db);
    const { booking_ref } = await givenBooking(seats);
    const key = { 'idempotency-key': `change-${booking_ref}` };
    const first = await change(booking_ref, { adults: 3 }, key);
    await change(booking_ref, { adults: 4 });
    const repeat = await change(booking_ref, { adults: 3 }, key);
    expect([repeat.status, repeat.text]).toEqual([200, first.text]);
    expect(repeat.headers['idempotent-replayed']).toBe('true');
    expect(await seatsTaken(api.db, seats)).toBe(4);
    expectProblem(await change(booking_ref, { adults: 5 }, key), 422, 'idempotency_key_reused');
  });

  it('moving a booking refreshes the availability of both dates', async () => {
    const seats = await givenSeats(api.db);
    const other = await givenOther(seats.tour);
    const { booking_ref } = await givenBooking(seats);
    const free = async ({ tour, date }: Seats) =>
      (await website.get(`/api/gateway/tours/${tour.slug}/availability?departure_date=${date}`)).body
        .seats_available;
    expect([await free(seats), await free(other)]).toEqual([8, 10]);
    await change(booking_ref, { departure_date: other.date });
    expect([await free(seats), await free(other)]).toEqual([10, 8]);
  });

  it('the database records who changed what in a booking, without personal data', async () => {
    const { db } = api;
    const seats = await givenSeats(db);
    const other = await givenOther(seats.tour);
    const { booking_ref, lead_id } = await givenBooking(seats);
    await change(booking_ref, { departure_date: other.date, adults: 3, name: 'Rui Lima', notes: 'Vegan' });
    await change(booking_ref, { adults: 3, name: 'Rui Lima' });
    const changes = await db('booking_changes').where({ lead_id });
    expect(changes).toEqual([
      {
        leadId: lead_id,
        at: expect.any(Date),
        by: expect.stringMatching(/^key /),
        fields: {
          departure_date: [seats.date, other.date],
          adults: [2, 3],
          total_price: [1_000, 1_500],
          deposit_total: [200, 300],
          name: null,
          notes: null,
        },
        refundPercent: null,
        refundMinor: null,
      },
    ]);
  });

  it('a changed booking sends booking.updated once to endpoints that subscribe to it', async () => {
    const { db } = api;
    const seats = await givenSeats(db);
    const asking = await givenWebsite(api);
    await add(db, asking.tenant.id, 'https://acme.example/webhooks', ['booking.updated']);
    const order = { tour_id: seats.tour.id, departure_date: seats.date, external_ref: 'cart-7' };
    const { booking_ref, lead_id } = (await asking.book(order)).body;
    await asking.patch(pathOf(booking_ref), { adults: 2, email: 'rui@example.com' });
    await asking.patch(pathOf(booking_ref), { adults: 2 });
    const events = await db('webhook_events').where({ booking_ref, type: 'booking.updated' });
    expect(events.map(({ body }) => JSON.parse(body))).toEqual([
      {
        event_type: 'booking.updated',
        booking_ref,
        lead_id,
        source: 'tenant_api',
        external_ref: 'cart-7',
        customer: { ...CUSTOMER, email: 'rui@example.com' },
        departure_date: seats.date,
        departure_time: null,
        total_price: 1_000,
        reduction: null,
        updated_at: (await asking.get(pathOf(booking_ref))).body.updated_at,
      },
    ]);
  });
});
