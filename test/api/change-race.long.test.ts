import { setTimeout as sleep } from 'node:timers/promises';
import { cancelDeparture, reopenDeparture } from '../../services/api/seats/changes/change-departure';
import { type Db, inTransaction } from '../../services/platform/database/database';
import { type ApiProcess, startApiProcess } from '../support/api-process';
import { changeDepartures } from '../support/change';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { daysFromToday, givenDeparture, givenKey, givenTenant, givenTour } from '../support/given';
import { outcomesOf, type RaceAnswer, sendTo, untilDecided } from '../support/race';
import { CUSTOMER, type Seats, seatsTaken } from '../support/website';

const SEATS = 8;

let database: TestDatabase;
let processes: ApiProcess[];
let authorization: string;

interface Body {
  code?: string;
  hold_id: string;
  booking_ref: string;
  departure_date: string;
  adults: number;
}
type Answer = RaceAnswer<Body>;

/** Repeats a move of a standing booking that others have changed during each of three tries. No other state of it conflicts. */
async function untilMoved(move: () => Promise<Answer>): Promise<Answer> {
  const answer = await move();
  return answer.body.code === 'booking_state_conflict' ? untilMoved(move) : answer;
}

const send = (process: number, method: string, path: string, body?: object) =>
  sendTo<Body>(processes, process, { method, path, body, authorization });

const hold = (process: number, { tour, date }: Seats, quantity = 1) =>
  send(process, 'POST', `/api/gateway/tours/${tour.slug}/hold`, { departure_date: date, quantity });
const book = (process: number, { tour, date }: Seats, more: object = {}) =>
  send(process, 'POST', '/api/tenant/bookings', {
    ...CUSTOMER,
    tour_id: tour.id,
    departure_date: date,
    ...more,
  });
const changeHold = (process: number, id: string, body: object) =>
  send(process, 'PATCH', `/api/gateway/holds/${id}`, body);
const changeBooking = (process: number, ref: string, body: object) =>
  send(process, 'PATCH', `/api/tenant/bookings/${ref}`, body);

/** Creates a tour with two departures. */
async function givenTwo(db: Db, seats: number): Promise<[Seats, Seats]> {
  const tour = await givenTour(db);
  const dates = [30, 31].map((days) => givenDeparture(db, tour, { date: daysFromToday(days), seats }));
  const [first, second] = await Promise.all(dates);
  return [
    { tour, date: first! },
    { tour, date: second! },
  ];
}

