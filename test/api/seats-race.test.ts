import type { Db } from '../../services/platform/database/database';
import { type ApiProcess, startApiProcess } from '../support/api-process';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { givenKey, givenTenant } from '../support/given';
import { outcomesOf, type RaceAnswer, sendTo, untilDecided } from '../support/race';
import { CUSTOMER, givenSeats, type Seats, seatsTaken, seatsTakenByKind } from '../support/website';

let database: TestDatabase;
let processes: ApiProcess[];
/** The header with the key of a real tenant. */
let authorization: string;
/** The header with the key of a sandbox tenant. */
let sandboxAuthorization: string;

/** Requests with this number or a higher one use the key of a sandbox tenant. */
const SANDBOX = 1000;

interface Body {
  code?: string;
  hold_id: string;
  booking_ref: string;
  tour: { id: string };
}
type Answer = RaceAnswer<Body>;

const send = (process: number, method: string, path: string, body?: object, headers?: object) =>
  sendTo<Body>(processes, process, {
    method,
    path,
    body,
    authorization: process < SANDBOX ? authorization : sandboxAuthorization,
    headers,
  });

const hold = (process: number, { tour, date }: Seats, quantity = 1) =>
  send(process, 'POST', `/api/gateway/tours/${tour.slug}/hold`, { departure_date: date, quantity });
const book = (process: number, { tour, date }: Seats, more: object = {}, headers?: object) => {
  const order = { ...CUSTOMER, tour_id: tour.id, departure_date: date, ...more };
  return send(process, 'POST', '/api/tenant/bookings', order, headers);
};

