import type { Response } from 'supertest';
import { useTestApi } from '../support/api';
import { daysFromToday, givenDeparture } from '../support/given';
import { expectProblem } from '../support/responses';
import {
  endPaymentWindow,
  givenSeats,
  givenWebsite,
  type Seats,
  seatsTakenByKind,
  useWebsite,
  type Website,
} from '../support/website';
import { givenWidgetToken, SHOP } from '../widget/given-widget';

const api = useTestApi();
const shop = useWebsite(api);
const sandbox = useWebsite(api, { sandbox: true, bookingPrefix: 'SAND' });

const hold = (website: Website, { tour, date }: Seats, quantity: number) =>
  website.hold(tour, { departure_date: date, quantity });
const book = (website: Website, { tour, date }: Seats, adults: number, more: object = {}) =>
  website.book({ tour_id: tour.id, departure_date: date, adults, ...more });
const availability = (website: Website, { tour, date }: Seats) =>
  website.get(`/api/gateway/tours/${tour.slug}/availability?departure_date=${date}`);
const freeSeats = async (website: Website, seats: Seats) =>
  (await availability(website, seats)).body.seats_available;
const listedSeats = async (website: Website, { tour }: Seats) =>
  (await website.get(`/api/tenant/tours/${tour.slug}/departures`)).body.items[0].seats_available;

