import type { Db } from '../../services/platform/database/database';
import { type ApiProcess, startApiProcess } from '../support/api-process';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { givenKey, givenTenant } from '../support/given';
import { givenResource, type GivenTrip, givenTrip } from '../support/given-resources';
import { outcomesOf, type RaceAnswer, sendTo, untilDecided } from '../support/race';
import { endHoldIn } from '../support/website';

let database: TestDatabase;
let processes: ApiProcess[];
let authorization: string;

interface Body {
  code?: string;
  hold_id: string;
}

beforeAll(async () => {
  database = await createTestDatabase();
  const settings = ['on', 'on', 'off', 'off'];
  processes = await Promise.all(
    settings.map((GROUP_COMMIT) => startApiProcess(database.url, { GROUP_COMMIT })),
  );
  const tenant = await givenTenant(database.db, { maxHoldShare: 100, maxHolds: 10_000 });
  authorization = `Bearer ${await givenKey(database.db, tenant)}`;
}, 60_000);
afterAll(async () => {
  for (const api of processes) expect(await api.stop()).toBe(0);
  await database.drop();
}, 30_000);

const hold = (process: number, { tour, date }: GivenTrip, quantity = 1) =>
  untilDecided(() =>
    sendTo<Body>(processes, process, {
      method: 'POST',
      path: `/api/gateway/tours/${tour.slug}/hold`,
      body: { departure_date: date, quantity },
      authorization,
    }),
  );
const release = (process: number, { body }: RaceAnswer<Body>) =>
  sendTo<Body>(processes, process, {
    method: 'DELETE',
    path: `/api/gateway/holds/${body.hold_id}`,
    authorization,
  });

/** Sends holds of the trips in turn to all processes. */
const rush = (trips: GivenTrip[], count: number) =>
  Promise.all(Array.from({ length: count }, (_, index) => hold(index, trips[index % trips.length]!)));

/** Returns the departures that are oversold on a resource, as the database counts them. */
async function oversold(db: Db): Promise<unknown[]> {
  const { rows } = await db.raw(
    `select d.id, load.* from departures d
       cross join lateral count_seats(d.id, false, clock_timestamp()) as sold
       cross join lateral resource_loads(d.id, false, clock_timestamp()) as load
     where sold.taken > 0 and (load.others >= load.units or load.seats > load.places)`,
  );
  return rows;
}

describe('four processes that sell the same resources', () => {
  afterEach(async () => expect(await oversold(database.db)).toEqual([]));

  it('the places of a shared trip of ten departures are sold exactly once', async () => {
    const boat = await givenResource(database.db, { places: 15 });
    const uses = [{ resource: boat, shared: true, minutes: 60 }];
    const trips = await Promise.all(
      Array.from({ length: 10 }, () => givenTrip(database.db, uses, { startTime: '10:00' })),
    );
    const answers = await rush(trips, 100);
    expect(outcomesOf(answers)).toEqual({ '201': 15, '409 insufficient_seats': 85 });
  });

  it('one of two trips that overlap is sold, and trips that touch both are', async () => {
    const boat = await givenResource(database.db, { places: 100 });
    const trip = (startTime: string) =>
      givenTrip(database.db, [{ resource: boat, minutes: 60 }], { startTime, seats: 5 });
    const trips = [await trip('10:00'), await trip('10:30'), await trip('11:00'), await trip('12:00')];
    const answers = await rush(trips, 80);
    const sold = trips.map(
      (_, index) => answers.filter(({ status }, n) => n % trips.length === index && status === 201).length,
    );
    expect(sold[3]).toBe(5);
    // Either the trip at 10:30 is sold, or the two around it are.
    expect([
      [5, 0, 5],
      [0, 5, 0],
    ]).toContainEqual(sold.slice(0, 3));
  });

  it('departures that use two resources in crossed order end without a deadlock, and none is sold twice', async () => {
    const [boat, guide] = [await givenResource(database.db), await givenResource(database.db)];
    const first = [{ resource: boat }, { resource: guide }];
    const trips = await Promise.all(
      [first, first.toReversed(), [first[0]!], [first[1]!]].map((uses) =>
        givenTrip(database.db, uses, { seats: 3 }),
      ),
    );
    const answers = await rush(trips, 120);
    expect(Object.keys(outcomesOf(answers)).sort()).toEqual(['201', '409 insufficient_seats']);
    const sold = new Set(answers.flatMap(({ status }, n) => (status === 201 ? [n % trips.length] : [])));
    // Either one departure has both resources, or the last two have one each.
    expect([[0], [1], [2, 3]]).toContainEqual([...sold].sort());
  });

  it('a boat is free for others at the instant at which the last hold on it expires or is released', async () => {
    const boat = await givenResource(database.db, { places: 5 });
    const [reef, island] = [
      await givenTrip(database.db, [{ resource: boat }]),
      await givenTrip(database.db, [{ resource: boat }]),
    ];
    for (let round = 0; round < 5; round++) {
      const [kept, other] = round % 2 === 0 ? [reef, island] : [island, reef];
      const held = await hold(round, kept);
      expect(held.status).toBe(201);
      const ending = round % 2 === 0 ? release(1, held) : endHoldIn(database.db, held.body.hold_id, 0);
      const answers = await Promise.all([ending.then(() => hold(2, other)), hold(3, other), hold(0, kept)]);
      expect(answers.some(({ status }) => status === 201)).toBe(true);
      await database.db('seat_holds').where({ status: 'active' }).update({ expires_at: new Date() });
    }
  });

  it('a trip over midnight and over a change of clocks ends after its elapsed time', async () => {
    const bus = await givenResource(database.db, { turnaround: 30 });
    const trip = (date: string, startTime: string, minutes: number) =>
      givenTrip(database.db, [{ resource: bus, minutes }], { date, startTime, timeZone: 'Europe/Madrid' });
    // Clocks go from 02:00 to 03:00, so the bus is back at 03:30.
    const night = await trip('2027-03-27', '22:00', 240);
    const [early, later] = [await trip('2027-03-28', '03:29', 60), await trip('2027-03-28', '03:30', 60)];
    const holds = [await hold(0, night), await hold(1, early), await hold(2, later)];
    expect(holds.map(({ status }) => status)).toEqual([201, 409, 201]);
  });
});
