import type { Response } from 'supertest';
import { useTestApi } from '../support/api';
import { daysFromToday, givenVisibilityRule, unique } from '../support/given';
import { expectProblem, expectReplay, withoutRequestId } from '../support/responses';
import { CUSTOMER, givenSeats, givenWebsite, type PlacedSeats, type Website } from '../support/website';

const api = useTestApi();
const newKey = () => ({ 'idempotency-key': unique('key') });

const PRICES = { adult: 50_000, child: 20_000 };

/** A tenant with a tour of two price categories, a live hold and an unpaid booking. */
interface Scene {
  site: Website;
  seats: PlacedSeats;
  holdPath: string;
  bookingPath: string;
}

async function givenScene(): Promise<Scene> {
  const site = await givenWebsite(api, { country: 'DE' });
  const seats = await givenSeats(api.db, { prices: PRICES, seats: 40 });
  const hold = await site.hold(seats.tour, { departure_date: seats.date, quantity: 1 });
  const booking = await site.book({ tour_id: seats.tour.id, departure_date: seats.date });
  return {
    site,
    seats,
    holdPath: `/api/gateway/holds/${hold.body.hold_id}`,
    bookingPath: `/api/tenant/bookings/${booking.body.booking_ref}`,
  };
}

/** A request that is sent with an Idempotency-Key. */
interface Keyed {
  send: (key: Record<string, string>) => Promise<Response>;
  /** The same request in another spelling, where it has one. */
  sendRespelled?: Keyed['send'];
  /** Another request of the operation. */
  sendOther: Keyed['send'];
}

const PARTY = { adults: 1, children: 1 };

/** Makes a request of each operation. */
const OPERATIONS: Record<string, (scene: Scene) => Keyed | Promise<Keyed>> = {
  'a hold': ({ site, seats: { tour, date } }) => {
    const body = { departure_date: date, quantity: 2, ...PARTY, hold_minutes: 30 };
    return {
      send: (key) => site.hold(tour.slug, body, key),
      sendRespelled: (key) => site.hold(tour.id.toUpperCase(), body, key),
      sendOther: (key) => site.hold(tour.slug, { ...body, hold_minutes: 29 }, key),
    };
  },
  'a booking': ({ site, seats: { tour, date } }) => {
    const body = { departure_date: date, ...PARTY, expected_total: 700 };
    return {
      send: (key) => site.book({ ...body, tour_id: tour.slug }, key),
      sendRespelled: (key) => site.book({ ...body, tour_id: tour.id, name: ` ${CUSTOMER.name}` }, key),
      sendOther: (key) => site.book({ ...body, tour_id: tour.slug, notes: 'x' }, key),
    };
  },
  'a booking without a date': ({ site, seats: { tour } }) => ({
    send: (key) => site.book({ tour_id: tour.slug }, key),
    sendRespelled: (key) => site.book({ tour_id: tour.id, adults: 1 }, key),
    sendOther: (key) => site.book({ tour_id: tour.slug, adults: 2 }, key),
  }),
  'a booking with a hold': async ({ site, seats: { tour, date } }) => {
    const hold = await site.hold(tour, { departure_date: date, quantity: 2, ...PARTY });
    const body = { hold_id: hold.body.hold_id, departure_date: date, ...PARTY };
    return {
      send: (key) => site.book({ ...body, tour_id: tour.slug }, key),
      sendRespelled: (key) =>
        site.book({ ...body, tour_id: tour.id, hold_id: body.hold_id.toUpperCase() }, key),
      sendOther: (key) => site.book({ ...body, tour_id: tour.slug, adults: 2 }, key),
    };
  },
  'a change of a hold': ({ site, holdPath }) => ({
    send: (key) => site.patch(holdPath, { quantity: 3, children: 1 }, key),
    sendOther: (key) => site.patch(holdPath, { quantity: 2, children: 1 }, key),
  }),
  'an extension': ({ site, holdPath }) => ({
    send: (key) => site.post(`${holdPath}/extend`, { hold_minutes: 40 }, key),
    sendOther: (key) => site.post(`${holdPath}/extend`, { hold_minutes: 41 }, key),
  }),
  'a change of a booking': ({ site, bookingPath }) => ({
    send: (key) => site.patch(bookingPath, { adults: 2, children: 1 }, key),
    sendOther: (key) => site.patch(bookingPath, { adults: 3, children: 1 }, key),
  }),
  'a confirmation': ({ site, bookingPath }) => ({
    send: (key) => site.post(`${bookingPath}/confirm`, {}, key),
    sendOther: (key) => site.post('/api/tenant/bookings/NONE-1/confirm', {}, key),
  }),
  'a cancellation': ({ site, bookingPath }) => ({
    send: (key) => site.post(`${bookingPath}/cancel`, { reason: 'Ill' }, key),
    sendOther: (key) => site.post(`${bookingPath}/cancel`, { reason: 'Late' }, key),
  }),
};

