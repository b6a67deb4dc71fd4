import type { ChangedDate } from '../../services/api/seats/after-commit';
import { assertTripsFit, ResourceBusyError, toBusyDocuments } from '../../services/api/resources/busy-trips';
import { inTransaction } from '../../services/platform/database/database';
import { useTerminalOf } from '../cli/terminal';
import { useTestApi } from '../support/api';
import { daysFromToday } from '../support/given';
import { givenResource, type GivenTrip, givenTrip } from '../support/given-resources';
import { useWebsite } from '../support/website';

const api = useTestApi();
const terminal = useTerminalOf(api);
const site = useWebsite(api, { maxHoldShare: 100 });

const hold = ({ tour, date }: GivenTrip, quantity = 1) => site.hold(tour, { departure_date: date, quantity });
const book = ({ tour, date }: GivenTrip, adults = 1) =>
  site.book({ tour_id: tour.slug, departure_date: date, adults });

/** Adds a departure to the tour of the trip. */
async function addDeparture({ tour }: GivenTrip, date: string, seats = 12): Promise<GivenTrip> {
  const [{ id }] = await api
    .db('departures')
    .insert({ tour_id: tour.id, departure_date: date, seats_total: seats, prices_minor: '{"adult": 50000}' })
    .returning('id');
  return { tour, date, id };
}

describe('the operator and resources', () => {
  it('departure move takes all sales to another day of their own boat', async () => {
    const boat = await givenResource(api.db, { places: 12 });
    const trip = await givenTrip(api.db, [{ resource: boat }], { durationDays: 3 });
    const next = await addDeparture(trip, daysFromToday(41));
    await book(trip, 3);
    await hold(trip, 2);
    const moved = await terminal.json(`departure move ${trip.tour.slug} ${trip.date} ${next.date} --yes`);
    expect(moved).toMatchObject({ moved: [expect.anything()], left: [], holds_moved: 1, holds_left: 0 });
  });

  it('departure move leaves all sales where one of them does not fit, if the boat cannot make both trips', async () => {
    const boat = await givenResource(api.db, { places: 12 });
    const trip = await givenTrip(api.db, [{ resource: boat }], { durationDays: 3 });
    const next = await addDeparture(trip, daysFromToday(41), 3);
    await book(trip, 3);
    const { body } = await book(trip, 2);
    const moved = await terminal.json(`departure move ${trip.tour.slug} ${trip.date} ${next.date} --yes`);
    expect(moved).toMatchObject({ moved: [], left: [expect.anything(), { booking_ref: body.booking_ref }] });
  });

  it('departure reopen is refused with the sold trips that need the boat', async () => {
    const boat = await givenResource(api.db, { places: 12 });
    const [reef, island] = [
      await givenTrip(api.db, [{ resource: boat }]),
      await givenTrip(api.db, [{ resource: boat }]),
    ];
    await book(reef, 3);
    await terminal.json(`departure cancel ${reef.tour.slug} ${reef.date} --yes`);
    await book(island, 2);
    const { code, stderr } = await terminal.tourctl(
      `departure reopen ${reef.tour.slug} ${reef.date} --yes --json`,
    );
    expect(code).not.toBe(0);
    expect(JSON.parse(stderr)).toMatchObject({ error: { code: 'resource_busy' } });
  });
});

describe('a change that sold trips contradict', () => {
  it('the refusal has the sold trips that the resource cannot make, with their seats and bookings', async () => {
    const boat = await givenResource(api.db, { places: 12 });
    const trips = [
      await givenTrip(api.db, [{ resource: boat, minutes: 60 }], { startTime: '10:00' }),
      await givenTrip(api.db, [{ resource: boat, minutes: 60 }], { startTime: '11:30' }),
    ];
    const refs: string[] = [];
    for (const trip of trips) refs.push((await book(trip, 2)).body.booking_ref);
    const longer = inTransaction(api.db, async (trx) => {
      await trx('resources').where({ code: boat }).update({ turnaround: 60 });
      await assertTripsFit(trx, [trips[0]!.id]);
    });
    const refusal: unknown = await longer.catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(ResourceBusyError);
    const document = ({ tour, date }: GivenTrip, [time, from, to]: string[], ref: string) => ({
      tour: tour.slug,
      departure_date: date,
      departure_time: time,
      from: `${date}T${from}:00.000Z`,
      to: `${date}T${to}:00.000Z`,
      seats: 2,
      booking_refs: [ref],
      bookings_total: 1,
    });
    expect(toBusyDocuments((refusal as ResourceBusyError).trips)).toEqual([
      document(trips[0]!, ['10:00', '10:00', '11:00'], refs[0]!),
      document(trips[1]!, ['11:30', '11:30', '12:30'], refs[1]!),
    ]);
  });
});

describe('after the commit of a sale', () => {
  const notified: ChangedDate[] = [];
  beforeAll(() => api.context.changes.afterCommit.add(async (changed) => void notified.push(...changed)));

  it('the departures whose trips meet its own are notified, and no others', async () => {
    const boat = await givenResource(api.db, { places: 12, turnaround: 30 });
    const trip = (startTime: string, shared = false) =>
      givenTrip(api.db, [{ resource: boat, shared, minutes: 60 }], { startTime });
    const sold = await trip('10:00', true);
    const [same, meets, touches] = [await trip('10:00', true), await trip('11:29'), await trip('11:30')];
    const { body } = await hold(sold);
    const slugs = new Map([sold, same, meets, touches].map(({ tour }) => [tour.id, tour.slug]));
    const names = () => [...new Set(notified.map(({ tourId }) => slugs.get(tourId)))].sort();
    const expected = [sold, same, meets].map(({ tour }) => tour.slug).sort();
    expect(names()).toEqual(expected);
    notified.length = 0;
    await site.delete(`/api/gateway/holds/${body.hold_id}`);
    expect(names()).toEqual(expected);
  });

  it('the cached availability of another tour knows that the boat is taken', async () => {
    const boat = await givenResource(api.db, { places: 12 });
    const [reef, island] = [
      await givenTrip(api.db, [{ resource: boat }]),
      await givenTrip(api.db, [{ resource: boat }]),
    ];
    const path = `/api/gateway/tours/${island.tour.slug}/availability?departure_date=${island.date}`;
    const check = async () => (await site.get(path)).body;
    const free = await check();
    const { body } = await hold(reef);
    const taken = await check();
    await site.delete(`/api/gateway/holds/${body.hold_id}`);
    expect([free, taken, await check()]).toMatchObject([
      { status: 'available', seats_available: 12 },
      { status: 'sold_out', seats_available: 0 },
      { status: 'available', seats_available: 12 },
    ]);
  });
});
