import type { Response } from 'supertest';
import openapi from '../../services/api/generated/openapi.json';
import { useTestApi } from '../support/api';
import { givenTour, givenVisibilityRule } from '../support/given';
import { withoutRequestId } from '../support/responses';
import { CUSTOMER, givenSeats, type Seats, seatsTaken, useWebsite } from '../support/website';
import { givenWidgetToken } from '../widget/given-widget';

/** Another tenant, the stranger, requests the owner's data on every route. Each answer must equal the answer for an unknown name. */

const NOBODYS_ID = '01234567-89ab-4cde-8f01-23456789abcd';
const SECRET = { name: 'Olga Owner', phone: '+49301234567', email: 'olga@owner.example' };

const api = useTestApi();
const owner = useWebsite(api);
const stranger = useWebsite(api);
/** A tour that only the owner sees. */
let hidden: Seats;
/** A tour that both the owner and the stranger see. */
let shared: Seats;
let holdId: string;
let bookingRef: string;
let strangersToken: string;

beforeAll(async () => {
  const { db } = api;
  hidden = await givenSeats(db);
  shared = await givenSeats(db);
  await givenVisibilityRule(db, stranger, hidden.tour, false);
  const held = { departure_date: shared.date, quantity: 2, external_ref: 'cart-81', customer: SECRET };
  holdId = (await owner.hold(shared.tour, held)).body.hold_id;
  const order = { tour_id: shared.tour.id, departure_date: shared.date, external_ref: 'order-9', ...SECRET };
  bookingRef = (await owner.book(order)).body.booking_ref;
  strangersToken = (await givenWidgetToken(db, stranger.tenant)).token;
});

const hold = () => ({ departure_date: shared.date, quantity: 1 });
const orderOf = (tour_id: string, more: object = {}) => ({ tour_id, ...CUSTOMER, ...more });

/** Requests of the stranger for a tour, a hold or a booking, by route. */
const BY_TOUR: Record<string, (tour: string) => Promise<Response>> = {
  'get /api/tenant/tours/{id_or_slug}': (tour) => stranger.get(`/api/tenant/tours/${tour}`),
  'get /api/tenant/tours/{id_or_slug}/departures': (tour) =>
    stranger.get(`/api/tenant/tours/${tour}/departures`),
  'get /api/gateway/tours/{id_or_slug}/availability': (tour) =>
    stranger.get(`/api/gateway/tours/${tour}/availability?departure_date=${hidden.date}`),
  'post /api/gateway/tours/{id_or_slug}/hold': (tour) => stranger.hold(tour, hold()),
  'post /api/tenant/bookings': (tour) => stranger.book(orderOf(decodeURIComponent(tour))),
};
const BY_HOLD: Record<string, (id: string) => Promise<Response>> = {
  'get /api/gateway/holds/{hold_id}': (id) => stranger.get(`/api/gateway/holds/${id}`),
  'patch /api/gateway/holds/{hold_id}': (id) => stranger.patch(`/api/gateway/holds/${id}`, { quantity: 1 }),
  'delete /api/gateway/holds/{hold_id}': (id) => stranger.delete(`/api/gateway/holds/${id}`),
  'post /api/gateway/holds/{hold_id}/extend': (id) =>
    stranger.post(`/api/gateway/holds/${id}/extend`, { hold_minutes: 5 }),
  'post /api/tenant/bookings': (id) => stranger.book(orderOf(shared.tour.id, { hold_id: id })),
};
const BY_BOOKING: Record<string, (ref: string) => Promise<Response>> = {
  'get /api/tenant/bookings/{booking_ref}': (ref) => stranger.get(`/api/tenant/bookings/${ref}`),
  'get /api/tenant/bookings/{booking_ref}/cancellation': (ref) =>
    stranger.get(`/api/tenant/bookings/${ref}/cancellation`),
  'patch /api/tenant/bookings/{booking_ref}': (ref) =>
    stranger.patch(`/api/tenant/bookings/${ref}`, { adults: 1 }),
  'post /api/tenant/bookings/{booking_ref}/confirm': (ref) =>
    stranger.post(`/api/tenant/bookings/${ref}/confirm`),
  'post /api/tenant/bookings/{booking_ref}/cancel': (ref) =>
    stranger.post(`/api/tenant/bookings/${ref}/cancel`),
};
const LISTS: Record<string, (query: string) => Promise<Response>> = {
  'get /api/tenant/catalog': (query) => stranger.get(`/api/tenant/catalog?${query}`),
  'get /api/tenant/bookings': (query) => stranger.get(`/api/tenant/bookings?${query}`),
  'get /api/gateway/holds': (query) => stranger.get(`/api/gateway/holds?${query}`),
  'get /api/tenant/tours/{id_or_slug}/departures': (query) =>
    stranger.get(`/api/tenant/tours/${shared.tour.slug}/departures?${query}`),
  'get /api/widget/tours': async (query) =>
    api.http.get(`/api/widget/tours?token=${strangersToken}&${query}`),
  'get /embed/tours': async (query) => api.http.get(`/embed/tours?token=${strangersToken}&${query}`),
};

