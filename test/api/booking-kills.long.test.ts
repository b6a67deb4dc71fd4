import { setTimeout as sleep } from 'node:timers/promises';
import { type ApiProcess, startApiProcess } from '../support/api-process';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { givenKey, givenTenant } from '../support/given';
import { CUSTOMER, givenSeats, type Seats, seatsTaken } from '../support/website';

/**
 * The test ends after this number of kills or seconds, whichever comes first, but not before two kills and a repeated answer: a loaded machine
 * needs seconds for one start. `npm run lab -- bookings` runs it for longer.
 */
const KILLS = Number(process.env.KILLS ?? 20);
const SECONDS = Number(process.env.KILL_SECONDS ?? 15);
const CLIENTS = 6;

let database: TestDatabase;
let authorization: string;
let instances: ApiProcess[];

const anyOf = <T>(list: T[]): T => list[Math.floor(Math.random() * list.length)]!;

interface Acknowledged {
  status: number;
  text: string;
  replayed: boolean;
}

/** Sends one request to any instance. @returns undefined when no answer arrives: the outcome is unknown */
async function book(key: string, seats: Seats): Promise<Acknowledged | undefined> {
  const { tour, date } = seats;
  const body = JSON.stringify({ ...CUSTOMER, tour_id: tour.id, departure_date: date, external_ref: key });
  const headers = { authorization, 'content-type': 'application/json', 'idempotency-key': key };
  try {
    const url = `${anyOf(instances).baseUrl}/api/tenant/bookings`;
    // Simulates a website that stops waiting, so that some answers are lost.
    const timeoutMs = Math.random() < 0.2 ? Math.ceil(Math.random() * 40) : 5000;
    const response = await fetch(url, {
      method: 'POST',
      headers,
      body,
      signal: AbortSignal.timeout(timeoutMs),
    });
    const replayed = response.headers.get('idempotent-replayed') === 'true';
    return { status: response.status, text: await response.text(), replayed };
  } catch {
    return undefined;
  }
}

/** Repeats the request with the same key until there is an answer, as a website does. */
async function bookUntilAnswered(key: string, seats: Seats): Promise<Acknowledged> {
  for (;;) {
    const answer = await book(key, seats);
    if (answer && (answer.status === 201 || answer.text.includes('"insufficient_seats"'))) return answer;
    if (answer) expect(answer.text).toMatch(/"(idempotency_in_progress|departure_busy|overloaded)"/);
    await sleep(20);
  }
}

describe.each(['on', 'off'])(
  'API processes with group commit %s that are killed while they book',
  (setting) => {
    const start = () =>
      startApiProcess(database.url, { GROUP_COMMIT: setting, PREPARED_STATEMENTS: setting });
    beforeAll(async () => {
      database = await createTestDatabase();
      authorization = `Bearer ${await givenKey(database.db, await givenTenant(database.db, { maxUnpaid: 1_000_000 }))}`;
      instances = await Promise.all([start(), start()]);
    }, 60_000);
    afterAll(async () => {
      await Promise.all(instances.map((instance) => instance.stop()));
      await database.drop();
    }, 30_000);

    it(
      'killed processes lose no acknowledged booking and create none twice',
      async () => {
        const { db } = database;
        const departures = await Promise.all([60, 10_000].map((seats) => givenSeats(db, { seats })));
        const acknowledged = new Map<string, { seats: Seats; answer: Acknowledged }>();
        let killing = true;
        let kills = 0;

        const killer = async () => {
          const until = Date.now() + SECONDS * 1000;
          const isOver = () => kills >= KILLS || Date.now() >= until;
          const hasRepeat = () => [...acknowledged.values()].some(({ answer }) => answer.replayed);
          while (!isOver() || kills < 2 || !hasRepeat()) {
            await sleep(Math.random() * 150);
            await instances[0]!.kill();
            instances.shift();
            kills += 1;
            instances.push(await start());
          }
          killing = false;
        };
        const client = async (name: number) => {
          for (let n = 0; killing; n++) {
            const key = `order-${name}-${n}`;
            const seats = departures[n % 2]!;
            acknowledged.set(key, { seats, answer: await bookUntilAnswered(key, seats) });
          }
        };
        await Promise.all([killer(), ...Array.from({ length: CLIENTS }, (_, name) => client(name))]);

        const leads = await db('booking_leads').select('external_ref', 'booking_ref');
        const events = await db('webhook_events').where({ type: 'booking.created' }).pluck('booking_ref');
        const made = [...acknowledged].filter(([, { answer }]) => answer.status === 201);
        expect(leads.map((lead) => lead.externalRef).sort()).toEqual(made.map(([key]) => key).sort());
        expect(leads.map((lead) => lead.bookingRef).sort()).toEqual(events.sort());
        expect(await seatsTaken(db, departures[0]!)).toBeLessThanOrEqual(60);
        expect(kills).toBeGreaterThan(1);

        const answeredTwice = made.filter(([, { answer }]) => answer.replayed);
        expect(answeredTwice.length).toBeGreaterThan(0);
        for (const [key, { seats, answer }] of [...answeredTwice, ...made.slice(0, 50)]) {
          expect(await bookUntilAnswered(key, seats)).toEqual({ ...answer, replayed: true });
        }
      },
      (SECONDS + 240) * 1000,
    );
  },
);
