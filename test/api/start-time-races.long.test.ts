import { setStartTime } from '../../services/api/seats/changes/change-departure';
import { type Db, inTransaction } from '../../services/platform/database/database';
import { awaitInstances } from '../../services/platform/read-cache/instance.repository';
import { runOnce } from '../cli/run-once';
import { departureEntry, tourEntry, writeFiles } from '../catalog/catalog-files';
import { type ApiProcess, startApiProcess } from '../support/api-process';
import { changeDepartures } from '../support/change';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { givenDeparture, givenKey, givenTenant, givenTour, type GivenTour, unique } from '../support/given';
import { type RaceAnswer, sendTo, tally, untilDecided } from '../support/race';
import { CUSTOMER } from '../support/website';

let database: TestDatabase;
let processes: ApiProcess[];
let authorization: string;

interface Body {
  code?: string;
  departure_time?: string | null;
  errors?: { field: string; message: string }[];
}
type Answer = RaceAnswer<Body>;

const send = (process: number, method: string, path: string, body?: object) =>
  sendTo<Body>(processes, process, { method, path, body, authorization });

/** A tour, one of its dates, and a start time. */
interface Named {
  tour: GivenTour;
  date: string;
  time?: string;
}

const hold = (process: number, { tour, date, time }: Named) =>
  untilDecided(() =>
    send(process, 'POST', `/api/gateway/tours/${tour.slug}/hold`, {
      departure_date: date,
      departure_time: time,
      quantity: 1,
    }),
  );
const book = (process: number, { tour, date, time }: Named) =>
  untilDecided(() =>
    send(process, 'POST', '/api/tenant/bookings', {
      ...CUSTOMER,
      tour_id: tour.slug,
      departure_date: date,
      departure_time: time,
    }),
  );

const outcomesOf = (answers: Answer[]) =>
  tally(answers, ({ status, body }) => [status, body.code, body.departure_time]);

/** Returns the taken seats of each start time, as the database counts them. */
async function seatsByTime(db: Db, { tour, date }: Named): Promise<Record<string, number>> {
  const { rows } = await db.raw<{ rows: { time: string; taken: number }[] }>(
    `select coalesce(d.start_time, 'none') as time, seats.taken
     from departures d, count_seats(d.id, false, clock_timestamp()) as seats
     where d.tour_id = ? and d.departure_date = ?`,
    [tour.id, date],
  );
  return Object.fromEntries(rows.map(({ time, taken }) => [time, taken]));
}

const MUST_CHOOSE = 'must name one of the departures of this date: 09:30, 14:30';
const mustChoose = ({ status, body }: Answer) => status === 400 && body.errors?.[0]?.message === MUST_CHOOSE;

/** Adds a departure and increments the revision of its tour, as a command does. */
async function addDeparture(db: Db, { tour, date, time }: Named, seats: number): Promise<void> {
  await inTransaction(db, async (trx) => {
    await trx('tours').where({ id: tour.id }).forNoKeyUpdate().first('id');
    await givenDeparture(trx, tour, { date, startTime: time, seats });
    await trx('tours').where({ id: tour.id }).increment('revision', 1);
  });
}