interface Change {
  make: (scene: Scene) => PromiseLike<unknown>;
  undo: (scene: Scene) => PromiseLike<unknown>;
}

type Row = (scene: Scene) => [table: string, id: string];

const TENANT: Row = ({ site }) => ['tenants', site.tenant.id];
const TOUR: Row = ({ seats }) => ['tours', seats.tour.id];
const DEPARTURE: Row = ({ seats }) => ['departures', seats.departureId];

/** Returns a change of columns. @param before the values that givenScene creates */
function update(row: Row, after: object, before: object): Change {
  const set = (columns: object) => (scene: Scene) => {
    const [table, id] = row(scene);
    return api.db(table).where({ id }).update(columns);
  };
  return { make: set(after), undo: set(before) };
}

/** Everything that could refuse a repeat, if it were asked before the stored answer. */
const CHANGES: Record<string, Change> = {
  'a lower --hold-max': update(
    TENANT,
    { hold_max_minutes: 5, hold_default_minutes: 5 },
    { hold_max_minutes: 60, hold_default_minutes: 15 },
  ),
  'an archived tour': update(TOUR, { status: 'archived' }, { status: 'published' }),
  'a hidden tour': {
    make: ({ site, seats }) => givenVisibilityRule(api.db, site, seats.tour, false),
    undo: ({ site }) => api.db('visibility_tour_rules').where({ tenant_id: site.tenant.id }).delete(),
  },
  'a selling currency without a rate': update(
    TENANT,
    { sell_in: 'JPY', sell_in_digits: 0 },
    { sell_in: null, sell_in_digits: null },
  ),
  'a removed price': update(DEPARTURE, { prices_minor: { adult: 1 } }, { prices_minor: PRICES }),
  'a cancelled departure': update(DEPARTURE, { status: 'cancelled' }, { status: 'scheduled' }),
  'a closed departure': update(DEPARTURE, { closes_at: '2020-01-01T00:00:00Z' }, { closes_at: null }),
  'a moved departure': update(
    DEPARTURE,
    { departure_date: daysFromToday(60) },
    { departure_date: daysFromToday(30) },
  ),
  'another payment method': update(TENANT, { payment_method: 'card' }, { payment_method: 'bank' }),
  'another country': update(TENANT, { country: 'AT' }, { country: 'DE' }),
  'no more holds or unpaid bookings': update(
    TENANT,
    { max_holds: 1, max_unpaid: 1, max_hold_share: 1 },
    { max_holds: 1000, max_unpaid: 1000, max_hold_share: 100 },
  ),
};

describe.each(Object.entries(OPERATIONS))('%s that is repeated', (_operation, make) => {
  it('a repeat gets the first answer after each change that could refuse it, and another body gets 422', async () => {
    const scene = await givenScene();
    const { send, sendOther, sendRespelled = send } = await make(scene);
    const key = newKey();
    const first = await send(key);
    expect([200, 201]).toContain(first.status);
    for (const change of Object.values(CHANGES)) {
      await change.make(scene);
      for (const repeat of [await send(key), await sendRespelled(key)]) expectReplay(repeat, first);
      expectProblem(await sendOther(key), 422, 'idempotency_key_reused');
      await change.undo(scene);
    }
  });
});

