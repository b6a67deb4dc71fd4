import type { Trx } from '../../services/platform/database/database';
import { useTestApi } from '../support/api';
import { claimKeyElsewhere, untilItMeetsKey } from '../support/claimed-key';
import { givenKey } from '../support/given';
import { expectProblem, expectReplay } from '../support/responses';
import { CUSTOMER, givenSeats, givenWebsite, type Seats, seatsTaken, useWebsite } from '../support/website';

const api = useTestApi();
const website = useWebsite(api);

let keys = 0;
const newKey = () => ({ 'idempotency-key': `key-${++keys}` });

/** Creates a booking, by default on a new departure. @returns its reference */
async function givenBooking(seats?: Seats): Promise<string> {
  const { tour, date } = seats ?? (await givenSeats(api.db));
  return (await website.book({ tour_id: tour.id, departure_date: date })).body.booking_ref;
}

describe('a repeat with the same key', () => {
  it('the repeat of a hold gets the same status and bytes and takes no more seats', async () => {
    const { db } = api;
    const seats = await givenSeats(db);
    const key = newKey();
    const body = { departure_date: seats.date, quantity: 2 };
    const first = await website.hold(seats.tour, body, key);
    expectReplay(await website.hold(seats.tour, body, key), first);
    expect([first.status, await seatsTaken(db, seats)]).toEqual([201, 2]);
  });

  it('the repeat of a booking gets the same answer after later changes, and books nothing', async () => {
    const { db } = api;
    const seats = await givenSeats(db, { seats: 2 });
    const hold = await website.hold(seats.tour, { departure_date: seats.date, quantity: 2 });
    const key = newKey();
    const order = { tour_id: seats.tour.id, hold_id: hold.body.hold_id, adults: 2, expected_total: 1000 };
    const first = await website.book(order, key);
    await db('departures')
      .where({ tour_id: seats.tour.id })
      .update({ prices_minor: { adult: 1 }, status: 'cancelled' });
    await website.post(`/api/tenant/bookings/${first.body.booking_ref}/cancel`);
    expectReplay(await website.book(order, key), first);
    expect(first.status).toBe(201);
    expect(await db('webhook_events').where({ booking_ref: first.body.booking_ref })).toHaveLength(1);
    expect(await db('booking_leads').where({ tour_id: seats.tour.id })).toHaveLength(1);
  });

  it.each(['confirm', 'cancel'])(
    'a repeated %s gets the same bytes with the same key, and runs again without a key',
    async (step) => {
      const path = `/api/tenant/bookings/${await givenBooking()}/${step}`;
      const key = newKey();
      const first = await website.post(path, undefined, key);
      expectReplay(await website.post(path, {}, key), first);
      expect(first.status).toBe(200);
      const anew = await website.post(path);
      expect([anew.status, anew.headers['idempotent-replayed']]).toEqual([200, undefined]);
    },
  );

  it('the repeat of an extension gets the same answer and does not extend again', async () => {
    const { tour, date } = await givenSeats(api.db);
    const hold = await website.hold(tour, { departure_date: date, quantity: 1 });
    const path = `/api/gateway/holds/${hold.body.hold_id}`;
    const key = newKey();
    const first = await website.post(`${path}/extend`, { hold_minutes: 30 }, key);
    const sameHold = `/api/gateway/holds/${hold.body.hold_id.toUpperCase()}`;
    expectReplay(await website.post(`${sameHold}/extend`, { hold_minutes: 30 }, key), first);
    expect((await website.get(path)).body.expires_at).toBe(first.body.expires_at);
  });

  it('the API recognises a repeat that names the tour by UUID instead of slug, in another field order', async () => {
    const { tour, date } = await givenSeats(api.db);
    const key = newKey();
    const first = await website.hold(tour.slug, { departure_date: date, quantity: 1 }, key);
    const byId = await website.hold(tour.id.toUpperCase(), { quantity: 1, departure_date: date }, key);
    expectReplay(byId, first);

    const order = { adults: 1, hold_id: first.body.hold_id };
    const bookingKey = newKey();
    const booking = await website.book({ tour_id: tour.slug, ...order }, bookingKey);
    const again = { hold_id: first.body.hold_id.toUpperCase(), adults: 1, tour_id: tour.id };
    expectReplay(await website.book(again, bookingKey), booking);
  });

  it('the API recognises a repeat with another API key of the tenant and a quoted Idempotency-Key', async () => {
    const { tour } = await givenSeats(api.db);
    const first = await website.book({ tour_id: tour.id }, { 'idempotency-key': 'quoted-1' });
    const authorization = `Bearer ${await givenKey(api.db, website.tenant)}`;
    const rotated = { authorization, 'idempotency-key': '"quoted-1"' };
    expectReplay(await website.book({ tour_id: tour.id }, rotated), first);
  });
});

