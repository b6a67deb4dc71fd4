import { useTestApi } from '../support/api';
import {
  daysFromToday,
  givenDeparture,
  givenTour,
  type GivenTour,
  givenVisibilityRule,
  todayIn,
} from '../support/given';
import { expectInvalidFields, expectProblem } from '../support/responses';
import { useWebsite } from '../support/website';

const api = useTestApi();
const website = useWebsite(api);

const DATE = daysFromToday(30);
let tour: GivenTour;

beforeEach(async () => {
  tour = await givenTour(api.db);
  await givenDeparture(api.db, tour, { date: DATE, startTime: '14:30', seats: 5, prices: { adult: 60_000 } });
  await givenDeparture(api.db, tour, { date: DATE, startTime: '09:30', seats: 8, prices: { adult: 50_000 } });
});

const availability = (query: Record<string, string> = {}) =>
  website.get(`/api/gateway/tours/${tour.slug}/availability`).query({ departure_date: DATE, ...query });
const hold = (body: Record<string, unknown> = {}) =>
  website.hold(tour, { departure_date: DATE, quantity: 2, ...body });
const book = (body: Record<string, unknown> = {}) =>
  website.book({ tour_id: tour.slug, departure_date: DATE, adults: 2, ...body });

function expectTimesListed(answer: { status: number; body: { errors: unknown } }): void {
  expect(answer.status).toBe(400);
  expect(answer.body.errors).toEqual([
    {
      in: expect.stringMatching(/body|query/),
      field: 'departure_time',
      message: 'must name one of the departures of this date: 09:30, 14:30',
    },
  ]);
}

