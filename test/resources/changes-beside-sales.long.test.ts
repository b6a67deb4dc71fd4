import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { openTestTerminal, type TestTerminal } from '../cli/terminal';
import { type ApiProcess, startApiProcess } from '../support/api-process';
import { givenKey, givenTenant } from '../support/given';
import { givenResource, type GivenTrip, givenTrip } from '../support/given-resources';
import { outcomesOf, sendTo, untilDecided } from '../support/race';
import { useTemporaryFolder } from '../support/temporary-folder';

const ROUNDS = 4;
/** The codes of a command that waited two seconds for a lock. */
const BUSY = ['departure_busy', 'catalog_busy'];
const SOLD_OR_NOT = ['201', '409 insufficient_seats'];
const FOLDER = useTemporaryFolder();
let terminal: TestTerminal;
let processes: ApiProcess[];
let authorization: string;

const start = (GROUP_COMMIT: string) => startApiProcess(terminal.url, { GROUP_COMMIT });

beforeAll(async () => {
  terminal = await openTestTerminal();
  processes = await Promise.all(['on', 'on', 'off', 'off'].map(start));
  const tenant = await givenTenant(terminal.db, {
    maxHoldShare: 100,
    maxHolds: 10_000,
    maxHoldTrips: 10_000,
  });
  authorization = `Bearer ${await givenKey(terminal.db, tenant)}`;
}, 60_000);
afterAll(async () => {
  for (const api of processes) expect(await api.stop()).toBe(0);
  await terminal.drop();
}, 30_000);

const hold = (index: number, { tour, date }: GivenTrip) =>
  untilDecided(() =>
    sendTo<{ code?: string; hold_id?: string }>(processes, index, {
      method: 'POST',
      path: `/api/gateway/tours/${tour.slug}/hold`,
      body: { departure_date: date, quantity: 1 },
      authorization,
    }),
  );

/** Sends holds of the trips in turn to all processes. */
const rush = (trips: GivenTrip[], count: number) =>
  Promise.all(Array.from({ length: count }, (_, index) => hold(index, trips[index % trips.length]!)));

/** Runs a command while holds are sent. @returns the answers of the holds and the exit code of the command */
async function rushBeside(trips: GivenTrip[], line: string) {
  const rushing = rush(trips, 60);
  const answer = await terminal.tourctl(`${line} --yes --json`);
  // A refusal is a right answer: what is sold may contradict the change.
  if (answer.code !== 0) expect(['resource_busy', 'catalog_refused', ...BUSY]).toContain(answer.error.code);
  const answers = await rushing;
  const outcomes = outcomesOf(answers);
  expect(Object.keys(outcomes).filter((one) => !SOLD_OR_NOT.includes(one))).toEqual([]);
  return { outcomes, code: answer.code };
}

/** Returns the departures that are oversold on a resource, as the database counts them. */
async function oversold(): Promise<unknown[]> {
  const { rows } = await terminal.db.raw(
    `select d.id, load.* from departures d
       cross join lateral count_seats(d.id, false, clock_timestamp()) as sold
       cross join lateral resource_loads(d.id, false, clock_timestamp()) as load
     where d.status = 'scheduled' and sold.taken > 0 and (load.others >= load.units or load.seats > load.places)`,
  );
  return rows;
}

describe('a change of resources beside sales of four processes', () => {
  afterEach(async () => expect(await oversold()).toEqual([]));

  it('no hold is placed in the time of a closing after the command has returned', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const boat = await givenResource(terminal.db, { places: 100 });
      const trips = [await givenTrip(terminal.db, [{ resource: boat, shared: true }], { seats: 100 })];
      trips.push(await givenTrip(terminal.db, [{ resource: boat, shared: true }], { seats: 100 }));
      const { date } = trips[0]!;
      const rushing = rush(trips, 60);
      const { code } = await terminal.tourctl(
        `resource close ${boat} --from ${date} --to ${date} --reason Engine --yes --json`,
      );
      expect(code).toBe(0);
      const { rows } = await terminal.db.raw<{ rows: [{ at: Date }] }>('select clock_timestamp() as at');
      const later = await rush(trips, 8);
      expect(outcomesOf(later)).toEqual({ '409 insufficient_seats': 8 });
      expect(Object.keys(outcomesOf(await rushing)).filter((one) => !SOLD_OR_NOT.includes(one))).toEqual([]);
      const late = await terminal
        .db('seat_holds')
        .whereIn(
          'departure_id',
          trips.map(({ id }) => id),
        )
        .where('created_at', '>', rows[0].at);
      expect(late).toEqual([]);
    }
  });

  it('a departure that begins to use a boat while both its tours sell never makes it sail twice', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const boat = await givenResource(terminal.db, { places: 5 });
      const trips = [
        await givenTrip(terminal.db, [{ resource: boat }], { seats: 5 }),
        await givenTrip(terminal.db, [], { seats: 5 }),
      ];
      const { tour, date } = trips[1]!;
      await rushBeside(trips, `departure set-uses ${tour.slug} ${date} ${boat}`);
      const back = await rushBeside(trips, `departure set-uses ${tour.slug} ${date} none`);
      expect(back.code).toBe(0);
      expect(outcomesOf(await rush(trips, 20))).not.toHaveProperty('201');
    }
  });

  it('an import that takes places and adds uses beside sales is done or refused, and oversells nothing', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const boat = await givenResource(terminal.db, { places: 8 });
      const uses = [{ resource: boat, shared: true }];
      const trips = [await givenTrip(terminal.db, uses), await givenTrip(terminal.db, uses)];
      trips.push(await givenTrip(terminal.db, []));
      const file = path.join(FOLDER, `${boat}.json`);
      const resources = [{ code: boat, places: 4 + round }];
      const tours = trips.map(({ tour }) => ({ slug: tour.slug, uses }));
      writeFileSync(file, JSON.stringify({ resources, tours }));
      const { outcomes } = await rushBeside(trips, `catalog import ${file}`);
      expect(outcomes['201']).toBeGreaterThan(0);
      await rush(trips, 24);
      expect(await oversold()).toEqual([]);
    }
  });

  it('after processes are killed during sales, the others sell the boat to its last place and no further', async () => {
    for (let round = 0; round < 2; round++) {
      const boat = await givenResource(terminal.db, { places: 40 });
      const guide = await givenResource(terminal.db);
      const both = [
        { resource: boat, shared: true },
        { resource: guide, shared: true },
      ];
      const trips = await Promise.all(
        [both, both.toReversed(), [both[0]!]].map((uses) => givenTrip(terminal.db, uses, { seats: 40 })),
      );
      const rushing = Promise.allSettled(
        Array.from({ length: 90 }, (_, index) => hold(index, trips[index % trips.length]!)),
      );
      await processes[round]!.kill();
      await rushing;
      processes[round] = await start('on');
      expect(await oversold()).toEqual([]);
      await rush(trips, 60);
      const sold = await terminal
        .db('seat_holds')
        .whereIn(
          'departure_id',
          trips.map(({ id }) => id),
        )
        .sum('seats as seats')
        .first();
      expect(Number(sold!.seats)).toBe(40);
    }
  }, 180_000);
});
