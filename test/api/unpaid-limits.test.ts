import { useTestApi } from '../support/api';
import { expectProblem } from '../support/responses';
import {
  endPaymentWindow,
  givenSeats,
  givenWebsite,
  type Seats,
  seatsTaken,
  type Website,
} from '../support/website';

const api = useTestApi();

const hold = (website: Website, { tour, date }: Seats, quantity: number) =>
  website.hold(tour, { departure_date: date, quantity });
const book = (website: Website, { tour, date }: Seats, adults: number, more: object = {}) =>
  website.book({ tour_id: tour.id, departure_date: date, adults, ...more });
const step = (website: Website, ref: string, verb: 'confirm' | 'cancel') =>
  website.post(`/api/tenant/bookings/${ref}/${verb}`);

describe("a tenant's share of a departure's seats", () => {
  it('the share limits live holds and unpaid bookings together', async () => {
    const half = await givenWebsite(api, { maxHoldShare: 59 });
    const seats = await givenSeats(api.db, { seats: 10 });
    expect((await book(half, seats, 3)).status).toBe(201);
    expectProblem(await hold(half, seats, 3), 409, 'hold_limit_reached');
    expect((await hold(half, seats, 2)).status).toBe(201);
    expectProblem(await book(half, seats, 1), 409, 'hold_limit_reached');
    expect(await seatsTaken(api.db, seats)).toBe(5);
    const other = await givenWebsite(api);
    expect((await book(other, seats, 5)).status).toBe(201);
  });

  it('the share counts no confirmed, cancelled or expired bookings, and no other departures', async () => {
    const { db } = api;
    const half = await givenWebsite(api, { maxHoldShare: 50 });
    const seats = await givenSeats(db, { seats: 10 });
    const refs = [];
    for (const adults of [2, 2, 1]) refs.push((await book(half, seats, adults)).body.booking_ref);
    expectProblem(await hold(half, seats, 1), 409, 'hold_limit_reached');
    expect((await hold(half, await givenSeats(db, { seats: 10 }), 5)).status).toBe(201);
    await step(half, refs[0], 'confirm');
    await step(half, refs[1], 'cancel');
    await endPaymentWindow(db, refs[2]);
    expect((await hold(half, seats, 5)).status).toBe(201);
    expect(await seatsTaken(db, seats)).toBe(7);
  });

  it('the share of a tenant is at least one seat', async () => {
    const poor = await givenWebsite(api, { maxHoldShare: 1 });
    const seats = await givenSeats(api.db, { seats: 20 });
    expect((await book(poor, seats, 1)).status).toBe(201);
    expectProblem(await hold(poor, seats, 1), 409, 'hold_limit_reached');
  });

  it('a hold that becomes a booking counts once', async () => {
    const half = await givenWebsite(api, { maxHoldShare: 50 });
    const seats = await givenSeats(api.db, { seats: 10 });
    const { hold_id } = (await hold(half, seats, 3)).body;
    expectProblem(await book(half, seats, 6, { hold_id }), 409, 'hold_limit_reached');
    expect((await half.get(`/api/gateway/holds/${hold_id}`)).body.status).toBe('active');
    expect((await book(half, seats, 5, { hold_id })).status).toBe(201);
  });

  it('the seats of a hold can be booked after the share was lowered', async () => {
    const { db } = api;
    const website = await givenWebsite(api);
    const seats = await givenSeats(db, { seats: 10 });
    const { hold_id } = (await hold(website, seats, 8)).body;
    await db('tenants').where({ id: website.tenant.id }).update({ max_hold_share: 10 });
    expect((await book(website, seats, 8, { hold_id })).status).toBe(201);
  });

  it('an expired booking can be confirmed above the share, because it is paid', async () => {
    const { db } = api;
    const half = await givenWebsite(api, { maxHoldShare: 50 });
    const seats = await givenSeats(db, { seats: 10 });
    const { booking_ref } = (await book(half, seats, 4)).body;
    await endPaymentWindow(db, booking_ref);
    expect((await hold(half, seats, 5)).status).toBe(201);
    expect((await step(half, booking_ref, 'confirm')).body.status).toBe('confirmed');
    expect(await seatsTaken(db, seats)).toBe(9);
  });

  it('concurrent holds and bookings get exactly the seats of the share', async () => {
    const half = await givenWebsite(api, { maxHoldShare: 50 });
    const seats = await givenSeats(api.db, { seats: 10 });
    const asked = Array.from({ length: 30 }, (_, n) => (n % 2 ? hold : book)(half, seats, 1));
    const statuses = (await Promise.all(asked)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 201)).toHaveLength(5);
    expect(statuses.filter((status) => status === 409)).toHaveLength(25);
    expect(await seatsTaken(api.db, seats)).toBe(5);
  });
});

describe("a tenant's unpaid bookings", () => {
  it('the API refuses a booking when the tenant already has its maximum of unpaid bookings', async () => {
    const { db } = api;
    const modest = await givenWebsite(api, { maxUnpaid: 2 });
    const seats = await givenSeats(db);
    const dateless = () => modest.book({ tour_id: seats.tour.id });
    const [first, second] = [await book(modest, seats, 1), await dateless()];
    expect([first.status, second.status]).toEqual([201, 201]);
    expectProblem(await book(modest, seats, 1), 409, 'hold_limit_reached');
    expectProblem(await dateless(), 409, 'hold_limit_reached');
    expect((await hold(modest, seats, 1)).status).toBe(201);
    await step(modest, first.body.booking_ref, 'confirm');
    expect((await dateless()).status).toBe(201);
    await endPaymentWindow(db, second.body.booking_ref);
    expect((await book(modest, seats, 1)).status).toBe(201);
    expect((await (await givenWebsite(api)).book({ tour_id: seats.tour.id })).status).toBe(201);
  });
});
