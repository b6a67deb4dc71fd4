import { randomUUID } from 'node:crypto';
import type { Response } from 'supertest';
import { useTestApi } from '../support/api';
import { givenVisibilityRule, unique } from '../support/given';
import { expectReplay } from '../support/responses';
import { givenSeats, givenWebsite, type PlacedSeats, type Website } from '../support/website';
import { expectOctoError } from './schemas';

const api = useTestApi();
const newKey = () => ({ 'idempotency-key': unique('key') });

/** A reseller, a product of two units, and a reservation of one adult and one child. */
interface Scene {
  site: Website;
  seats: PlacedSeats;
  body: object;
  path: string;
}

const FAMILY = [{ unitId: 'adult' }, { unitId: 'child' }];

async function givenScene(): Promise<Scene> {
  const site = await givenWebsite(api);
  const seats = await givenSeats(api.db, { prices: { adult: 50_000, child: 20_000 }, seats: 40 });
  const { tour, departureId } = seats;
  const body = {
    productId: tour.id,
    optionId: 'DEFAULT',
    availabilityId: departureId,
    unitItems: FAMILY,
    expirationMinutes: 20,
  };
  const reserved = await site.post('/octo/bookings', body);
  expect(reserved.status).toBe(200);
  return { site, seats, body, path: `/octo/bookings/${reserved.body.uuid}` };
}

interface Keyed {
  send: (key: Record<string, string>) => Promise<Response>;
  /** Another request of the operation. */
  sendOther: Keyed['send'];
}

const OPERATIONS: Record<string, (scene: Scene) => Keyed> = {
  'a reservation': ({ site, body }) => ({
    send: (key) => site.post('/octo/bookings', body, key),
    sendOther: (key) => site.post('/octo/bookings', { ...body, notes: 'x' }, key),
  }),
  'a reservation with a UUID': ({ site, body }) => {
    const uuid = randomUUID();
    return {
      send: (key) => site.post('/octo/bookings', { ...body, uuid }, key),
      sendOther: (key) => site.post('/octo/bookings', { ...body, uuid, notes: 'x' }, key),
    };
  },
  'an extension': ({ site, path }) => ({
    send: (key) => site.post(`${path}/extend`, { expirationMinutes: 30 }, key),
    sendOther: (key) => site.post(`${path}/extend`, { expirationMinutes: 31 }, key),
  }),
  'a change': ({ site, path, body }) => ({
    send: (key) => site.patch(path, { ...body, unitItems: [...FAMILY, ...FAMILY], notes: 'y' }, key),
    sendOther: (key) => site.patch(path, { ...body, notes: 'z' }, key),
  }),
  'a confirmation': ({ site, path }) => ({
    send: (key) => site.post(`${path}/confirm`, { unitItems: FAMILY, resellerReference: 'R-1' }, key),
    sendOther: (key) => site.post(`${path}/confirm`, { unitItems: FAMILY, resellerReference: 'R-2' }, key),
  }),
  'a cancellation': ({ site, path }) => ({
    send: (key) => site.post(`${path}/cancel`, { reason: 'Ill' }, key),
    sendOther: (key) => site.post(`${path}/cancel`, { reason: 'Late' }, key),
  }),
};

/** Everything that could refuse a repeat, if it were asked before the stored answer. The changes add up. */
const CHANGES: Record<string, (scene: Scene) => PromiseLike<unknown>> = {
  'a lower --hold-max': ({ site }) =>
    update('tenants', site.tenant.id, { hold_max_minutes: 5, hold_default_minutes: 5 }),
  'a smaller group': ({ seats }) => update('tours', seats.tour.id, { group_size_max: 1 }),
  'a removed price': ({ seats }) =>
    update('departures', seats.departureId, { prices_minor: { adult: 50_000 } }),
  'a closed departure': ({ seats }) =>
    update('departures', seats.departureId, { closes_at: '2020-01-01T00:00:00Z' }),
  'a cancelled departure': ({ seats }) => update('departures', seats.departureId, { status: 'cancelled' }),
  'a selling currency without a rate': ({ site }) =>
    update('tenants', site.tenant.id, { sell_in: 'JPY', sell_in_digits: 0 }),
  'a hidden tour': ({ site, seats }) => givenVisibilityRule(api.db, site, seats.tour, false),
  'an archived tour': ({ seats }) => update('tours', seats.tour.id, { status: 'archived' }),
};

const update = (table: string, id: string, columns: object) => api.db(table).where({ id }).update(columns);

describe.each(Object.entries(OPERATIONS))('%s of OCTO that is repeated', (_operation, make) => {
  it('a repeat gets the first answer after each change that could refuse it, and another body gets 400', async () => {
    const scene = await givenScene();
    const { send, sendOther } = make(scene);
    const key = newKey();
    const first = await send(key);
    expect(first.status).toBe(200);
    for (const change of Object.values(CHANGES)) {
      await change(scene);
      expectReplay(await send(key), first);
      expectOctoError(await sendOther(key), 400, 'BAD_REQUEST');
    }
  });
});

describe('a request of OCTO with a new key', () => {
  it.each<[string, keyof typeof OPERATIONS, string]>([
    ['a smaller group', 'a reservation', 'UNPROCESSABLE_ENTITY'],
    ['a removed price', 'a reservation', 'INVALID_UNIT_ID'],
    ['a hidden tour', 'a reservation', 'INVALID_PRODUCT_ID'],
    ['an archived tour', 'a reservation with a UUID', 'INVALID_PRODUCT_ID'],
    ['a cancelled departure', 'an extension', 'UNPROCESSABLE_ENTITY'],
    ['a hidden tour', 'an extension', 'INVALID_PRODUCT_ID'],
    ['a hidden tour', 'a confirmation', 'INVALID_PRODUCT_ID'],
    ['a closed departure', 'a confirmation', 'UNPROCESSABLE_ENTITY'],
  ])('after %s, %s with a new key is refused', async (change, operation, error) => {
    const scene = await givenScene();
    const { send } = OPERATIONS[operation]!(scene);
    await CHANGES[change]!(scene);
    const ids: Record<string, object> = {
      INVALID_PRODUCT_ID: { productId: scene.seats.tour.id },
      INVALID_UNIT_ID: { unitId: 'child' },
    };
    expectOctoError(await send(newKey()), 400, error, ids[error]);
  });

  it('an unknown UUID is refused as unknown with a new key, and as another request with a used one', async () => {
    const { site, path } = await givenScene();
    const used = newKey();
    await site.post(`${path}/extend`, { expirationMinutes: 30 }, used);
    const uuid = randomUUID();
    const extendUnknown = (key: Record<string, string>) =>
      site.post(`/octo/bookings/${uuid}/extend`, { expirationMinutes: 30 }, key);
    expectOctoError(await extendUnknown(newKey()), 400, 'INVALID_BOOKING_UUID', { uuid });
    expectOctoError(await extendUnknown(used), 400, 'BAD_REQUEST');
  });
});