/** Routes that count all visible tours. find-tours.long.test.ts tests these counts. */
const COUNTS = ['get /api/tenant/catalog/filters'];

function expectLikeNothing(theirs: Response, nobodys: Response, status: number): void {
  expect(theirs.status).toBe(status);
  expect(withoutRequestId(theirs)).toEqual(withoutRequestId(nobodys));
}

it('this file covers every route that names a tour, a hold or a booking, and every list', () => {
  const covered = new Set([...[BY_TOUR, BY_HOLD, BY_BOOKING, LISTS].flatMap(Object.keys), ...COUNTS]);
  const routes = Object.entries(openapi.paths as Record<string, object>)
    .flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method} ${path}`))
    // OCTO's routes: test/octo/isolation.long.test.ts.
    .filter((route) => !/^get \/(healthz|readyz|docs|openapi)| \/octo\//.test(route));
  expect(routes.filter((route) => !covered.has(route))).toEqual([]);
});

describe("another tenant's tour", () => {
  it.each(Object.entries(BY_TOUR))(
    '%s gives the same answer for a hidden tour and for an unknown tour',
    async (_route, ask) => {
      const { id, slug } = hidden.tour;
      for (const name of [slug, id, id.toUpperCase(), slug.replace('t', '%74')]) {
        expectLikeNothing(await ask(name), await ask(name === slug ? 'no-such-tour' : NOBODYS_ID), 404);
      }
    },
  );

  it.each(['draft', 'archived'])(
    'a hidden tour gets the same answers as a tour with the status %s',
    async (status) => {
      const tour = await givenTour(api.db, { status });
      for (const ask of Object.values(BY_TOUR))
        expectLikeNothing(await ask(tour.slug), await ask(hidden.tour.slug), 404);
    },
  );

  it('no filter and no order of the catalog finds a hidden tour', async () => {
    const dates = `departs_from=${hidden.date}&departs_to=${hidden.date}`;
    for (const query of ['country=vn', dates, 'duration_max=9', 'sort=next_departure_date']) {
      const path = `/api/tenant/catalog?limit=100&${query}`;
      expect((await stranger.get(path)).text).not.toContain(hidden.tour.id);
      expect((await owner.get(path)).text).toContain(hidden.tour.id);
    }
  });

  it.each(Object.entries(LISTS))('%s never lists a hidden tour', async (_route, list) => {
    for (const query of ['', 'q=ha', 'continent=asia']) {
      const { text } = await list(query);
      expect(text).not.toContain(hidden.tour.slug);
      expect(text).not.toContain(hidden.tour.id);
    }
    expect((await owner.get('/api/tenant/catalog')).text).toContain(hidden.tour.slug);
  });
});

describe("another tenant's hold", () => {
  it.each(Object.entries(BY_HOLD))(
    "%s gives the same answer for another tenant's hold and for an unknown hold",
    async (_route, ask) => {
      for (const id of [holdId, holdId.toUpperCase()])
        expectLikeNothing(await ask(id), await ask(NOBODYS_ID), 404);
    },
  );

  it("no filter of the list finds another tenant's hold", async () => {
    for (const query of ['', 'external_ref=cart-81', 'status=active']) {
      const path = `/api/gateway/holds?${query}`;
      expect((await stranger.get(path)).text).not.toContain(holdId);
      expect((await owner.get(path)).text).toContain(holdId);
    }
  });

  it("an external_ref finds the tenant's own hold, never another tenant's hold with the same reference", async () => {
    const { db } = api;
    const reference = { external_ref: 'cart-81' };
    const own = (await stranger.hold(shared.tour, { ...hold(), ...reference })).body.hold_id;
    const taken = await seatsTaken(db, shared);
    await stranger.book(orderOf(shared.tour.id, { departure_date: shared.date, ...reference }));
    expect((await stranger.get(`/api/gateway/holds/${own}`)).body.status).toBe('converted');
    await stranger.book(orderOf(shared.tour.id, { departure_date: shared.date, ...reference }));
    expect((await owner.get(`/api/gateway/holds/${holdId}`)).body.status).toBe('active');
    expect(await seatsTaken(db, shared)).toBe(taken + 1);
  });
});

describe("another tenant's booking", () => {
  it.each(Object.entries(BY_BOOKING))(
    "%s gives the same answer for another tenant's booking and for an unknown booking",
    async (_route, ask) => {
      expectLikeNothing(await ask(bookingRef), await ask('ZZZZ-999999999'), 404);
    },
  );

  it("another tenant's booking number with the caller's own prefix gets the same 404 as an unknown reference", async () => {
    const underOwnPrefix = bookingRef.replace(/^\w+/, stranger.tenant.bookingPrefix);
    for (const ask of Object.values(BY_BOOKING))
      expectLikeNothing(await ask(underOwnPrefix), await ask('ZZZZ-1'), 404);
  });

  it("no filter of the list finds another tenant's booking", async () => {
    for (const query of ['', 'external_ref=order-9', 'status=pending_payment']) {
      const { text } = await LISTS['get /api/tenant/bookings']!(query);
      for (const secret of [bookingRef, ...Object.values(SECRET), owner.tenant.slug, owner.tenant.id]) {
        expect(text).not.toContain(secret);
      }
    }
  });

  it("the owner's booking and hold are unchanged after all requests of the stranger", async () => {
    expect((await owner.get(`/api/tenant/bookings/${bookingRef}`)).body).toMatchObject({
      status: 'pending_payment',
      customer: SECRET,
    });
    expect((await owner.get(`/api/gateway/holds/${holdId}`)).body).toMatchObject({
      status: 'active',
      hold_minutes: 15,
    });
  });
});

describe("another tenant's cursor", () => {
  it.each(Object.entries(LISTS))("%s refuses another tenant's cursor", async (route, list) => {
    const { db } = api;
    const { token } = await givenWidgetToken(db, owner.tenant);
    await owner.book(orderOf(shared.tour.id));
    await owner.hold(shared.tour, hold());
    await db('departures')
      .insert({
        tour_id: shared.tour.id,
        departure_date: '2090-01-01',
        seats_total: 1,
        prices_minor: { adult: 1 },
      })
      .onConflict()
      .ignore();
    const path = route.split(' ')[1]!.replace('{id_or_slug}', shared.tour.slug);
    // The embed page has its cursors in HTML links. The widget list creates the same cursors.
    const source = path === '/embed/tours' ? '/api/widget/tours' : path;
    const first =
      source === '/api/widget/tours'
        ? await api.http.get(`${source}?token=${token}&limit=1`)
        : await owner.get(`${source}?limit=1`);
    expect(first.body.next_cursor).toEqual(expect.any(String));
    expectLikeNothing(
      await list(`limit=1&cursor=${first.body.next_cursor}`),
      await list('limit=1&cursor=nonsense'),
      400,
    );
  });
});

describe("another tenant's idempotency key", () => {
  it("another tenant's idempotency key counts as a new key, without replay or conflict", async () => {
    const key = { 'idempotency-key': 'shared-key' };
    const mine = await owner.book(orderOf(shared.tour.id, { notes: 'mine' }), key);
    const theirs = await stranger.book(orderOf(shared.tour.id, { notes: 'theirs' }), key);
    expect([mine.status, theirs.status]).toEqual([201, 201]);
    expect(theirs.headers).not.toHaveProperty('idempotent-replayed');
    expect(theirs.body).toMatchObject({ tenant: { id: stranger.tenant.id, slug: stranger.tenant.slug } });
    expect(theirs.text).not.toContain(owner.tenant.slug);

    await owner.book(orderOf(hidden.tour.id), { 'idempotency-key': 'hidden-key' });
    const repeated = await stranger.book(orderOf(hidden.tour.id), { 'idempotency-key': 'hidden-key' });
    const unknown = await stranger.book(orderOf(NOBODYS_ID), { 'idempotency-key': 'other-key' });
    expectLikeNothing(repeated, unknown, 404);
  });
});

describe("another tenant's events", () => {
  it("a stranger's events name only the stranger's bookings", async () => {
    const { db } = api;
    const refs = await db('webhook_events').where({ tenant_id: stranger.tenant.id }).pluck('booking_ref');
    for (const ref of refs) expect(ref).toMatch(new RegExp(`^${stranger.tenant.bookingPrefix}-`));
    expect(refs.length).toBeGreaterThan(0);
  });
});

describe("the statements of a request for another tenant's data", () => {
  /** Tables by which a credential finds its tenant. */
  const CREDENTIALS = ['api_keys', 'widget_tokens'];
  /** Matches the statement that counts seats. This statement reads the rows of all tenants, because all tenants sell the same seats. */
  const COUNT_OF_SEATS = /from (seat_holds|booking_leads) \w\s+where \w\.departure_id = /g;

  it('every statement on a table that has tenants names the tenant', async () => {
    const { db } = api;
    const tables = await db('information_schema.columns')
      .where({ table_schema: 'public', column_name: 'tenant_id' })
      .whereNotIn('table_name', CREDENTIALS)
      .pluck('table_name');
    const touches = new RegExp(`\\b(${tables.join('|')})\\b`);
    const statements: { sql: string; bindings: unknown[] }[] = [];
    const note = (statement: (typeof statements)[number]) => void statements.push(statement);
    api.context.db.on('query', note);
    for (const [asks, names] of [
      [BY_TOUR, [hidden.tour.slug, shared.tour.slug]],
      [BY_HOLD, [holdId]],
      [BY_BOOKING, [bookingRef]],
      [LISTS, ['q=ha']],
    ] as const)
      for (const ask of Object.values(asks)) for (const name of names) await ask(name);
    api.context.db.removeListener('query', note);

    const owned = statements.filter(({ sql }) => touches.test(sql.replace(COUNT_OF_SEATS, '')));
    expect(owned.length).toBeGreaterThan(20);
    // A statement for an empty list of sales names no tenant, so an empty list is also allowed.
    const named = new RegExp(`${stranger.tenant.id}|"\\[\\]"`);
    for (const { sql, bindings } of owned) {
      expect({ sql, bindings: JSON.stringify(bindings) }).toEqual({
        sql,
        bindings: expect.stringMatching(named),
      });
    }
  });
});