describe.each([
  ['with group commit', ['on', 'on']],
  ['of which one has group commit', ['on', 'off']],
])('two processes %s', (_title, settings) => {
  beforeAll(async () => {
    database = await createTestDatabase();
    const starting = settings.map((GROUP_COMMIT) =>
      startApiProcess(database.url, { GROUP_COMMIT, PREPARED_STATEMENTS: GROUP_COMMIT }),
    );
    processes = await Promise.all(starting);
    const keyOf = async (sandbox: boolean) =>
      `Bearer ${await givenKey(database.db, await givenTenant(database.db, { sandbox }))}`;
    authorization = await keyOf(false);
    sandboxAuthorization = await keyOf(true);
  }, 60_000);
  afterAll(async () => {
    for (const api of processes) expect(await api.stop()).toBe(0);
    await database.drop();
  }, 30_000);

  describe('ten seats and two processes', () => {
    it('exactly ten of 200 concurrent holds get ten seats; the others get insufficient_seats', async () => {
      const seats = await givenSeats(database.db, { seats: 10 });
      const answers = await Promise.all(
        Array.from({ length: 200 }, (_, n) => untilDecided(() => hold(n, seats))),
      );
      expect(outcomesOf(answers)).toEqual({ '201': 10, '409 insufficient_seats': 190 });
      expect(await seatsTaken(database.db, seats)).toBe(10);
    });

    it('exactly ten of 60 concurrent bookings get ten seats, each with its event', async () => {
      const { db } = database;
      const seats = await givenSeats(db, { seats: 10 });
      const answers = await Promise.all(
        Array.from({ length: 60 }, (_, n) => untilDecided(() => book(n, seats))),
      );
      expect(outcomesOf(answers)).toEqual({ '201': 10, '409 insufficient_seats': 50 });
      const refs = await db('booking_leads').where({ tour_id: seats.tour.id }).pluck('booking_ref');
      expect(await db('webhook_events').whereIn('booking_ref', refs).pluck('booking_ref')).toHaveLength(10);
      expect(refs).toHaveLength(10);
    });

    it('80 concurrent real sales and 80 concurrent sandbox sales each sell exactly ten seats', async () => {
      const { db } = database;
      const seats = await givenSeats(db, { seats: 10 });
      const sell = (n: number) => untilDecided(() => (n % 3 ? hold(n, seats) : book(n, seats)));
      const answers = await Promise.all(
        Array.from({ length: 80 }, (_, n) => [sell(n), sell(SANDBOX + n)]).flat(),
      );
      for (const kind of [0, 1]) {
        const ofKind = answers.filter((_answer, n) => n % 2 === kind);
        expect(outcomesOf(ofKind)).toEqual({ '201': 10, '409 insufficient_seats': 70 });
      }
      expect(await seatsTakenByKind(db, seats)).toEqual({ real: 10, sandbox: 10 });
    });

    it('exactly one of 20 concurrent bookings consumes a hold', async () => {
      const seats = await givenSeats(database.db, { seats: 2 });
      const { hold_id } = (await hold(0, seats, 2)).body;
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, n) => book(n, seats, { hold_id, adults: 2 })),
      );
      expect(outcomesOf(answers)).toEqual({ '201': 1, '409 hold_state_conflict': 19 });
    });

    it('requests with one Idempotency-Key to both processes book once', async () => {
      const seats = await givenSeats(database.db);
      const key = { 'idempotency-key': 'one-order' };
      const answers = await Promise.all(Array.from({ length: 40 }, (_, n) => book(n, seats, {}, key)));
      const made = answers.filter(({ status }) => status === 201);
      expect(Object.keys(outcomesOf(answers)).sort()).toEqual(
        made.length === 40 ? ['201'] : ['201', '409 idempotency_in_progress'],
      );
      expect(new Set(made.map(({ body }) => JSON.stringify(body))).size).toBe(1);
      expect(await seatsTaken(database.db, seats)).toBe(1);
    });

    it('a booking that is confirmed and cancelled at the same time ends with its seats free', async () => {
      const seats = await givenSeats(database.db);
      const { booking_ref } = (await book(0, seats)).body;
      const steps = Array.from({ length: 20 }, (_, n) =>
        send(n, 'POST', `/api/tenant/bookings/${booking_ref}/${n % 4 < 2 ? 'confirm' : 'cancel'}`),
      );
      const answers = await Promise.all(steps);
      expect(outcomesOf(answers.filter((_, n) => n % 4 >= 2))).toEqual({ '200': 10 });
      const confirms = outcomesOf(answers.filter((_, n) => n % 4 < 2));
      const { '200': before = 0, '409 booking_state_conflict': after = 0 } = confirms;
      expect(before + after).toBe(10);
      expect(await seatsTaken(database.db, seats)).toBe(0);
    });
  });

  describe('a mix of concurrent writes on a few departures', () => {
    it('concurrent writes never take more seats of a kind than there are, and never fail', async () => {
      const { db } = database;
      const departures = await Promise.all([4, 7, 10].map((seats) => givenSeats(db, { seats })));
      const any = <T>(list: T[]) => list[Math.floor(Math.random() * list.length)];
      const upTo = (n: number) => 1 + Math.floor(Math.random() * n);

      type Act = (n: number) => Promise<Answer | undefined>;
      const actsOf = (holds: string[], bookings: string[]): Act[] => [
        async (n) => keep(await hold(n, any(departures)!, upTo(3)), holds, 'hold_id'),
        async (n) => keep(await book(n, any(departures)!, { adults: upTo(3) }), bookings, 'booking_ref'),
        async (n) =>
          withAny(holds, async (id) => {
            const { body } = await send(n, 'GET', `/api/gateway/holds/${id}`);
            const order = { hold_id: id, tour_id: body.tour.id, departure_date: undefined, adults: upTo(4) };
            return keep(await book(n, any(departures)!, order), bookings, 'booking_ref');
          }),
        async (n) =>
          withAny(holds, (id) => send(n, 'POST', `/api/gateway/holds/${id}/extend`, { hold_minutes: 20 })),
        async (n) => withAny(holds, (id) => send(n, 'DELETE', `/api/gateway/holds/${id}`)),
        async () => withAny(holds, (id) => shortenHold(db, id, 5 * upTo(10))),
        async (n) => withAny(bookings, (ref) => send(n, 'POST', `/api/tenant/bookings/${ref}/cancel`)),
        async (n) => withAny(bookings, (ref) => send(n, 'POST', `/api/tenant/bookings/${ref}/confirm`)),
      ];
      const [ofReal, ofSandbox] = [actsOf([], []), actsOf([], [])];
      async function withAny(list: string[], act: (id: string) => Promise<Answer | undefined>) {
        const id = any(list);
        return id === undefined ? undefined : act(id);
      }

      const answers: Answer[] = [];
      let looks = 0;
      const [until, latest] = [Date.now() + 3_000, Date.now() + 20_000];
      const created = () => answers.filter(({ status }) => status === 201).length;
      // A slow machine gets more time.
      const goesOn = () => Date.now() < until || (Date.now() < latest && (created() <= 20 || looks <= 20));
      const client = async (n: number) => {
        while (goesOn()) {
          const answer = await any(n < SANDBOX ? ofReal : ofSandbox)!(n);
          if (answer) answers.push(answer);
        }
      };
      const watch = async () => {
        for (; goesOn(); looks++) {
          const { rows } = await db.raw(
            `select seats_total, taken from departures, unnest(array[true, false]) as kind,
               count_seats(id, kind, clock_timestamp()) where tour_id = any(?)`,
            [departures.map(({ tour }) => tour.id)],
          );
          for (const { seatsTotal, taken } of rows) expect(taken).toBeLessThanOrEqual(seatsTotal);
        }
      };
      const clients = Array.from({ length: 6 }, (_, n) => [client(n), client(SANDBOX + n)]).flat();
      await Promise.all([watch(), ...clients]);

      const counts = outcomesOf(answers);
      expect(Object.keys(counts).filter((outcome) => !/^(20[014]|409 \w+)$/.test(outcome))).toEqual([]);
      // On a busy machine some requests wait for two seconds.
      expect(counts['409 departure_busy'] ?? 0).toBeLessThan(answers.length / 5);
      expect(counts['201']).toBeGreaterThan(20);
      expect(looks).toBeGreaterThan(20);
    });
  });
});

function keep(answer: Answer, list: string[], field: 'hold_id' | 'booking_ref'): Answer {
  if (answer.status === 201) list.push(answer.body[field]);
  return answer;
}

/** Takes the departure's lock first, according to the lock order. */
async function shortenHold(db: Db, id: string, milliseconds: number): Promise<undefined> {
  await db.transaction(async (trx) => {
    await trx.raw(
      'select d.id from departures d join seat_holds h on h.departure_id = d.id where h.id = ? for update of d',
      [id],
    );
    await trx.raw(
      `update seat_holds set expires_at = least(expires_at, clock_timestamp() + ? * interval '1 millisecond')
       where id = ? and status = 'active'`,
      [milliseconds, id],
    );
  });
  return undefined;
}
