import { setTimeout as sleep } from 'node:timers/promises';
import type { Response } from 'supertest';
import { useTestApi } from '../support/api';
import { daysFromToday, givenDeparture } from '../support/given';
import { untilTransactionWaits } from '../support/lock-wait';
import { expectProblem } from '../support/responses';
import { givenSeats, type Seats, seatsTaken, useWebsite } from '../support/website';

const api = useTestApi();
const website = useWebsite(api);
let locked: Seats;
let free: Seats;
beforeEach(async () => {
  locked = await givenSeats(api.db, { seats: 100 });
  free = await givenSeats(api.db);
});

const hold = ({ tour, date }: Seats, name = tour.slug) =>
  website.hold(name, { departure_date: date, quantity: 1 });

const orderOfLocked = () => ({ tour_id: locked.tour.slug, departure_date: locked.date });
const book = async () => (await website.book(orderOfLocked())).body.booking_ref as string;

/** Runs `work` while another transaction holds the lock of `locked`. */
async function whileLocked<T>(work: () => Promise<T>): Promise<T> {
  const other = await api.db.transaction();
  await other('departures').where({ tour_id: locked.tour.id }).forUpdate();
  return work().finally(() => other.rollback());
}

async function connectionsThatWait(): Promise<number> {
  await untilTransactionWaits(api.db);
  const { rows } = await api.db.raw(
    "select count(*)::int as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
  );
  return rows[0].n;
}

describe('requests for a departure that is locked', () => {
  it('requests for a locked departure take at most four connections, so that sales of other departures continue at once', async () => {
    const { slug, id } = locked.tour;
    const { answers, waiting, other, milliseconds } = await whileLocked(async () => {
      // The slug and the UUID name the same departure.
      const names = [slug, id, id.toUpperCase()];
      const answers = Array.from({ length: 40 }, (_, n) => hold(locked, names[n % 3]));
      await untilTransactionWaits(api.db);
      const begun = performance.now();
      const other = await hold(free);
      const milliseconds = performance.now() - begun;
      return { answers, other, milliseconds, waiting: await connectionsThatWait() };
    });
    expect(other.status).toBe(201);
    expect(milliseconds).toBeLessThan(1_500);
    expect(waiting).toBeLessThanOrEqual(4);
    const settled = await Promise.all(answers);
    // On a slow machine, the last holds may have waited for two seconds and are then refused.
    const refused = settled.filter(({ status }) => status !== 201);
    for (const answer of refused) expectProblem(answer, 409, 'departure_busy');
    expect(await seatsTaken(api.db, locked)).toBe(40 - refused.length);
  });

  it('requests that wait for a locked departure do not delay the repeat of a hold', async () => {
    const body = { departure_date: locked.date, quantity: 1 };
    const place = () => website.hold(locked.tour, body, { 'idempotency-key': 'cart-1' });
    const first = await place();
    expect(first.status).toBe(201);
    const { repeat, waiting } = await whileLocked(async () => {
      const waiting = Promise.all(Array.from({ length: 12 }, () => hold(locked)));
      await untilTransactionWaits(api.db);
      return { repeat: await place(), waiting };
    });
    expect([repeat.status, repeat.text]).toEqual([201, first.text]);
    expect(repeat.headers['idempotent-replayed']).toBe('true');
    await waiting;
  });

  it('requests that wait for a locked departure do not delay a repeated confirmation', async () => {
    const [paid, ...unpaid] = [await book(), await book(), await book(), await book(), await book()];
    const confirm = () =>
      website.post(`/api/tenant/bookings/${paid}/confirm`, undefined, { 'idempotency-key': 'paid-1' });
    const first = await confirm();
    expect(first.status).toBe(200);
    const { repeat, others } = await whileLocked(async () => {
      const others = Promise.all(unpaid.map((ref) => website.post(`/api/tenant/bookings/${ref}/confirm`)));
      await untilTransactionWaits(api.db);
      return { repeat: await confirm(), others };
    });
    expect([repeat.status, repeat.text]).toEqual([200, first.text]);
    expect(repeat.headers['idempotent-replayed']).toBe('true');
    await others;
  });

  it('requests for a locked departure get departure_busy after two seconds', async () => {
    const begun = performance.now();
    const answers = await whileLocked(() => Promise.all(Array.from({ length: 12 }, () => hold(locked))));
    expect(performance.now() - begun).toBeLessThan(3_500);
    for (const answer of answers) {
      expectProblem(answer, 409, 'departure_busy', { retryable: true });
      expect(answer.headers['retry-after']).toBe('1');
    }
    expect((await hold(locked)).status).toBe(201);
  });

  it('all changes of holds and bookings of a locked departure wait in one queue', async () => {
    const place = async () => (await hold(locked)).body.hold_id as string;
    const [extended, released, booked] = [await place(), await place(), await place()];
    const [confirmed, cancelled] = [await book(), await book()];
    const { answers, waiting } = await whileLocked(async () => {
      const answers = [
        website.post(`/api/gateway/holds/${extended}/extend`, { hold_minutes: 30 }),
        website.delete(`/api/gateway/holds/${released}`),
        website.book({ tour_id: locked.tour.slug, hold_id: booked }),
        website.book(orderOfLocked()),
        website.post(`/api/tenant/bookings/${confirmed}/confirm`),
        website.post(`/api/tenant/bookings/${cancelled}/cancel`),
        hold(locked),
      ];
      // Gives a fifth request time to reach the database.
      await sleep(500);
      return { answers, waiting: await connectionsThatWait() };
    });
    expect(waiting).toBeLessThanOrEqual(4);
    const settled: Response[] = await Promise.all(answers);
    expect(settled.map(({ status }) => status)).toEqual([200, 204, 201, 201, 200, 200, 201]);
  });
});