describe.each([
  ['with group commit', 'on'],
  ['without group commit', 'off'],
])('two processes %s', (_title, GROUP_COMMIT) => {
  beforeAll(async () => {
    database = await createTestDatabase();
    const start = () => startApiProcess(database.url, { GROUP_COMMIT, PREPARED_STATEMENTS: GROUP_COMMIT });
    processes = await Promise.all([start(), start()]);
    authorization = `Bearer ${await givenKey(database.db, await givenTenant(database.db))}`;
  }, 60_000);
  afterAll(async () => {
    for (const api of processes) expect(await api.stop()).toBe(0);
    await database.drop();
  }, 30_000);

  it('concurrent holds and bookings with times sell each seat of two departures of one date once', async () => {
    const { db } = database;
    const tour = await givenTour(db);
    const date = await givenDeparture(db, tour, { startTime: '09:30', seats: 3 });
    await givenDeparture(db, tour, { startTime: '14:30', seats: 2 });
    const times = ['09:30', '14:30'];
    const answers = await Promise.all(
      Array.from({ length: 80 }, (_, n) => {
        const named = { tour, date, time: times[(n >> 1) % 2] };
        return n % 3 === 0 ? book(n, named) : hold(n, named);
      }),
    );
    expect(outcomesOf(answers)).toEqual({ '201 09:30': 3, '201 14:30': 2, '409 insufficient_seats': 75 });
    expect(await seatsByTime(db, { tour, date })).toEqual({ '09:30': 3, '14:30': 2 });
  });

  it('a sale without a time gets the only departure of its date, until a second one is added', async () => {
    const { db } = database;
    const tour = await givenTour(db);
    const date = await givenDeparture(db, tour, { startTime: '09:30', seats: 20 });
    const path = `/api/gateway/tours/${tour.slug}/availability?departure_date=${date}`;
    const known = await Promise.all([0, 1].map((process) => send(process, 'GET', path)));
    expect(known.map(({ body }) => body.departure_time)).toEqual(['09:30', '09:30']);

    const [answers] = await Promise.all([
      Promise.all(Array.from({ length: 40 }, (_, n) => (n % 2 ? hold : book)(n >> 1, { tour, date }))),
      addDeparture(db, { tour, date, time: '14:30' }, 5),
    ]);
    const granted = answers.filter(({ status }) => status === 201);
    const full = answers.filter(({ body }) => body.code === 'insufficient_seats');
    expect(granted.every(({ body }) => body.departure_time === '09:30')).toBe(true);
    expect(granted.length + full.length + answers.filter(mustChoose).length).toBe(40);
    expect(await seatsByTime(db, { tour, date })).toEqual({ '09:30': granted.length, '14:30': 0 });
    expect(granted.length).toBeLessThanOrEqual(20);

    await awaitInstances(db);
    const later = await Promise.all([0, 1].map((process) => hold(process, { tour, date })));
    expect(later.filter((answer) => !mustChoose(answer))).toEqual([]);
  });

  it('bookings with or without a time get no unexpected error while tourctl departure set-time runs', async () => {
    const { db } = database;
    const tour = await givenTour(db);
    const date = await givenDeparture(db, tour, { seats: 100 });
    const sell = (from: number, time?: string) =>
      Promise.all(Array.from({ length: 10 }, (_, n) => book(from + n, { tour, date, time })));
    const [untimed, timed] = await Promise.all([
      sell(0),
      sell(5, '09:30'),
      inTransaction(db, (trx) => changeDepartures(trx, setStartTime(trx, tour, { date }, '09:30'))),
    ]);
    expect(untimed.map(({ status }) => status)).toEqual(untimed.map(() => 201));
    const outcomes = Object.keys(outcomesOf([...untimed, ...timed]));
    expect(outcomes.filter((one) => !['201', '201 09:30', '409 departure_gone'].includes(one))).toEqual([]);
    expect(timed.filter(({ status, body }) => status === 201 && body.departure_time !== '09:30')).toEqual([]);

    const after = await sell(0, '09:30');
    expect(outcomesOf(after)).toEqual({ '201 09:30': 10 });
    const sold = [...untimed, ...timed, ...after].filter(({ status }) => status === 201).length;
    expect(await seatsByTime(db, { tour, date })).toEqual({ '09:30': sold });
    const { body } = await send(0, 'GET', '/api/tenant/bookings?limit=100');
    const listed = (body as { items?: { tour: { id: string }; departure_time: string }[] }).items!;
    const ofTour = listed.filter((one) => one.tour.id === tour.id);
    expect(ofTour.map((one) => one.departure_time)).toEqual(ofTour.map(() => '09:30'));
    expect(ofTour).toHaveLength(sold);
  });
});

describe('two commands at once', () => {
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.drop());

  const tourctl = (...words: string[]) =>
    runOnce([...words, '--json'], {
      env: { DATABASE_URL: database.url, SECRETS_KEY: 's'.repeat(32), CURSOR_KEY: 'c'.repeat(32) },
    });
  const add = (slug: string) =>
    tourctl('departure', 'add', slug, '2031-06-01', '--seats', '5', '--adult', '100');
  const codesOf = (answers: Awaited<ReturnType<typeof tourctl>>[]) =>
    answers.filter(({ code }) => code !== 0).map(({ error }) => error.code);
  const stored = async (slug: string) => {
    const { rows } = await database.db.raw<{ rows: { time: string | null }[] }>(
      `select coalesce(d.start_time, t.start_time) as time from departures d join tours t on t.id = d.tour_id
       where t.slug = ? order by 1`,
      [slug],
    );
    return rows.map(({ time }) => time);
  };

  it.each([null, '09:30'])(
    'commands that add the same departure add it once, and the others get departure_exists (start time %s)',
    async (time) => {
      const { slug, id } = await givenTour(database.db);
      await database.db('tours').where({ id }).update({ start_time: time });
      const answers = await Promise.all([add(slug), add(slug), add(slug)]);
      expect(codesOf(answers).filter((code) => code !== 'departure_exists')).toEqual([]);
      expect(await stored(slug)).toEqual([time]);
    },
  );

  it('an import and a concurrent addition never give two departures of a tour the same start time', async () => {
    for (let round = 0; round < 5; round++) {
      const slug = unique('tour');
      const write = async (start_time: string) => {
        const departures = [departureEntry()];
        const files = writeFiles({ 'tours.json': [tourEntry({ slug, start_time, departures })] });
        return tourctl('catalog', 'import', ...files);
      };
      expect((await write('09:30')).code).toBe(0);
      const [tour] = await database.db('tours').where({ slug }).select<GivenTour[]>('id', 'slug');
      const named = { tour: tour!, date: '2031-06-01', time: '14:30' };
      const [moved, added] = await Promise.allSettled([write('14:30'), addDeparture(database.db, named, 5)]);
      if (moved.status === 'rejected') throw moved.reason;
      expect([moved.value.code === 0, added.status === 'fulfilled'].sort()).toEqual([false, true]);
      expect(codesOf([moved.value])).not.toContain('internal_error');
      expect(new Set(await stored(slug)).size).toBe((await stored(slug)).length);
    }
  });
});