describe('a date with two departures', () => {
  it('the list of departures sorts two departures of one date by their times', async () => {
    const { body } = await website.get(`/api/tenant/tours/${tour.slug}/departures`);
    const listed = body.items.map((one: Record<string, unknown>) => [
      one['departure_date'],
      one['start_time'],
    ]);
    expect(listed).toEqual([
      [DATE, '09:30'],
      [DATE, '14:30'],
    ]);
  });

  it.each([1, 2])('pages with a limit of %s list each departure of one date once', async (limit) => {
    const times: string[] = [];
    let cursor: string | null = null;
    do {
      const query: Record<string, string | number> = cursor ? { limit, cursor } : { limit };
      const { body } = await website.get(`/api/tenant/tours/${tour.slug}/departures`).query(query);
      times.push(...body.items.map((one: Record<string, string>) => one['start_time']!));
      cursor = body.next_cursor;
    } while (cursor !== null);
    expect(times).toEqual(['09:30', '14:30']);
  });

  it.each([
    ['availability', () => availability()],
    ['a hold', () => hold()],
    ['a booking', () => book()],
  ])('a request for %s without a time gets 400 with the times of the date', async (_, request) => {
    expectTimesListed(await request());
  });

  it('availability with a time shows the seats of the departure at this time', async () => {
    const { body } = await availability({ departure_time: '14:30' });
    expect(body).toMatchObject({ departure_time: '14:30', status: 'available', seats_available: 5 });
  });

  it('a time at which no departure starts has the status gone', async () => {
    const { body } = await availability({ departure_time: '11:00' });
    expect(body).toMatchObject({ departure_time: '11:00', status: 'gone', available: false, prices: null });
    expectProblem(await hold({ departure_time: '11:00' }), 409, 'departure_gone');
  });

  it('a hold and a booking with a time take the seats and the price of the departure at this time', async () => {
    const held = await hold({ departure_time: '14:30' });
    expect(held.body).toMatchObject({ departure_time: '14:30', seats_available: 3, unit_price: 600 });
    const booked = await book({ departure_time: '09:30' });
    expect(booked.body).toMatchObject({ departure_time: '09:30', total_price: 1000 });
    expect((await availability({ departure_time: '09:30' })).body.seats_available).toBe(6);
    expect((await availability({ departure_time: '14:30' })).body.seats_available).toBe(3);
  });

  it('a refusal names the other departure of the date among the alternatives', async () => {
    const { body } = await hold({ departure_time: '14:30', quantity: 6 });
    expect(body.alternatives).toEqual([
      { departure_date: DATE, departure_time: '09:30', seats_available: 8 },
    ]);
  });

  it('a booking by hold_id without a time takes the departure of the hold', async () => {
    const { body } = await hold({ departure_time: '14:30' });
    const booked = await book({ hold_id: body.hold_id });
    expect(booked.body).toMatchObject({ departure_time: '14:30', total_price: 1200 });
  });

  it('the API refuses a booking whose time differs from the time of its hold', async () => {
    const { body } = await hold({ departure_time: '14:30' });
    const refused = await book({ hold_id: body.hold_id, departure_time: '09:30' });
    expect(refused.body.errors).toMatchObject([
      { field: 'departure_time', message: expect.stringContaining("hold's time") },
    ]);
  });

  it('a booking without a time takes the departure of the only live hold with its reference', async () => {
    await hold({ departure_time: '14:30', external_ref: 'cart-81' });
    const booked = await book({ external_ref: 'cart-81' });
    expect(booked.body).toMatchObject({ departure_time: '14:30', total_price: 1200 });
    expectTimesListed(await book({ external_ref: 'cart-82' }));
  });

  it('a booking whose hold is on a cancelled departure does not get the only open departure of the date', async () => {
    const { body } = await hold({ departure_time: '09:30', external_ref: 'cart-81' });
    await api
      .db('departures')
      .where({ tour_id: tour.id, start_time: '09:30' })
      .update({ status: 'cancelled' });
    const refused = await book({ external_ref: 'cart-81' });
    expectProblem(refused, 409, 'departure_cancelled');
    expect(refused.body.alternatives).toMatchObject([{ departure_time: '14:30' }]);
    expect((await website.get(`/api/gateway/holds/${body.hold_id}`)).body.status).toBe('active');
    expect((await book({ external_ref: 'cart-82' })).body).toMatchObject({ departure_time: '14:30' });
  });

  it('the API moves a hold to another time of its date, at the current price of that departure', async () => {
    const { body } = await hold({ departure_time: '09:30' });
    const moved = await website.patch(`/api/gateway/holds/${body.hold_id}`, { departure_time: '14:30' });
    expect(moved.body).toMatchObject({ departure_date: DATE, departure_time: '14:30', unit_price: 600 });
  });

  it('the API moves a booking to another time, and keeps this time when a later change names only the date', async () => {
    const { body } = await book({ departure_time: '09:30' });
    const path = `/api/tenant/bookings/${body.booking_ref}`;
    const moved = await website.patch(path, { departure_time: '14:30' });
    expect(moved.body).toMatchObject({ departure_time: '14:30', total_price: 1200 });
    const kept = await website.patch(path, { departure_date: DATE, adults: 1 });
    expect(kept.body).toMatchObject({ departure_time: '14:30', total_price: 600 });
  });

  it.each(['hold', 'booking'])(
    'a change of a %s whose tour was hidden gets tour_not_found, not the times of the date',
    async (sale) => {
      const date = await givenDeparture(api.db, tour, { date: daysFromToday(40) });
      const { body } = await (sale === 'hold' ? hold : book)({ departure_date: date });
      const path =
        sale === 'hold' ? `/api/gateway/holds/${body.hold_id}` : `/api/tenant/bookings/${body.booking_ref}`;
      await givenVisibilityRule(api.db, website, tour, false);
      expectProblem(await website.patch(path, { departure_date: DATE }), 404, 'tour_not_found');
    },
  );

  it('a booking with a time does not consume a hold with its reference at another time', async () => {
    await hold({ departure_time: '14:30', external_ref: 'cart-81' });
    const booked = await book({ departure_time: '09:30', external_ref: 'cart-81' });
    expect(booked.body).toMatchObject({ departure_time: '09:30', total_price: 1000 });
    const undated = { departure_date: undefined, departure_time: '11:00', external_ref: 'cart-81' };
    expectInvalidFields(await book(undated), ['departure_time']);
  });

  it('a repeat gets the stored booking after the date has got a second departure', async () => {
    const date = daysFromToday(40);
    await givenDeparture(api.db, tour, { date, startTime: '09:30' });
    const body = { departure_date: date };
    const headers = { 'Idempotency-Key': 'order-7' };
    const order = () => website.book({ tour_id: tour.slug, adults: 1, ...body }, headers);
    const first = await order();
    await givenDeparture(api.db, tour, { date, startTime: '14:30' });
    await api.db('tours').where({ id: tour.id }).increment('revision', 1);
    const repeated = await order();
    expect([first.status, repeated.status]).toEqual([201, 201]);
    expect(repeated.text).toBe(first.text);
  });

  it('a request without a time gets the only departure of the date that can still be booked', async () => {
    await api
      .db('departures')
      .where({ tour_id: tour.id, start_time: '09:30' })
      .update({ status: 'cancelled' });
    await api.db('tours').where({ id: tour.id }).increment('revision', 1);
    const held = await hold();
    expect(held.body).toMatchObject({ departure_time: '14:30' });
  });
});

