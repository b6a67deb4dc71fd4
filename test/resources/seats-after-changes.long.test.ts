import type { Response } from 'supertest';
import { useTestApi } from '../support/api';
import {
  givenClosing,
  givenResource,
  type GivenTrip,
  givenTrip,
  type GivenUse,
} from '../support/given-resources';
import { useTerminalOf } from '../cli/terminal';
import { adults } from '../octo/conformance-api';
import { useWebsite } from '../support/website';
import { numbersFrom } from '../support/random-numbers';

const api = useTestApi();
const terminal = useTerminalOf(api);
const site = useWebsite(api, { maxHoldShare: 100, maxHolds: 1000, maxHoldTrips: 1000 });

const hold = ({ tour, date }: GivenTrip, quantity: number) =>
  site.hold(tour, { departure_date: date, quantity });
const pathOf = (holdId: string) => `/api/gateway/holds/${holdId}`;
const octoPathOf = (uuid: string) => `/octo/bookings/${uuid}`;

const reserve = ({ tour, id }: GivenTrip, units: number) =>
  site.post('/octo/bookings', {
    productId: tour.id,
    optionId: 'DEFAULT',
    availabilityId: id,
    unitItems: adults(units),
  });

/** A tour whose trip uses a boat for two hours. */
async function givenBoatTrip(use: Partial<GivenUse> = {}, places?: number) {
  const boat = await givenResource(api.db, { places });
  const trip = await givenTrip(api.db, [{ resource: boat, minutes: 120, ...use }], { startTime: '10:00' });
  return { boat, trip };
}

const closeOn = (boat: string, { date }: GivenTrip) =>
  givenClosing(api.db, boat, { from: `${date}T00:00Z`, to: `${date}T23:59Z` });

/** Returns the free seats that an answer of OCTO shows. */
const shownByOcto = ({ body: { availability } }: Response) => [availability.vacancies, availability.status];

const shownByHold = ({ body }: Response) => [body.seats_available, body.status];

