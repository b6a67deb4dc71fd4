import { useTestApi } from '../support/api';
import { daysFromToday } from '../support/given';
import {
  givenClosing,
  givenResource,
  type GivenTrip,
  givenTrip,
  givenUses,
} from '../support/given-resources';
import { endHoldIn, givenWebsite, useWebsite } from '../support/website';

const api = useTestApi();
const site = useWebsite(api, { maxHoldShare: 100 });

const hold = ({ tour, date }: GivenTrip, quantity = 1) => site.hold(tour, { departure_date: date, quantity });
const book = ({ tour, date }: GivenTrip, quantity = 1) =>
  site.book({ tour_id: tour.slug, departure_date: date, adults: quantity });

/** Two tours with one departure each at 10:00 and 11:00, which use one boat of 12 places for two hours. */
async function givenTwoTrips(shared: boolean) {
  const boat = await givenResource(api.db, { places: 12 });
  const uses = [{ resource: boat, shared, minutes: 120 }];
  const reef = await givenTrip(api.db, uses, { startTime: '10:00' });
  const island = await givenTrip(api.db, uses, { startTime: shared ? '10:00' : '11:00' });
  return { boat, reef, island };
}

async function departureOf({ tour, date }: GivenTrip) {
  const { body } = await site.get(`/api/tenant/tours/${tour.slug}/departures?from=${date}&to=${date}`);
  const { status, seats_available } = body.items[0];
  return [status, seats_available];
}

