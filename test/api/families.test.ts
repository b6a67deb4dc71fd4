import { useTestApi } from '../support/api';
import { givenPriceRule } from '../support/given';
import { expectInvalidFields, expectProblem } from '../support/responses';
import { givenSeats, givenWebsite, seatsTaken, useWebsite } from '../support/website';

const api = useTestApi();
const website = useWebsite(api);

/** In minor units: 500, 311.50 and 120 EUR. */
const PRICES = { adult: 50_000, child: 31_150, single_supplement: 12_000 };
const givenFamilySeats = (seats = 10) => givenSeats(api.db, { seats, prices: PRICES });
const RUI = { category: 'child', first_name: 'Rui', last_name: 'Lima', birth_date: '2019-05-04' };

describe('a booking of a family', () => {
  it('a booking pays the price of each category and takes a seat for each traveller', async () => {
    const seats = await givenFamilySeats();
    const { status, body } = await website.book({
      tour_id: seats.tour.slug,
      departure_date: seats.date,
      expected_total: 1_431.5,
      adults: 2,
      children: 1,
      single_supplements: 1,
    });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      adults: 2,
      children: 1,
      single_supplements: 1,
      total_price: 1_431.5,
      deposit_total: 286.3,
      price_breakdown: {
        adults: 2,
        children: 1,
        single_supplements: 1,
        unit_price: 500,
        categories: [
          { category: 'adult', number: 2, unit_price: 500, total: 1000 },
          { category: 'child', number: 1, unit_price: 311.5, total: 311.5 },
          { category: 'single_supplement', number: 1, unit_price: 120, total: 120 },
        ],
      },
    });
    expect(await seatsTaken(api.db, seats)).toBe(3);
  });

  it("a booking pays the tenant's price of each category", async () => {
    const acme = await givenWebsite(api);
    await givenPriceRule(api.db, acme, { percent: 10 });
    const { tour, date } = await givenFamilySeats();
    const { body } = await acme.book({ tour_id: tour.id, departure_date: date, adults: 1, children: 2 });
    expect(body.total_price).toBe(550 + 2 * 342.65);
  });

  it('a booking may have children without an adult', async () => {
    const seats = await givenFamilySeats();
    const order = { tour_id: seats.tour.id, departure_date: seats.date, adults: 0 };
    const { body } = await website.book({ ...order, children: 2 });
    expect(body).toMatchObject({ adults: 0, children: 2, total_price: 623 });
    expectInvalidFields(await website.book(order), ['adults']);
    expect(await seatsTaken(api.db, seats)).toBe(2);
  });

  it.each([
    ['more than 50 travellers', { adults: 30, children: 21 }, 'children'],
    [
      'more single supplements than adults',
      { adults: 1, children: 1, single_supplements: 2 },
      'single_supplements',
    ],
    ['a negative number', { children: -1 }, 'children'],
    ['half a child', { children: 0.5 }, 'children'],
  ])('the API refuses a booking with %s', async (_what, party, field) => {
    const { tour, date } = await givenFamilySeats(60);
    expectInvalidFields(await website.book({ tour_id: tour.id, departure_date: date, ...party }), [field]);
  });

  it('the API refuses a category without a price with 400, after it has checked the free seats', async () => {
    const seats = await givenSeats(api.db, { seats: 2 });
    const order = { tour_id: seats.tour.id, departure_date: seats.date };
    expectInvalidFields(await website.book({ ...order, children: 1 }), ['children']);
    expectInvalidFields(await website.book({ ...order, single_supplements: 1 }), ['single_supplements']);
    expectProblem(await website.book({ ...order, adults: 2, children: 1 }), 409, 'insufficient_seats');
    expectInvalidFields(await website.book({ tour_id: seats.tour.id, children: 1 }), ['children']);
    expect(await seatsTaken(api.db, seats)).toBe(0);
  });

  it('concurrent bookings with children never take more seats than there are', async () => {
    const seats = await givenFamilySeats(10);
    const order = { tour_id: seats.tour.id, departure_date: seats.date, adults: 1, children: 2 };
    const answers = await Promise.all(Array.from({ length: 8 }, () => website.book(order)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(3);
    expect(await seatsTaken(api.db, seats)).toBe(9);
  });
});

