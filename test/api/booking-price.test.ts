import { useTestApi } from '../support/api';
import { givenDeparture, givenTour } from '../support/given';
import { expectInvalidFields, expectProblem } from '../support/responses';
import { givenSeats, givenWebsite, seatsTaken, useWebsite } from '../support/website';

const api = useTestApi();
const website = useWebsite(api);

describe('expected_total', () => {
  it('the API accepts an expected_total that equals the total, despite the rounding errors of floating-point sums', async () => {
    const { tour, date } = await givenSeats(api.db, { prices: { adult: 1_999 } });
    const order = { tour_id: tour.id, departure_date: date, adults: 3 };
    for (const expected_total of [59.97, 19.99 * 3, 19.99 + 19.99 + 19.99]) {
      expect((await website.book({ ...order, expected_total })).body.total_price).toBe(59.97);
    }
  });

  it('the API accepts each total that it shows as expected_total, also of the highest prices', async () => {
    // In floats, 299999999700.6 * 100 is not 29999999970060.
    const { tour, date } = await givenSeats(api.db, { seats: 100, prices: { adult: 999_999_999_002 } });
    const order = { tour_id: tour.id, departure_date: date, adults: 30 };
    const { body } = await website.book(order);
    expect(body.total_price).toBe(299_999_999_700.6);
    const again = await website.book({ ...order, expected_total: body.total_price });
    expect([again.status, again.body.total_price]).toEqual([201, 299_999_999_700.6]);
    const refusal = await website.book({ ...order, expected_total: 299_999_999_700.61 });
    expectProblem(refusal, 409, 'price_changed', { total_price: 299_999_999_700.6 });
  });

  it.each([59.96, 59.974, 59.98, 0, 5997, -59.97, 1e300])(
    'the API refuses the expected_total %j for a total of 59.97 and books nothing',
    async (expected) => {
      const seats = await givenSeats(api.db, { prices: { adult: 1_999 } });
      const order = { tour_id: seats.tour.id, departure_date: seats.date, adults: 3 };
      const refusal = await website.book({ ...order, expected_total: expected });
      expectProblem(refusal, 409, 'price_changed', { total_price: 59.97, currency: 'EUR' });
      expect(await seatsTaken(api.db, seats)).toBe(0);
    },
  );
});

describe('a deposit', () => {
  it.each([
    ['20 % of 1.01', { depositPercent: '20' }, 101, 0.2],
    ['12.5 % of 0.12, half up', { depositPercent: '12.5' }, 12, 0.02],
    ['33.33 % of 999.99', { depositPercent: '33.33' }, 99_999, 333.3],
    ['nothing at 0 %', { depositPercent: '0' }, 99_999, 0],
    ['the whole total at 100 %', { depositPercent: '100' }, 99_999, 999.99],
  ])('the deposit of a booking is %s', async (_what, tenant, adult, deposit) => {
    const { tour, date } = await givenSeats(api.db, { prices: { adult } });
    const acme = await givenWebsite(api, tenant);
    const booking = await acme.book({ tour_id: tour.id, departure_date: date });
    expect(booking.body.deposit_total).toBe(deposit);
  });

  it("the payment method reserve has no deposit, whether a request or the tenant's default chooses it", async () => {
    const { tour, date } = await givenSeats(api.db);
    const order = { tour_id: tour.id, departure_date: date };
    const reserving = await givenWebsite(api, { paymentMethod: 'reserve' });
    const asked = await website.book({ ...order, payment_method: 'reserve' });
    expect(asked.body).toMatchObject({ payment_method: 'reserve', deposit_total: 0, total_price: 500 });
    expect((await reserving.book(order)).body).toMatchObject({ payment_method: 'reserve', deposit_total: 0 });
    const card = await reserving.book({ ...order, payment_method: 'card' });
    expect(card.body).toMatchObject({ payment_method: 'card', deposit_total: 100 });
    expectInvalidFields(await website.book({ ...order, payment_method: 'cash' }), ['payment_method']);
  });

  it.each([
    ['JPY', 12_345, 24_690, 4_938],
    ['KWD', 12_345, 24.69, 4.938],
    ['EUR', 12_345, 246.9, 49.38],
  ])('the deposit and the total have the decimals of %s', async (currency, adult, total, deposit) => {
    const { db } = api;
    const tour = await givenTour(db, { currency });
    const date = await givenDeparture(db, tour, { prices: { adult } });
    const order = { tour_id: tour.id, departure_date: date, adults: 2, expected_total: total };
    const booking = await website.book(order);
    expect(booking.body).toMatchObject({ currency, total_price: total, deposit_total: deposit });
  });
});