describe('the seats of a departure', () => {
  it('real and sandbox tenants each sell all seats of a departure', async () => {
    const seats = await givenSeats(api.db, { seats: 3 });
    expect((await hold(sandbox, seats, 1)).body.seats_available).toBe(2);
    expect((await book(sandbox, seats, 2)).status).toBe(201);
    expectProblem(await hold(sandbox, seats, 1), 409, 'insufficient_seats', { seats_available: 0 });
    expect([await freeSeats(sandbox, seats), await listedSeats(sandbox, seats)]).toEqual([0, 0]);
    expect([await freeSeats(shop, seats), await listedSeats(shop, seats)]).toEqual([3, 3]);

    const { body } = await hold(shop, seats, 3);
    expect(body.seats_available).toBe(0);
    expect((await shop.get(`/api/gateway/holds/${body.hold_id}`)).body.seats_available).toBe(0);
    expectProblem(await book(shop, seats, 1), 409, 'insufficient_seats');
    expect(await seatsTakenByKind(api.db, seats)).toEqual({ real: 3, sandbox: 3 });
  });

  it('all sandbox tenants share one set of seats', async () => {
    const seats = await givenSeats(api.db, { seats: 2 });
    const other = await givenWebsite(api, { sandbox: true });
    expect((await book(sandbox, seats, 1)).status).toBe(201);
    expect(await freeSeats(other, seats)).toBe(1);
    expectProblem(await book(other, seats, 2), 409, 'insufficient_seats', { seats_available: 1 });
  });

  it('confirming an expired sandbox booking takes sandbox seats again', async () => {
    const seats = await givenSeats(api.db, { seats: 2 });
    const { booking_ref } = (await book(sandbox, seats, 2)).body;
    await endPaymentWindow(api.db, booking_ref);
    expect((await book(shop, seats, 2)).status).toBe(201);
    const confirm = () => sandbox.post(`/api/tenant/bookings/${booking_ref}/confirm`);
    const { booking_ref: between } = (await book(sandbox, seats, 1)).body;
    expectProblem(await confirm(), 409, 'insufficient_seats', { seats_available: 1 });
    expect((await sandbox.post(`/api/tenant/bookings/${between}/cancel`)).status).toBe(200);
    expect((await confirm()).body).toMatchObject({ status: 'confirmed' });
    expect(await seatsTakenByKind(api.db, seats)).toEqual({ real: 2, sandbox: 2 });
  });

  it("a tenant's share counts only seats of the tenant's own kind, sandbox or real", async () => {
    const seats = await givenSeats(api.db, { seats: 4 });
    const half = await givenWebsite(api, { sandbox: true, maxHoldShare: 50, maxHolds: 1 });
    expect((await hold(shop, seats, 4)).status).toBe(201);
    expectProblem(await hold(half, seats, 3), 409, 'hold_limit_reached');
    expect((await hold(half, seats, 2)).status).toBe(201);
    expectProblem(await hold(half, seats, 1), 409, 'hold_limit_reached');
    expect((await hold(sandbox, seats, 2)).status).toBe(201);
  });

  it("alternatives show the seats that are free for the tenant's own kind", async () => {
    const seats = await givenSeats(api.db, { seats: 1 });
    const date = await givenDeparture(api.db, seats.tour, { date: daysFromToday(31), seats: 2 });
    const other = { ...seats, date };
    await book(sandbox, seats, 1);
    await book(shop, seats, 1);
    await book(shop, other, 1);
    expectProblem(await hold(sandbox, seats, 1), 409, 'insufficient_seats', {
      alternatives: [{ departure_date: date, seats_available: 2 }],
    });
    expectProblem(await hold(shop, seats, 1), 409, 'insufficient_seats', {
      alternatives: [{ departure_date: date, seats_available: 1 }],
    });
  });

  it('a sandbox booking or hold that moves or grows changes sandbox seats only', async () => {
    const seats = await givenSeats(api.db, { seats: 2 });
    const date = await givenDeparture(api.db, seats.tour, { date: daysFromToday(31), seats: 3 });
    const other = { ...seats, date };
    await book(shop, seats, 2);
    await book(shop, other, 3);
    const { booking_ref } = (await book(sandbox, seats, 2)).body;
    const { hold_id } = (await hold(sandbox, other, 1)).body;
    const path = `/api/tenant/bookings/${booking_ref}`;
    expect((await sandbox.patch(path, { departure_date: date })).status).toBe(200);
    expectProblem(await sandbox.patch(path, { adults: 3 }), 409, 'insufficient_seats', {
      seats_available: 2,
    });
    const moved = await sandbox.patch(`/api/gateway/holds/${hold_id}`, {
      departure_date: seats.date,
      quantity: 2,
    });
    expect([moved.status, moved.body.seats_available]).toEqual([200, 0]);
    expect((await sandbox.patch(path, { adults: 3 })).status).toBe(200);
    expect(await seatsTakenByKind(api.db, seats)).toEqual({ real: 2, sandbox: 2 });
    expect(await seatsTakenByKind(api.db, other)).toEqual({ real: 3, sandbox: 3 });
  });

  it("the status filter of departures counts the seats of the tenant's own kind", async () => {
    const seats = await givenSeats(api.db, { seats: 1 });
    await book(sandbox, seats, 1);
    const listed = async (website: Website, status: string) =>
      (await website.get(`/api/tenant/tours/${seats.tour.slug}/departures?status=${status}`)).body.items
        .length;
    expect([await listed(sandbox, 'sold_out'), await listed(sandbox, 'available')]).toEqual([1, 0]);
    expect([await listed(shop, 'sold_out'), await listed(shop, 'available')]).toEqual([0, 1]);
  });

  it('a sale of sandbox seats leaves the cached availability of real seats valid, and vice versa', async () => {
    const seats = await givenSeats(api.db, { seats: 5 });
    const cacheStatus = async (website: Website) => {
      const { headers, body } = await availability(website, seats);
      return [headers['cache-status'], body.seats_available];
    };
    expect(await cacheStatus(shop)).toEqual(['availability; fwd=miss', 5]);
    expect(await cacheStatus(sandbox)).toEqual(['availability; fwd=miss', 5]);
    await book(sandbox, seats, 2);
    expect(await cacheStatus(shop)).toEqual(['availability; hit', 5]);
    expect(await cacheStatus(sandbox)).toEqual(['availability; fwd=miss', 3]);
    await book(shop, seats, 1);
    expect(await cacheStatus(sandbox)).toEqual(['availability; hit', 3]);
    expect(await cacheStatus(shop)).toEqual(['availability; fwd=miss', 4]);
  });
});