describe('an idempotency key', () => {
  it('a used Idempotency-Key with another request answers 422 and changes nothing', async () => {
    const { db } = api;
    const seats = await givenSeats(db);
    const other = await givenSeats(db);
    const order = { tour_id: seats.tour.id, departure_date: seats.date };
    const key = newKey();
    const first = await website.book(order, key);
    const elsewhere = { tour_id: other.tour.id, departure_date: other.date };
    for (const change of [{ adults: 2 }, { name: 'Ana' }, { notes: 'x' }, elsewhere]) {
      expectProblem(await website.book({ ...order, ...change }, key), 422, 'idempotency_key_reused');
    }
    expectReplay(await website.book(order, key), first);
    expect([await seatsTaken(db, seats), await seatsTaken(db, other)]).toEqual([1, 0]);

    const [one, two] = [await givenBooking(seats), await givenBooking(seats)];
    await website.post(`/api/tenant/bookings/${one}/confirm`, undefined, key);
    const reused = await website.post(`/api/tenant/bookings/${two}/confirm`, undefined, key);
    expectProblem(reused, 422, 'idempotency_key_reused');
  });

  it('an Idempotency-Key of another tenant or another operation counts as a different key', async () => {
    const { tour, date } = await givenSeats(api.db);
    const rival = await givenWebsite(api);
    const key = newKey();
    const mine = await website.book({ tour_id: tour.id }, key);
    const theirs = await rival.book({ tour_id: tour.id }, key);
    const hold = await website.hold(tour, { departure_date: date, quantity: 1 }, key);
    const path = `/api/tenant/bookings/${mine.body.booking_ref}`;
    const confirmed = await website.post(`${path}/confirm`, undefined, key);
    const cancelled = await website.post(`${path}/cancel`, undefined, key);
    for (const answer of [mine, theirs, hold, confirmed, cancelled]) {
      expect(answer.body.ok).toBe(true);
      expect(answer.headers).not.toHaveProperty('idempotent-replayed');
    }
    expect(theirs.body.lead_id).not.toBe(mine.body.lead_id);
  });

  it('a refused request can be sent again, or corrected, with the same key', async () => {
    const { tour, date } = await givenSeats(api.db, { seats: 1 });
    const one = { departure_date: date, quantity: 1 };
    const blocking = await website.hold(tour, one);
    const key = newKey();
    expectProblem(await website.hold(tour, one, key), 409, 'insufficient_seats');
    expectProblem(await website.hold('no-such-tour', one, key), 404, 'tour_not_found');
    expectProblem(await website.hold(tour, { ...one, quantity: 0 }, key), 400, 'validation_failed');
    await website.delete(`/api/gateway/holds/${blocking.body.hold_id}`);
    expect((await website.hold(tour, one, key)).status).toBe(201);
  });

  it.each([
    ['hold.place', 24],
    ['booking.create', 7 * 24],
  ])('a key of %s is kept for %i hours, and then its request runs again', async (operation, hours) => {
    const { db } = api;
    const { tour, date } = await givenSeats(db);
    const { 'idempotency-key': key } = newKey();
    const send = () =>
      operation === 'hold.place'
        ? website.hold(tour, { departure_date: date, quantity: 1 }, { 'idempotency-key': key })
        : website.book({ tour_id: tour.id }, { 'idempotency-key': key });
    const first = await send();
    const row = await db('idempotency_keys').where({ key }).first();
    expect([row.operation, (row.expiresAt - row.createdAt) / 3_600_000]).toEqual([
      operation,
      expect.closeTo(hours, 2),
    ]);
    await db('idempotency_keys')
      .where({ key })
      .update({ expires_at: db.raw('clock_timestamp()') });
    const later = await send();
    expect([later.status, later.headers['idempotent-replayed']]).toEqual([201, undefined]);
    expectReplay(await send(), later);
    expect(later.text).not.toBe(first.text);
  });

  it.each(['', '""', 'a b', '"a b"', 'x'.repeat(256), `"${'x'.repeat(256)}"`, 'a\tb', 'ü'])(
    'the API refuses the Idempotency-Key %j',
    async (key) => {
      const headers = { 'idempotency-key': key };
      const { tour, date } = await givenSeats(api.db);
      const answers = [
        await website.book({ tour_id: tour.id }, headers),
        await website.hold(tour, { departure_date: date, quantity: 1 }, headers),
      ];
      for (const answer of answers) expectProblem(answer, 400, 'invalid_idempotency_key');
      expect(answers[0]!.body.errors).toMatchObject([{ in: 'header', field: 'Idempotency-Key' }]);
    },
  );

  it.each(['x', '"', '!~', 'x'.repeat(255), `"${'y'.repeat(255)}"`])(
    'the API accepts the Idempotency-Key %j',
    async (key) => {
      const { tour } = await givenSeats(api.db);
      expect((await website.book({ tour_id: tour.id }, { 'idempotency-key': key })).status).toBe(201);
    },
  );
});