describe('changes that wait in the queue of their departure', () => {
  it('a repeat gets the stored answer although the changes before it take longer than two seconds', async () => {
    const { db } = api;
    const holds: string[] = [];
    for (let n = 0; n < 12; n++) holds.push((await hold(locked)).body.hold_id);
    const change = (id: string, headers = {}) =>
      website.patch(`/api/gateway/holds/${id}`, { quantity: 2 }, headers);
    const key = { 'idempotency-key': 'cart-2' };
    const [repeated, ...changed] = holds;
    const first = await change(repeated!, key);
    expect(first.status).toBe(200);
    await db.raw(`
      create function sleep_before_update() returns trigger language plpgsql as 'begin perform pg_sleep(0.3); return new; end';
      create trigger slow before update on seat_holds for each row execute function sleep_before_update()`);
    try {
      const others = Promise.all(changed.map((id) => change(id)));
      await untilSleeps();
      const repeat = await change(repeated!, key);
      expect([repeat.status, repeat.text]).toEqual([200, first.text]);
      expect(repeat.headers['idempotent-replayed']).toBe('true');
      const refused = (await others).filter(({ status }) => status !== 200);
      expect(refused.length).toBeGreaterThan(0);
      for (const answer of refused) expectProblem(answer, 409, 'departure_busy');
    } finally {
      await db.raw('drop trigger slow on seat_holds; drop function sleep_before_update()');
    }
  });
});

/** Waits until a transaction sleeps in a trigger. */
async function untilSleeps(): Promise<void> {
  const query = "select from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'";
  let sleeping = 0;
  while (sleeping === 0) sleeping = (await api.db.raw(query)).rows.length;
}

describe('moves of holds to a departure that is locked', () => {
  it.each(['asc', 'desc'])(
    'moves of holds to a locked departure do not delay sales of their old departure (order of ids: %s)',
    async (order) => {
      await givenDeparture(api.db, free.tour, { date: daysFromToday(31) });
      const [left, busy] = await api.db('departures').where({ tour_id: free.tour.id }).orderBy('id', order);
      const from = { tour: free.tour, date: left.departureDate };
      const place = async () => (await hold(from)).body.hold_id as string;
      const extended = await place();
      const moved = [await place(), await place(), await place(), await place()];
      const other = await api.db.transaction();
      await other('departures').where({ id: busy.id }).forUpdate();
      try {
        const moves = moved.map((id) =>
          website.patch(`/api/gateway/holds/${id}`, { departure_date: busy.departureDate }),
        );
        const answers = Promise.all(moves);
        await untilTransactionWaits(api.db);
        const begun = performance.now();
        expect((await hold(from)).status).toBe(201);
        const path = `/api/gateway/holds/${extended}/extend`;
        expect((await website.post(path, { hold_minutes: 30 })).status).toBe(200);
        expect(performance.now() - begun).toBeLessThan(1_000);
        await other.rollback();
        expect((await answers).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
        expect([
          await seatsTaken(api.db, from),
          await seatsTaken(api.db, { ...from, date: busy.departureDate }),
        ]).toEqual([2, 4]);
      } finally {
        if (!other.isCompleted()) await other.rollback();
      }
    },
  );
});