describe('a booking of a sandbox tenant', () => {
  it('a sandbox booking has a reference with TEST, and every booking call accepts this reference', async () => {
    const seats = await givenSeats(api.db);
    const { body } = await book(sandbox, seats, 1);
    expect(body.booking_ref).toBe(`SAND-TEST-${body.lead_id}`);
    const path = `/api/tenant/bookings/${body.booking_ref}`;
    expect((await sandbox.get(path)).body.booking_ref).toBe(body.booking_ref);
    expect((await sandbox.get('/api/tenant/bookings?limit=1')).body.items[0].booking_ref).toBe(
      body.booking_ref,
    );
    expect((await sandbox.post(`${path}/confirm`)).body.status).toBe('confirmed');
    expect((await sandbox.post(`${path}/cancel`)).body.status).toBe('cancelled');
    expectProblem(await shop.get(path), 404, 'booking_not_found');
  });

  it('a sandbox booking consumes a sandbox hold', async () => {
    const seats = await givenSeats(api.db, { seats: 2 });
    const { hold_id } = (await hold(sandbox, seats, 2)).body;
    expect((await book(sandbox, seats, 2, { hold_id })).status).toBe(201);
    expect(await seatsTakenByKind(api.db, seats)).toEqual({ real: 0, sandbox: 2 });
  });

  it('a sandbox booking sends an event with the same fields as a real one', async () => {
    const seats = await givenSeats(api.db);
    const { booking_ref } = (await book(sandbox, seats, 1)).body;
    const { booking_ref: real } = (await book(shop, seats, 1)).body;
    const bodyOf = async (ref: string) => {
      const { type, body } = await api.db('webhook_events').where({ booking_ref: ref }).first();
      return [type, Object.keys(typeof body === 'string' ? JSON.parse(body) : body)];
    };
    expect(await bodyOf(booking_ref)).toEqual(await bodyOf(real));
  });
});

describe('an answer to a sandbox tenant', () => {
  const sandboxHeader = ({ headers }: Response) => headers['x-sandbox'];

  it('every answer to a sandbox tenant has X-Sandbox, and no answer to a real tenant has it', async () => {
    const seats = await givenSeats(api.db);
    const one = { departure_date: seats.date, quantity: 1 };
    const ask = async (website: Website) => [
      await website.get('/api/tenant/catalog'),
      await website.get('/api/tenant/catalog?limit=0'),
      await website.get('/api/tenant/tours/unknown'),
      await availability(website, seats),
      await hold(website, seats, 50),
      await website.hold(seats.tour, one, { 'Idempotency-Key': 'one' }),
      await website.hold(seats.tour, one, { 'Idempotency-Key': 'one' }),
      await book(website, seats, 1),
    ];
    const statuses = [200, 400, 404, 200, 409, 201, 201, 201];
    const answers = await ask(sandbox);
    expect(answers.map(({ status }) => status)).toEqual(statuses);
    expect(answers.map(sandboxHeader)).toEqual(statuses.map(() => 'true'));
    expect((await ask(shop)).map(sandboxHeader)).toEqual(statuses.map(() => undefined));
  });

  it('a key without the scope gets X-Sandbox, and an unknown key does not', async () => {
    const reader = await givenWebsite(api, { sandbox: true }, ['catalog:read']);
    const refused = await reader.get('/api/tenant/bookings');
    expectProblem(refused, 401, 'insufficient_scope');
    expect(sandboxHeader(refused)).toBe('true');
    const unknown = await api.http.get('/api/tenant/bookings').set('authorization', 'Bearer x');
    expect(sandboxHeader(unknown)).toBeUndefined();
  });

  it('a revoked key and a suspended tenant get X-Sandbox', async () => {
    const revoked = await givenWebsite(api, { sandbox: true });
    await api.db('api_keys').where({ tenant_id: revoked.tenant.id }).update({ revoked_at: api.db.fn.now() });
    const suspended = await givenWebsite(api, { sandbox: true, status: 'suspended' });
    for (const [website, code] of [
      [revoked, 'key_revoked'],
      [suspended, 'tenant_inactive'],
    ] as const) {
      const refused = await website.get('/api/tenant/bookings');
      expectProblem(refused, 401, code);
      expect(sandboxHeader(refused)).toBe('true');
    }
  });

  it('answers to the widget have X-Sandbox, which its page may read', async () => {
    const { token } = await givenWidgetToken(api.db, sandbox.tenant);
    const list = await api.http.get(`/api/widget/tours?token=${token}`).set('origin', SHOP);
    expect([list.status, sandboxHeader(list)]).toEqual([200, 'true']);
    expect(list.headers['access-control-expose-headers']).toContain('X-Sandbox');
    expect(sandboxHeader(await api.http.get(`/embed/tours?token=${token}`))).toBe('true');
  });
});