describe('a departure of today', () => {
  /** Returns a time zone in which it is now between 11:00 and 13:00. */
  const zoneAtNoon = () => {
    const hours = 12 - new Date().getUTCHours();
    return `Etc/GMT${hours > 0 ? '-' : '+'}${Math.abs(hours)}`;
  };

  it('a departure of today is gone once it has started, and a request without a time gets the later one', async () => {
    const timeZone = zoneAtNoon();
    const there = await givenTour(api.db, { timeZone });
    const date = todayIn(timeZone);
    for (const startTime of ['09:30', '14:30']) await givenDeparture(api.db, there, { date, startTime });
    const { body } = await website.get(`/api/tenant/tours/${there.slug}/departures`).query({ from: date });
    expect(body.items).toMatchObject([
      { start_time: '09:30', status: 'gone' },
      { start_time: '14:30', status: 'available' },
    ]);
    const upcoming = await website.get(`/api/tenant/tours/${there.slug}/departures`);
    expect(upcoming.body.items).toMatchObject([{ start_time: '14:30' }]);
    const held = await website.hold(there, { departure_date: date, quantity: 1 });
    expect(held.body).toMatchObject({ departure_time: '14:30' });
    const gone = { departure_date: date, departure_time: '09:30', quantity: 1 };
    expectProblem(await website.hold(there, gone), 409, 'departure_gone');
  });

  it('a departure without a start time starts at the time of its tour', async () => {
    const timeZone = zoneAtNoon();
    const there = await givenTour(api.db, { timeZone });
    await api.db('tours').where({ id: there.id }).update({ start_time: '09:30' });
    const date = await givenDeparture(api.db, there, { date: todayIn(timeZone) });
    const { body } = await website
      .get(`/api/gateway/tours/${there.slug}/availability`)
      .query({ departure_date: date });
    expect(body).toMatchObject({ departure_time: '09:30', status: 'gone' });
  });
});

describe('a departure time', () => {
  it.each(['9:30', '24:00', '09:30:00', '', 'noon'])(
    'the API refuses the departure_time %j, because it is not HH:MM',
    async (departure_time) => {
      expectInvalidFields(await availability({ departure_time }), ['departure_time']);
      expectInvalidFields(await hold({ departure_time }), ['departure_time']);
      expectInvalidFields(await book({ departure_time }), ['departure_time']);
    },
  );

  it('the API refuses a departure_time for a booking that has no date, hold or reference', async () => {
    const body = { departure_date: undefined, departure_time: '09:30' };
    expectInvalidFields(await book(body), ['departure_time']);
  });

  it('the API refuses to set only a departure_time on a booking without a date', async () => {
    const { body } = await book({ departure_date: undefined });
    const changed = await website.patch(`/api/tenant/bookings/${body.booking_ref}`, {
      departure_time: '09:30',
    });
    expectInvalidFields(changed, ['departure_time']);
  });
});