describe.each([
  ['with group commit', ['on', 'on']],
  ['without group commit', ['off', 'off']],
])('two processes %s:', (_title, settings) => {
  beforeAll(async () => {
    database = await createTestDatabase();
    const starting = settings.map((GROUP_COMMIT) =>
      startApiProcess(database.url, { GROUP_COMMIT, PREPARED_STATEMENTS: GROUP_COMMIT }),
    );
    processes = await Promise.all(starting);
    authorization = `Bearer ${await givenKey(database.db, await givenTenant(database.db))}`;
  }, 60_000);
  afterAll(async () => {
    for (const api of processes) expect(await api.stop()).toBe(0);
    await database.drop();
  }, 30_000);

  it('bookings that move in opposite directions between two departures at the same time all succeed', async () => {
    const { db } = database;
    const [one, two] = await givenTwo(db, 20);
    const made = await Promise.all(
      Array.from({ length: 20 }, (_, n) => untilDecided(() => book(n, n % 2 ? one : two))),
    );
    const moves = made.map(({ body }, n) =>
      untilDecided(() => changeBooking(n, body.booking_ref, { departure_date: (n % 2 ? two : one).date })),
    );
    expect(outcomesOf(await Promise.all(moves))).toEqual({ '200': 20 });
    expect([await seatsTaken(db, one), await seatsTaken(db, two)]).toEqual([10, 10]);
  });

  it('exactly two of twelve concurrent moves to a departure with two free seats succeed', async () => {
    const { db } = database;
    const [one, two] = await givenTwo(db, 12);
    await hold(0, two, 10);
    const made = await Promise.all(
      Array.from({ length: 12 }, (_, n) => untilDecided(() => (n % 2 ? hold(n, one) : book(n, one)))),
    );
    const moves = made.map(({ body }, n) =>
      untilDecided(() =>
        n % 2
          ? changeHold(n, body.hold_id, { departure_date: two.date })
          : changeBooking(n, body.booking_ref, { departure_date: two.date }),
      ),
    );
    expect(outcomesOf(await Promise.all(moves))).toEqual({ '200': 2, '409 insufficient_seats': 10 });
    expect([await seatsTaken(db, one), await seatsTaken(db, two)]).toEqual([10, 12]);
  });

  it('a booking that concurrent requests move ends on one departure, and takes seats only there', async () => {
    const { db } = database;
    const [one, two] = await givenTwo(db, 4);
    const { booking_ref } = (await book(0, one, { adults: 2 })).body;
    const steps = Array.from({ length: 24 }, (_, n) => {
      const body = { departure_date: (n % 2 ? one : two).date, adults: 1 + (n % 3) };
      return untilMoved(() => untilDecided(() => changeBooking(n, booking_ref, body)));
    });
    expect(outcomesOf(await Promise.all(steps))).toEqual({ '200': 24 });
    const { body } = await send(0, 'GET', `/api/tenant/bookings/${booking_ref}`);
    const at = (seats: Seats) => (seats.date === body.departure_date ? body.adults : 0);
    expect([await seatsTaken(db, one), await seatsTaken(db, two)]).toEqual([at(one), at(two)]);
  });

  it('concurrent changes and sales on two departures never fail, and neither oversell nor lose a seat', async () => {
    const { db } = database;
    const departures = await givenTwo(db, SEATS);
    const holds: string[] = [];
    const bookings: string[] = [];
    const any = <T>(list: readonly T[]) => list[Math.floor(Math.random() * list.length)]!;
    const upTo = (n: number) => 1 + Math.floor(Math.random() * n);
    const keep = (answer: Answer, list: string[], field: 'hold_id' | 'booking_ref') => {
      if (answer.status === 201) list.push(answer.body[field]);
      return answer;
    };
    const withAny = async (list: string[], act: (id: string) => Promise<Answer | undefined>) =>
      list.length > 0 ? act(any(list.slice(-6))) : undefined;
    const somewhere = () => ({ departure_date: any(departures).date });

    const acts: ((n: number) => Promise<Answer | undefined>)[] = [
      async (n) => keep(await hold(n, any(departures), upTo(3)), holds, 'hold_id'),
      async (n) => keep(await book(n, any(departures), { adults: upTo(3) }), bookings, 'booking_ref'),
      async (n) =>
        withAny(holds, async (hold_id) => {
          const order = { hold_id, departure_date: undefined, adults: upTo(3) };
          return keep(await book(n, departures[0], order), bookings, 'booking_ref');
        }),
      ...[somewhere, () => ({ quantity: upTo(4) }), () => ({ ...somewhere(), quantity: upTo(3) })].map(
        (body) => async (n: number) => withAny(holds, (id) => changeHold(n, id, body())),
      ),
      ...[somewhere, () => ({ adults: upTo(4) }), () => ({ ...somewhere(), adults: upTo(3) })].map(
        (body) => async (n: number) => withAny(bookings, (ref) => changeBooking(n, ref, body())),
      ),
      async (n) =>
        withAny(holds, (id) => send(n, 'POST', `/api/gateway/holds/${id}/extend`, { hold_minutes: 20 })),
      async (n) => withAny(holds, (id) => send(n, 'DELETE', `/api/gateway/holds/${id}`)),
      async (n) => withAny(bookings, (ref) => send(n, 'POST', `/api/tenant/bookings/${ref}/cancel`)),
      async (n) => withAny(bookings, (ref) => send(n, 'POST', `/api/tenant/bookings/${ref}/confirm`)),
      async () => withAny(holds, (id) => endSoon(db, 'seat_holds', 'expires_at', { id })),
      async () =>
        withAny(bookings, (booking_ref) => endSoon(db, 'booking_leads', 'payment_due_at', { booking_ref })),
      async () => cancelAndReopen(db, any(departures)),
    ];

    const answers: Answer[] = [];
    const [until, latest] = [Date.now() + 4_000, Date.now() + 30_000];
    const changed = () => answers.filter(({ status }) => status === 200).length;
    // Gives a slow machine more time.
    const goesOn = () => Date.now() < until || (Date.now() < latest && changed() <= 40);
    const client = async (n: number) => {
      while (goesOn()) {
        const answer = await any(acts)(n);
        if (answer) answers.push(answer);
      }
    };
    const watch = async () => {
      while (goesOn())
        for (const seats of departures) expect(await seatsTaken(db, seats)).toBeLessThanOrEqual(SEATS);
    };
    await Promise.all([watch(), ...Array.from({ length: 12 }, (_, n) => client(n))]);

    const counts = outcomesOf(answers);
    expect(Object.keys(counts).filter((outcome) => !/^(20[014]|409 \w+)$/.test(outcome))).toEqual([]);
    expect(counts['409 departure_busy'] ?? 0).toBeLessThan(answers.length / 5);
    expect(changed()).toBeGreaterThan(40);
    await expectAllSeatsBack(db, departures, holds, bookings);
  }, 60_000);
});

/** Ends all sales and expects that every seat of the departures can be sold again. */
async function expectAllSeatsBack(
  db: Db,
  departures: Seats[],
  holds: string[],
  bookings: string[],
): Promise<void> {
  const { rows } = await db.raw(
    `select l.booking_ref from booking_leads l join departures d on d.id = l.departure_id
     where l.departure_date <> d.departure_date or l.tour_id <> d.tour_id`,
  );
  expect(rows).toEqual([]);
  for (const id of holds) await send(0, 'DELETE', `/api/gateway/holds/${id}`);
  for (const ref of bookings) await send(0, 'POST', `/api/tenant/bookings/${ref}/cancel`);
  for (const seats of departures) {
    expect(await seatsTaken(db, seats)).toBe(0);
    expect((await hold(0, seats, SEATS)).status).toBe(201);
  }
}

/** Moves the end of a hold or payment window to at most 50 ms from now. Takes the departure's lock first. */
async function endSoon(
  db: Db,
  table: 'seat_holds' | 'booking_leads',
  column: string,
  key: Record<string, string>,
): Promise<undefined> {
  await inTransaction(db, async (trx) => {
    const { departureId } = await trx(table).where(key).first('departure_id');
    await trx('departures').where({ id: departureId }).forUpdate().select('id');
    const soon = trx.raw(`clock_timestamp() + ? * interval '1 millisecond'`, [Math.random() * 50]);
    await trx(table)
      .where({ ...key, departure_id: departureId })
      .whereIn('status', ['active', 'pending_payment'])
      .update({ [column]: soon });
  });
  return undefined;
}

/** Cancels a departure for some milliseconds, through the use cases of the terminal. */
async function cancelAndReopen(db: Db, { tour, date }: Seats): Promise<undefined> {
  await inTransaction(db, (trx) => changeDepartures(trx, cancelDeparture(trx, tour, { date })));
  await sleep(20);
  await inTransaction(db, (trx) => changeDepartures(trx, reopenDeparture(trx, tour, { date })));
  return undefined;
}