describe('concurrent requests', () => {
  const claimForHold = (trx: Trx, { 'idempotency-key': key }: ReturnType<typeof newKey>) =>
    claimKeyElsewhere(trx, { tenantId: website.tenant.id, operation: 'hold.place', key });

  it('one of 50 concurrent requests with the same key creates a booking; the others get its answer or 409', async () => {
    const { db } = api;
    const seats = await givenSeats(db);
    const order = { tour_id: seats.tour.id, departure_date: seats.date };
    const key = newKey();
    const answers = await Promise.all(Array.from({ length: 50 }, () => website.book(order, key)));
    const made = answers.filter(({ status }) => status === 201);
    for (const answer of answers)
      if (answer.status !== 201) expectProblem(answer, 409, 'idempotency_in_progress');
    expect(made.length).toBeGreaterThan(0);
    expect(new Set(made.map(({ text }) => text)).size).toBe(1);
    expect(made.filter(({ headers }) => headers['idempotent-replayed'] === undefined)).toHaveLength(1);
    expect(await seatsTaken(db, seats)).toBe(1);
    expect(await db('webhook_events').where({ booking_ref: made[0]!.body.booking_ref })).toHaveLength(1);
  });

  it('a request whose key is in use on another instance does not delay other requests', async () => {
    const { db } = api;
    const { tour, date } = await givenSeats(db);
    const key = newKey();
    const elsewhere = await db.transaction();
    await claimForHold(elsewhere, key);
    const body = { departure_date: date, quantity: 1 };
    const waiting = website.hold(tour, body, key);
    await untilItMeetsKey(waiting);
    expect((await website.hold(tour, body)).status).toBe(201);
    expect((await website.hold(tour, body, newKey())).status).toBe(201);
    expectProblem(await waiting, 409, 'idempotency_in_progress', { retryable: true });
    await elsewhere.rollback();
    expect((await website.hold(tour, body, key)).status).toBe(201);
    expect(await seatsTaken(db, { tour, date })).toBe(3);
  });

  it('a request runs as soon as a request with the same key has failed on another instance', async () => {
    const { db } = api;
    const { tour, date } = await givenSeats(db);
    const key = newKey();
    const elsewhere = await db.transaction();
    await claimForHold(elsewhere, key);
    const waiting = website.hold(tour, { departure_date: date, quantity: 1 }, key);
    await untilItMeetsKey(waiting);
    await elsewhere.rollback();
    expect((await waiting).status).toBe(201);
    expect(await seatsTaken(db, { tour, date })).toBe(1);
  });

  it('a request whose key is in use on another instance gets idempotency_in_progress', async () => {
    const { db } = api;
    const { tour } = await givenSeats(db);
    const { 'idempotency-key': key } = newKey();
    const elsewhere = await db.transaction();
    await elsewhere('idempotency_keys').insert({
      tenant_id: website.tenant.id,
      operation: 'booking.create',
      key,
      fingerprint: Buffer.alloc(32),
      expires_at: new Date(Date.now() + 60_000),
    });
    const order = { tour_id: tour.id, ...CUSTOMER };
    const waiting = await website.book(order, { 'idempotency-key': key });
    expectProblem(waiting, 409, 'idempotency_in_progress', { retryable: true });
    expect(waiting.headers['retry-after']).toBe('1');
    await elsewhere.rollback();
    expect((await website.book(order, { 'idempotency-key': key })).status).toBe(201);
  });
});