describe('a request with a new key', () => {
  it.each<[string, keyof typeof OPERATIONS, number, string]>([
    ['a lower --hold-max', 'a hold', 400, 'validation_failed'],
    ['an archived tour', 'a hold', 404, 'tour_not_found'],
    ['a hidden tour', 'a hold', 404, 'tour_not_found'],
    ['a selling currency without a rate', 'a hold', 404, 'tour_not_found'],
    ['a removed price', 'a hold', 400, 'validation_failed'],
    ['a cancelled departure', 'a hold', 409, 'departure_cancelled'],
    ['an archived tour', 'a booking', 404, 'tour_not_found'],
    ['a hidden tour', 'a booking without a date', 404, 'tour_not_found'],
    ['a moved departure', 'a booking with a hold', 400, 'validation_failed'],
    ['a lower --hold-max', 'an extension', 400, 'validation_failed'],
    ['a hidden tour', 'an extension', 404, 'tour_not_found'],
    ['a removed price', 'a change of a booking', 400, 'validation_failed'],
  ])('after %s, %s with a new key is refused', async (change, operation, status, code) => {
    const scene = await givenScene();
    const { send } = await OPERATIONS[operation]!(scene);
    await CHANGES[change]!.make(scene);
    expectProblem(await send(newKey()), status, code);
  });

  it("the tenant's own limit is judged before the tour, and fixed rules before the stored answer", async () => {
    const scene = await givenScene();
    const { site, seats } = scene;
    await CHANGES['a lower --hold-max']!.make(scene);
    const body = { departure_date: seats.date, quantity: 1 };
    const tooLong = await site.hold('no-such-tour', { ...body, hold_minutes: 30 }, newKey());
    expectProblem(tooLong, 400, 'validation_failed');
    const key = newKey();
    await site.hold(seats.tour, body, key);
    expectProblem(await site.hold(seats.tour, { ...body, quantity: 0 }, key), 400, 'validation_failed');
    expectProblem(
      await site.hold(seats.tour, { ...body, hold_minutes: 30 }, key),
      422,
      'idempotency_key_reused',
    );
  });

  it('a hidden tour and an unknown one get equal answers, with a new key and with a used one', async () => {
    const scene = await givenScene();
    const { site, seats } = scene;
    const hidden = await givenSeats(api.db);
    await CHANGES['a hidden tour']!.make({ ...scene, seats: hidden });
    const body = { departure_date: seats.date, quantity: 1 };
    const used = newKey();
    expect((await site.hold(seats.tour, body, used)).status).toBe(201);
    for (const [key, status] of [
      [newKey(), 404],
      [used, 422],
    ] as const) {
      const answers = [];
      for (const tour of [hidden.tour.slug, hidden.tour.id, 'no-such-tour', 'NO TOUR'])
        answers.push(await site.hold(tour, body, key));
      expect(answers.map((answer) => answer.status)).toEqual([status, status, status, status]);
      const [known, ...others] = answers.map(withoutRequestId);
      for (const other of others) expect(other).toEqual(known);
    }
  });

  it('an unknown hold or booking is 404 with a new key, and 422 with a used one', async () => {
    const { site, holdPath, bookingPath } = await givenScene();
    const used = newKey();
    await site.post(`${holdPath}/extend`, { hold_minutes: 20 }, used);
    await site.post(`${bookingPath}/confirm`, {}, used);
    for (const [key, status] of [
      [newKey(), 404],
      [used, 422],
    ] as const) {
      const unknown = '/api/gateway/holds/01234567-89ab-4cde-8f01-23456789abcd/extend';
      const answers = [
        await site.post(unknown, { hold_minutes: 20 }, key),
        await site.post('/api/tenant/bookings/NONE-1/confirm', {}, key),
      ];
      expect(answers.map((answer) => answer.status)).toEqual([status, status]);
    }
  });

  it('a key whose answer was erased is 422 before the tour is asked', async () => {
    const scene = await givenScene();
    const { send } = await OPERATIONS['a hold']!(scene);
    const key = newKey();
    await send(key);
    await api
      .db('idempotency_keys')
      .where({ key: key['idempotency-key'] })
      .update({ fingerprint: null, status: null, answer: null });
    await CHANGES['an archived tour']!.make(scene);
    expectProblem(await send(key), 422, 'idempotency_key_reused');
  });

  it('a stored answer that has expired does not come before the refusal', async () => {
    const scene = await givenScene();
    const { send } = await OPERATIONS['a hold']!(scene);
    const key = newKey();
    await send(key);
    const stored = api.db('idempotency_keys').where({ key: key['idempotency-key'] });
    await stored.update({ expires_at: api.db.raw(`clock_timestamp() - interval '1 second'`) });
    await CHANGES['an archived tour']!.make(scene);
    expectProblem(await send(key), 404, 'tour_not_found');
  });
});