describe('the free seats of an answer after the boat is closed', () => {
  it('a hold that becomes smaller shows no free seats', async () => {
    const { boat, trip } = await givenBoatTrip();
    const { body } = await hold(trip, 3);
    await closeOn(boat, trip);
    const changed = await site.patch(pathOf(body.hold_id), { quantity: 1 });
    expect([changed.status, changed.body.seats_available]).toEqual([200, 0]);
    expect((await site.get(pathOf(body.hold_id))).text).toBe(changed.text);
  });

  it('the refusal of a larger hold, booking or booking of a hold names no free seats', async () => {
    const { boat, trip } = await givenBoatTrip();
    const [first, second] = [await hold(trip, 2), await hold(trip, 2)];
    const booked = await site.book({ tour_id: trip.tour.slug, hold_id: first.body.hold_id, adults: 2 });
    await closeOn(boat, trip);
    const refusals = [
      await site.patch(pathOf(second.body.hold_id), { quantity: 3 }),
      await site.patch(`/api/tenant/bookings/${booked.body.booking_ref}`, { adults: 3 }),
      await site.book({ tour_id: trip.tour.slug, hold_id: second.body.hold_id, adults: 3 }),
    ];
    expect(refusals.map(({ body: { code, seats_available } }) => [code, seats_available])).toEqual(
      Array.from({ length: 3 }, () => ['insufficient_seats', 0]),
    );
  });

  it('an OCTO booking that is changed, confirmed and cancelled shows no vacancies', async () => {
    const { boat, trip } = await givenBoatTrip();
    const { body } = await reserve(trip, 3);
    const path = octoPathOf(body.uuid);
    await closeOn(boat, trip);
    const answers = [
      await site.patch(path, { unitItems: adults(2) }),
      await site.post(`${path}/confirm`, { unitItems: adults(1) }),
      await site.delete(path),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(answers.map(shownByOcto)).toEqual(Array.from({ length: 3 }, () => [0, 'SOLD_OUT']));
  });

  it('an OCTO hold that is released shows no vacancies', async () => {
    const { boat, trip } = await givenBoatTrip();
    const { body } = await reserve(trip, 3);
    await closeOn(boat, trip);
    expect(shownByOcto(await site.delete(octoPathOf(body.uuid)))).toEqual([0, 'SOLD_OUT']);
  });
});

describe('the free seats of an answer and of a read after it', () => {
  it.each([1, 2, 3])(
    'both are the same, for any changes of sales on shared and separate trips (seed %i)',
    async (seed) => {
      const random = numbersFrom(seed);
      const boats = [
        await givenResource(api.db, { places: 9, units: 2, turnaround: 30 }),
        await givenResource(api.db, { units: 4 }),
      ];
      const trips: GivenTrip[] = [];
      for (let index = 0; index < 6; index++) {
        const uses = boats.slice(random(2)).map((resource) => ({
          resource,
          shared: random(2) === 0,
          minutes: 60 + 60 * random(4),
        }));
        trips.push(
          await givenTrip(api.db, uses, { startTime: `${10 + random(3)}:00`, seats: 6 + random(6) }),
        );
      }
      const anyTrip = () => trips[random(trips.length)]!;
      const holdIds: string[] = [];
      const uuids: string[] = [];
      let granted = 0;
      const change = async () => {
        const [holdId, uuid] = [holdIds[random(holdIds.length)], uuids[random(uuids.length)]];
        const { tour, id } = anyTrip();
        const unitItems = adults(1 + random(4));
        const path = octoPathOf(uuid!);
        const changes = [
          () => site.patch(pathOf(holdId!), { quantity: 1 + random(4) }),
          () => site.patch(path, { unitItems }),
          () => site.patch(path, { productId: tour.id, availabilityId: id }),
          () => site.post(`${path}/confirm`, { unitItems }),
          () => site.delete(path),
        ];
        const index = random(changes.length);
        const answer = await changes[index]!();
        if (answer.status !== 200) return;
        granted++;
        const read = await site.get(index === 0 ? pathOf(holdId!) : path);
        const shown = index === 0 ? shownByHold : shownByOcto;
        expect(shown(answer)).toEqual(shown(read));
      };
      for (let round = 0; round < 60; round++) {
        if (round === 30) {
          const { date } = trips[0]!;
          await givenClosing(api.db, boats[0]!, { from: `${date}T11:00Z`, to: `${date}T12:30Z` });
        }
        if (round % 3 > 0 && holdIds.length > 0 && uuids.length > 0) await change();
        else if (round % 2 === 0) {
          const { body } = await hold(anyTrip(), 1 + random(4));
          if (body.hold_id) holdIds.push(body.hold_id);
        } else {
          const { body } = await reserve(anyTrip(), 1 + random(4));
          if (body.uuid) uuids.push(body.uuid);
        }
      }
      expect(granted).toBeGreaterThan(10);
    },
  );

  it('holds of several departures on one boat, placed together, show what each leaves', async () => {
    const boat = await givenResource(api.db, { places: 12 });
    const uses = [{ resource: boat, shared: true, minutes: 60 }];
    const trips = [
      await givenTrip(api.db, uses, { startTime: '10:00' }),
      await givenTrip(api.db, uses, { startTime: '10:00' }),
    ];
    const answers = await Promise.all(trips.map((trip) => hold(trip, 3)));
    const shown = answers.map(({ body }) => body.seats_available).toSorted((a, b) => a - b);
    expect(shown).toEqual([6, 9]);
  });
});

describe('the free seats of a departure after a command', () => {
  const list = async ({ tour }: GivenTrip) => (await terminal.json(`departure list ${tour.slug}`)).items[0];

  it('departure reopen answers the seats that a read has', async () => {
    const { trip } = await givenBoatTrip({}, 8);
    await hold(trip, 3);
    await terminal.json(`departure cancel ${trip.tour.slug} ${trip.date} --yes`);
    const reopened = await terminal.json(`departure reopen ${trip.tour.slug} ${trip.date} --yes`);
    expect(reopened).toMatchObject({ seats_taken: 3, seats_available: 5, status: 'available' });
    expect((await list(trip)).seats_available).toBe(5);
  });

  it('departure set-uses answers the seats that the new boat leaves', async () => {
    const trip = await givenTrip(api.db, []);
    const boat = await givenResource(api.db, { places: 8 });
    await hold(trip, 3);
    const changed = await terminal.json(`departure set-uses ${trip.tour.slug} ${trip.date} ${boat}`);
    expect(changed).toMatchObject({ seats_taken: 3, seats_available: 5 });
    expect((await list(trip)).seats_available).toBe(5);
  });

  it('departure set-time answers the seats that the boat leaves at the time', async () => {
    const boat = await givenResource(api.db, { places: 8 });
    const uses = [{ resource: boat, minutes: 60 }];
    const [early, trip] = [
      await givenTrip(api.db, uses, { startTime: '09:00' }),
      await givenTrip(api.db, uses),
    ];
    await hold(early, 1);
    const changed = await terminal.json(`departure set-time ${trip.tour.slug} ${trip.date} 15:00`);
    expect(changed).toMatchObject({ start_time: '15:00', seats_available: 8 });
  });
});
