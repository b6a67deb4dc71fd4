import { randomUUID } from 'node:crypto';
import { type ApiProcess, startApiProcess } from '../support/api-process';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { givenKey, givenTenant } from '../support/given';
import { type RaceAnswer, sendTo, untilDecided } from '../support/race';
import { endHoldIn, givenSeats, type Seats, seatsTaken } from '../support/website';

let database: TestDatabase;
let processes: ApiProcess[];
let keys: string[];

interface Body {
  code?: string;
  error?: string;
  uuid: string;
  status: string;
  supplierReference: string | null;
}
type Answer = RaceAnswer<Body>;

const send = (process: number, method: string, path: string, body?: object, key = keys[0]) =>
  sendTo<Body>(processes, process, { method, path, body, authorization: `Bearer ${key}` });

/** Repeats the request while another write is in progress: OCTO then answers 503, and REST answers departure_busy. */
const untilWritten = (request: () => Promise<Answer>) =>
  untilDecided(request, ({ status, body }) => status === 503 || body.code === 'departure_busy');

async function bodyFor({ tour, date }: Seats, more: object = {}) {
  const departure = { tour_id: tour.id, departure_date: date };
  const [availabilityId] = await database.db('departures').where(departure).pluck('id');
  return {
    productId: tour.id,
    optionId: 'DEFAULT',
    availabilityId,
    unitItems: [{ unitId: 'adult' }],
    ...more,
  };
}

const reserve = (process: number, body: object, key?: string) =>
  untilWritten(() => send(process, 'POST', '/octo/bookings', body, key));
const call = (process: number, uuid: string, what: string) =>
  untilWritten(() => send(process, 'POST', `/octo/bookings/${uuid}/${what}`, {}));

async function rowsOf(uuid: string) {
  const holds = await database.db('octo_bookings').where({ uuid }).pluck('hold_id');
  const leads = await database.db('booking_leads').whereIn('hold_id', holds).pluck('booking_ref');
  const events = await database
    .db('webhook_events')
    .where({ type: 'booking.created' })
    .whereIn('booking_ref', leads)
    .pluck('id');
  return { holds, leads, events };
}