describe('travellers of a booking', () => {
  it('GET shows the travellers of a booking, but the answer to its creation does not', async () => {
    const { tour, date } = await givenFamilySeats();
    const travellers = [{ ...RUI, note: 'Vegetarian' }];
    const booking = await website.book({ tour_id: tour.id, departure_date: date, children: 1, travellers });
    expect(booking.body).not.toHaveProperty('travellers');
    const { body } = await website.get(`/api/tenant/bookings/${booking.body.booking_ref}`);
    expect(body.travellers).toEqual(travellers);
    const stored = JSON.stringify([{ ...travellers[0], passport: 'of a later release' }]);
    await api.db('booking_leads').where({ id: booking.body.lead_id }).update({ travellers: stored });
    const { body: later } = await website.get(`/api/tenant/bookings/${booking.body.booking_ref}`);
    expect(later.travellers).toEqual(travellers);
  });

  it('GET writes the fields of a traveller in the documented order', async () => {
    const { tour, date } = await givenFamilySeats();
    const travellers = [{ ...RUI, note: 'Vegetarian' }];
    const booking = await website.book({ tour_id: tour.id, departure_date: date, children: 1, travellers });
    const { body } = await website.get(`/api/tenant/bookings/${booking.body.booking_ref}`);
    const fields = ['category', 'first_name', 'last_name', 'birth_date', 'note'];
    expect(Object.keys(body.travellers[0])).toEqual(fields);
  });

  it.each([
    ['more of a category than booked', [RUI, RUI], 'travellers'],
    ['an unknown category', [{ ...RUI, category: 'infant' }], 'travellers.0.category'],
    ['a day that does not exist', [{ ...RUI, birth_date: '2019-02-31' }], 'travellers.0.birth_date'],
    ['a missing name', [{ category: 'child', first_name: 'Rui' }], 'travellers.0.last_name'],
    ['an empty name', [{ ...RUI, first_name: ' ' }], 'travellers.0.first_name'],
  ])('the API refuses travellers with %s', async (_what, travellers, field) => {
    const { tour, date } = await givenFamilySeats();
    const order = { tour_id: tour.id, departure_date: date, children: 1, travellers };
    expectInvalidFields(await website.book(order), [field]);
  });
});

describe('a hold of a family', () => {
  it('a hold for adults and children locks the price of every category', async () => {
    const { tour, date } = await givenFamilySeats();
    const { body } = await website.hold(tour, { departure_date: date, quantity: 3, children: 1 });
    expect(body).toMatchObject({
      quantity: 3,
      adults: 2,
      children: 1,
      unit_price: 500,
      total_price: 1_311.5,
      prices: { adult: 500, child: 311.5, single_supplement: 120 },
    });
    const read = await website.get(`/api/gateway/holds/${body.hold_id}`);
    expect(read.body).toEqual(body);
  });

  it.each([
    [{ quantity: 3, adults: 2 }],
    [{ quantity: 3, adults: 3, children: 1 }],
    [{ quantity: 1, children: 2 }],
  ])(
    'the API refuses a hold of %j, whose quantity is not the number of its adults and children',
    async (party) => {
      const { tour, date } = await givenFamilySeats();
      expectInvalidFields(await website.hold(tour, { departure_date: date, ...party }), ['quantity']);
    },
  );

  it('the API refuses a hold of children without a price with 400, after it has checked the free seats', async () => {
    const { tour, date } = await givenSeats(api.db, { seats: 2 });
    const hold = (quantity: number) => website.hold(tour, { departure_date: date, quantity, children: 1 });
    expectInvalidFields(await hold(2), ['children']);
    expectProblem(await hold(3), 409, 'insufficient_seats');
  });

  it('a booking with more travellers than its hold pays the prices of the hold for all of them', async () => {
    const seats = await givenFamilySeats();
    const { tour, date } = seats;
    const { body: hold } = await website.hold(tour, { departure_date: date, quantity: 2, children: 1 });
    await api
      .db('departures')
      .where({ tour_id: tour.id })
      .update({ prices_minor: { adult: 99_900 } });
    const order = { tour_id: tour.id, hold_id: hold.hold_id, adults: 2, children: 2, single_supplements: 1 };
    const { body } = await website.book(order);
    expect(body.total_price).toBe(2 * 500 + 2 * 311.5 + 120);
    expect(await seatsTaken(api.db, seats)).toBe(4);
  });

  it('a booking cannot add a category whose price its hold did not lock', async () => {
    const { tour, date } = await givenSeats(api.db);
    const { body: hold } = await website.hold(tour, { departure_date: date, quantity: 2 });
    await api.db('departures').where({ tour_id: tour.id }).update({ prices_minor: PRICES });
    const order = { tour_id: tour.id, hold_id: hold.hold_id, children: 1 };
    expectInvalidFields(await website.book(order), ['children']);
  });
});