describe('two tours on one boat', () => {
  it('the seats of a shared trip are sold once over both tours', async () => {
    const { reef, island } = await givenTwoTrips(true);
    expect(await hold(reef, 7)).toMatchObject({ status: 201, body: { seats_available: 5 } });
    expect(await hold(island, 6)).toMatchObject({
      status: 409,
      body: { code: 'insufficient_seats', seats_available: 5 },
    });
    expect(await book(island, 5)).toMatchObject({ status: 201 });
    expect([await departureOf(reef), await departureOf(island)]).toEqual([
      ['sold_out', 0],
      ['sold_out', 0],
    ]);
  });

  it('a boat that is on a trip is sold out on the other tour, and free again when the hold ends', async () => {
    const { reef, island } = await givenTwoTrips(false);
    const { body } = await hold(reef);
    expect(await hold(island)).toMatchObject({ status: 409, body: { code: 'insufficient_seats' } });
    expect(await departureOf(island)).toEqual(['sold_out', 0]);
    await endHoldIn(api.db, body.hold_id, -1);
    expect(await hold(island)).toMatchObject({ status: 201 });
    expect(await departureOf(reef)).toEqual(['sold_out', 0]);
    const { status } = await api.db('seat_holds').where({ id: body.hold_id }).first('status');
    expect(status).toBe('expired');
  });

  it('a hold becomes a booking while the boat is closed, and new sales are refused', async () => {
    const { boat, reef } = await givenTwoTrips(false);
    const { body } = await hold(reef, 2);
    await givenClosing(api.db, boat, { from: `${reef.date}T00:00Z`, to: `${reef.date}T23:00Z` });
    expect(await book(reef)).toMatchObject({ status: 409, body: { code: 'insufficient_seats' } });
    expect(await site.book({ tour_id: reef.tour.slug, hold_id: body.hold_id, adults: 3 })).toMatchObject({
      status: 409,
    });
    const booked = await site.book({ tour_id: reef.tour.slug, hold_id: body.hold_id, adults: 2 });
    expect(booked.status).toBe(201);
    const path = `/api/tenant/bookings/${booked.body.booking_ref}`;
    expect(await site.patch(path, { adults: 3 })).toMatchObject({ status: 409 });
    expect(await site.patch(path, { adults: 1 })).toMatchObject({ status: 200 });
  });

  it('a booking moves to another time on its own boat', async () => {
    const boat = await givenResource(api.db, { places: 12 });
    const trip = await givenTrip(api.db, [{ resource: boat }], { durationDays: 3 });
    const { date, tour } = trip;
    const later = daysFromToday(41);
    await api.db('departures').insert({
      tour_id: tour.id,
      departure_date: later,
      seats_total: 12,
      prices_minor: JSON.stringify({ adult: 50_000 }),
    });
    const { body } = await book(trip, 4);
    expect(await book({ ...trip, date: later }, 1)).toMatchObject({ status: 409 });
    const path = `/api/tenant/bookings/${body.booking_ref}`;
    expect(await site.patch(path, { departure_date: later })).toMatchObject({ status: 200 });
    expect(await book(trip, 1)).toMatchObject({ status: 409 });
    await book({ ...trip, date: later }, 1);
    expect(await site.patch(path, { departure_date: date })).toMatchObject({ status: 409 });
  });

  it('an expired booking is confirmed only while the boat is free', async () => {
    const { reef, island } = await givenTwoTrips(false);
    const { body } = await book(reef);
    const path = `/api/tenant/bookings/${body.booking_ref}/confirm`;
    await api
      .db('booking_leads')
      .where({ booking_ref: body.booking_ref })
      .update({ payment_due_at: api.db.raw(`clock_timestamp() - interval '1 ms'`) });
    const { body: held } = await hold(island);
    expect(await site.post(path)).toMatchObject({ status: 409, body: { code: 'insufficient_seats' } });
    await site.delete(`/api/gateway/holds/${held.hold_id}`);
    expect(await site.post(path)).toMatchObject({ status: 200 });
  });

  it('a sale knows the resources that the departure uses since the last sale', async () => {
    const { boat, reef } = await givenTwoTrips(false);
    const late = await givenTrip(api.db, [], { startTime: '10:30' });
    expect(await hold(reef)).toMatchObject({ status: 201 });
    await givenUses(api.db, late.tour, [{ resource: boat, minutes: 30 }]);
    expect(await hold(late)).toMatchObject({ status: 409, body: { code: 'insufficient_seats' } });
    await givenUses(api.db, late.tour, []);
    expect(await hold(late)).toMatchObject({ status: 201 });
  });

  it('sales that wait together on several departures of a boat are counted together', async () => {
    const boat = await givenResource(api.db, { places: 12 });
    const uses = [{ resource: boat, shared: true, minutes: 60 }];
    const trips = await Promise.all(
      Array.from({ length: 5 }, () => givenTrip(api.db, uses, { startTime: '10:00' })),
    );
    // A busy machine may refuse a request before it is decided.
    const decided = async (trip: GivenTrip): ReturnType<typeof hold> => {
      const answer = await hold(trip);
      const isDecided = answer.status === 201 || answer.body.code === 'insufficient_seats';
      return isDecided ? answer : decided(trip);
    };
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, index) => decided(trips[index % trips.length]!)),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(12);
    expect(answers.filter(({ body }) => body.code === 'insufficient_seats')).toHaveLength(28);
  });

  it('holds of a tenant begin no more trips without a booking than its limit', async () => {
    const limited = await givenWebsite(api, { maxHoldTrips: 2, maxHoldShare: 100 });
    const boat = await givenResource(api.db, { places: 12, units: 4 });
    const [first, second, third] = [
      await givenTrip(api.db, [{ resource: boat }]),
      await givenTrip(api.db, [{ resource: boat }]),
      await givenTrip(api.db, [{ resource: boat }]),
    ];
    const holdOf = ({ tour, date }: GivenTrip) => limited.hold(tour, { departure_date: date, quantity: 1 });
    const statuses = [await holdOf(first), await holdOf(second), await holdOf(second), await holdOf(third)];
    expect(statuses.map(({ status }) => status)).toEqual([201, 201, 201, 409]);
    expect(statuses[3]!.body).toMatchObject({ code: 'hold_limit_reached' });
    await book(first);
    expect(await holdOf(third)).toMatchObject({ status: 201 });
  });
});