describe.each([
  ['with group commit', 'on'],
  ['without group commit', 'off'],
])('two processes %s', (_title, GROUP_COMMIT) => {
  beforeAll(async () => {
    database = await createTestDatabase();
    const { db, url } = database;
    processes = await Promise.all([0, 1].map(() => startApiProcess(url, { GROUP_COMMIT })));
    keys = [await givenKey(db, await givenTenant(db)), await givenKey(db, await givenTenant(db))];
  }, 60_000);
  afterAll(async () => {
    for (const api of processes) expect(await api.stop()).toBe(0);
    await database.drop();
  }, 30_000);

  it('exactly one of several concurrent holds of REST and OCTO gets the last seat', async () => {
    for (let round = 0; round < 3; round++) {
      const seats = await givenSeats(database.db, { seats: 1 });
      const body = await bodyFor(seats);
      const path = `/api/gateway/tours/${seats.tour.slug}/hold`;
      const byRest = { departure_date: seats.date, quantity: 1 };
      const answers = await Promise.all(
        [0, 1, 2, 3, 4, 5, 6, 7].map((n) =>
          n % 4 < 2 ? reserve(n, body) : untilWritten(() => send(n, 'POST', path, byRest)),
        ),
      );
      const placed = answers.filter(({ status }) => status < 300);
      const refused = answers.filter(({ status }) => status >= 300);
      expect([placed.length, await seatsTaken(database.db, seats)]).toEqual([1, 1]);
      for (const { body: refusal } of refused)
        expect(refusal.error ?? refusal.code).toMatch(/^(UNPROCESSABLE_ENTITY|insufficient_seats)$/);
    }
  }, 30_000);

  it('two tenants each get a booking for the same UUID at the same time', async () => {
    const seats = await givenSeats(database.db);
    const uuid = randomUUID();
    const body = await bodyFor(seats, { uuid });
    const answers = await Promise.all([reserve(0, body, keys[0]), reserve(1, body, keys[1])]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect((await rowsOf(uuid)).holds).toHaveLength(2);
    await send(0, 'POST', `/octo/bookings/${uuid}/cancel`, {}, keys[0]);
    const [mine, theirs] = await Promise.all(
      keys.map((key) => send(1, 'GET', `/octo/bookings/${uuid}`, undefined, key)),
    );
    expect([mine!.body.status, theirs!.body.status]).toEqual(['CANCELLED', 'ON_HOLD']);
  });

  it('concurrent reservations with one UUID and one body make one booking', async () => {
    for (let round = 0; round < 3; round++) {
      const seats = await givenSeats(database.db);
      const body = await bodyFor(seats, { uuid: randomUUID() });
      const answers = await Promise.all([0, 1, 2, 3].map((n) => reserve(n, body)));
      expect(answers.map(({ status, body: { status: state } }) => [status, state])).toEqual(
        Array(4).fill([200, 'ON_HOLD']),
      );
      expect(await seatsTaken(database.db, seats)).toBe(1);
    }
  }, 30_000);

  it('only one of two bodies gets a booking when concurrent reservations share a UUID', async () => {
    for (let round = 0; round < 3; round++) {
      const uuid = randomUUID();
      const both = [await givenSeats(database.db), await givenSeats(database.db)];
      const bodies = await Promise.all(both.map((seats) => bodyFor(seats, { uuid })));
      const answers = await Promise.all([0, 1, 2, 3].map((n) => reserve(n, bodies[(n >> 1) % 2]!)));
      const outcomes = answers.map(({ status, body: { error } }) => `${status} ${error ?? ''}`).sort();
      expect(outcomes).toEqual(['200 ', '200 ', '400 INVALID_BOOKING_UUID', '400 INVALID_BOOKING_UUID']);
      const taken = await Promise.all(both.map((seats) => seatsTaken(database.db, seats)));
      expect(taken.sort()).toEqual([0, 1]);
    }
  }, 30_000);

  it('concurrent confirmations make one lead, and all answer with this lead', async () => {
    for (let round = 0; round < 3; round++) {
      const seats = await givenSeats(database.db, { seats: 1 });
      const { uuid } = (await reserve(0, await bodyFor(seats))).body;
      const answers = await Promise.all([0, 1, 2].map((n) => call(n, uuid, 'confirm')));
      const { leads, events } = await rowsOf(uuid);
      expect(answers.map(({ status, body }) => [status, body.supplierReference])).toEqual(
        Array(3).fill([200, leads[0]]),
      );
      expect([leads.length, events.length, await seatsTaken(database.db, seats)]).toEqual([1, 1, 1]);
    }
  }, 30_000);

  it.each([
    ['the end of the hold', { cancelled: false, ended: true }],
    ['a cancellation', { cancelled: true, ended: false }],
    ['a cancellation and the end of the hold', { cancelled: true, ended: true }],
  ])(
    'two confirmations concurrent with %s leave one consistent booking',
    async (_others, { cancelled, ended }) => {
      for (let round = 0; round < 3; round++) {
        const seats = await givenSeats(database.db);
        const { uuid } = (await reserve(0, await bodyFor(seats))).body;
        const { holds } = await rowsOf(uuid);
        const ending = ended ? endHoldIn(database.db, holds[0], 5) : undefined;
        const calls = ['confirm', 'confirm', ...(cancelled ? ['cancel'] : [])];
        const answers = await Promise.all(calls.map((what, n) => call(n, uuid, what)));
        await ending;
        await new Promise((resolve) => setTimeout(resolve, 10));
        const { body: now } = await send(0, 'GET', `/octo/bookings/${uuid}`);
        const { leads, events } = await rowsOf(uuid);
        const outcomes = answers.map(({ status, body }) => `${status} ${body.error ?? ''}`);
        const unexpected = outcomes.filter(
          (one) => !/^(200 |400 (INVALID_BOOKING_UUID|UNPROCESSABLE_ENTITY))$/.test(one),
        );
        const wasConfirmed = answers.some(({ body }) => body.status === 'CONFIRMED');
        expect({
          unexpected,
          status: now.status,
          supplierReference: now.supplierReference,
          leads: leads.length,
          events: events.length,
          taken: await seatsTaken(database.db, seats),
        }).toEqual({
          unexpected: [],
          status: expect.stringMatching(/^(CONFIRMED|CANCELLED|EXPIRED)$/),
          supplierReference: leads[0] ?? null,
          leads: wasConfirmed || leads.length > 0 ? 1 : 0,
          events: leads.length,
          taken: now.status === 'CONFIRMED' ? 1 : 0,
        });
      }
    },
    30_000,
  );

  it('a confirmation concurrent with PATCH loses no change', async () => {
    for (let round = 0; round < 6; round++) {
      const seats = await givenSeats(database.db, { seats: 20 });
      const { uuid } = (await reserve(0, await bodyFor(seats, { contact: { fullName: 'Old' } }))).body;
      const path = `/octo/bookings/${uuid}`;
      const change = { unitItems: [{ unitId: 'adult' }, { unitId: 'adult' }], contact: { fullName: 'New' } };
      const [changed] = await Promise.all([
        untilWritten(() => send(round, 'PATCH', path, change)),
        call(round + 1, uuid, 'confirm'),
      ]);
      expect(changed.status).toBe(200);
      const lead = await database
        .db('booking_leads as l')
        .join('octo_bookings as o', 'o.hold_id', 'l.hold_id')
        .where({ uuid })
        .first('l.party', 'l.customer_name');
      expect(lead).toMatchObject({ party: { adult: 2 }, customerName: 'New' });
      expect(await seatsTaken(database.db, seats)).toBe(2);
    }
  });

  it('two concurrent PATCH requests keep both changes', async () => {
    for (let round = 0; round < 6; round++) {
      const seats = await givenSeats(database.db, { seats: 20 });
      const { uuid } = (await reserve(0, await bodyFor(seats))).body;
      const changes = [{ fullName: 'Ana Lima' }, { emailAddress: 'ana@example.com' }];
      await Promise.all(
        changes.map((contact, n) =>
          untilWritten(() => send(n, 'PATCH', `/octo/bookings/${uuid}`, { contact })),
        ),
      );
      const { contact } = await database.db('octo_bookings').where({ uuid }).first('contact');
      expect(contact).toMatchObject({ fullName: 'Ana Lima', emailAddress: 'ana@example.com' });
    }
  });
});
