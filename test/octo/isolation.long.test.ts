import type { Response } from 'supertest';
import openapi from '../../services/api/generated/openapi.json';
import { useTestApi } from '../support/api';
import { givenTour, givenVisibilityRule } from '../support/given';
import { withoutRequestId } from '../support/responses';
import { useWebsite } from '../support/website';
import { type ConformanceProduct, reservationOf, useConformance } from './conformance-api';
import { expectOcto, expectOctoError } from './schemas';

/** Another tenant, the stranger, requests the owner's data on every OCTO route. Each answer must equal the answer for an unknown id. */

const NOBODYS_ID = '01234567-89ab-4cde-8f01-23456789abcd';

const api = useTestApi();
const { reseller: owner, tours } = useConformance(api);
const stranger = useWebsite(api);
/** A product that only the owner sees. */
let hidden: ConformanceProduct;
/** A product that both the owner and the stranger see. */
let shared: ConformanceProduct;

beforeAll(async () => {
  hidden = tours.startTime;
  shared = tours.openingHours;
  await givenVisibilityRule(api.db, stranger, hidden, false);
});

const DEFAULT = { optionId: 'DEFAULT' };
const unitItems = [{ unitId: 'adult' }];
const days = () => ({ localDateStart: hidden.open[0]!.date, localDateEnd: hidden.open[1]!.date });

/** Requests of the stranger for a product with this id, by route. */
const BY_PRODUCT: Record<string, (productId: string) => Promise<Response>> = {
  'get /octo/products/{id}': (id) => stranger.get(`/octo/products/${id}`),
  'post /octo/availability/calendar': (productId) =>
    stranger.post('/octo/availability/calendar', { productId, ...DEFAULT, ...days() }),
  'post /octo/availability': (productId) =>
    stranger.post('/octo/availability', { productId, ...DEFAULT, ...days() }),
  'post /octo/bookings': (productId) =>
    stranger.post('/octo/bookings', { productId, ...DEFAULT, availabilityId: hidden.open[0]!.id, unitItems }),
};
/** Requests for an availability with this id, of a product that the stranger sees. */
const BY_AVAILABILITY: Record<string, (availabilityId: string) => Promise<Response>> = {
  'post /octo/availability': (id) =>
    stranger.post('/octo/availability', { productId: shared.id, ...DEFAULT, availabilityIds: [id] }),
  'post /octo/bookings': (availabilityId) =>
    stranger.post('/octo/bookings', { productId: shared.id, ...DEFAULT, availabilityId, unitItems }),
};
/** Requests for a booking with this UUID. */
const BY_BOOKING: Record<string, (uuid: string) => Promise<Response>> = {
  'get /octo/bookings/{uuid}': async (uuid) => stranger.get(`/octo/bookings/${uuid}`),
  'patch /octo/bookings/{uuid}': (uuid) => stranger.patch(`/octo/bookings/${uuid}`, { notes: 'mine' }),
  'delete /octo/bookings/{uuid}': (uuid) => stranger.delete(`/octo/bookings/${uuid}`),
  'post /octo/bookings/{uuid}/extend': (uuid) => stranger.post(`/octo/bookings/${uuid}/extend`, {}),
  'post /octo/bookings/{uuid}/confirm': (uuid) => stranger.post(`/octo/bookings/${uuid}/confirm`, {}),
  'post /octo/bookings/{uuid}/cancel': (uuid) => stranger.post(`/octo/bookings/${uuid}/cancel`, {}),
};
/** Requests for a subscription with this id. */
const BY_SUBSCRIPTION: Record<string, (id: string) => Promise<Response>> = {
  'get /octo/notifications/subscriptions/{id}': async (id) =>
    stranger.get(`/octo/notifications/subscriptions/${id}`),
  'patch /octo/notifications/subscriptions/{id}': (id) =>
    stranger.patch(`/octo/notifications/subscriptions/${id}`, { headers: {} }),
  'delete /octo/notifications/subscriptions/{id}': (id) =>
    stranger.delete(`/octo/notifications/subscriptions/${id}`),
};
const LISTS: Record<string, () => Promise<Response>> = {
  'get /octo/products': async () => stranger.get('/octo/products'),
  'get /octo/bookings': async () => stranger.get(`/octo/bookings?localDate=${hidden.open[0]!.date}`),
  'get /octo/notifications/subscriptions': async () => stranger.get('/octo/notifications/subscriptions'),
};
/** Routes that answer the same to every tenant, and the one that only adds to the caller's own. */
const COMMON = ['get /octo/supplier', 'get /octo/capabilities', 'post /octo/notifications/subscriptions'];

it('this file covers every route of OCTO', () => {
  const covered = [BY_PRODUCT, BY_AVAILABILITY, BY_BOOKING, BY_SUBSCRIPTION, LISTS].flatMap(Object.keys);
  const routes = Object.entries(openapi.paths as Record<string, object>)
    .filter(([path]) => path.startsWith('/octo/'))
    .flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method} ${path}`));
  expect([...new Set([...covered, ...COMMON])].sort()).toEqual(routes.sort());
});

/** Expects two equal errors. Ignores the request id, and the id that the error repeats. */
function expectLikeNothing(theirs: Response, nobodys: Response, error: string, field: string, ids: string[]) {
  expectOctoError(theirs, 400, error, { [field]: ids[0] });
  expectOctoError(nobodys, 400, error, { [field]: ids[1] });
  const text = (response: Response) => JSON.stringify(withoutRequestId(response));
  expect(text(theirs)).toBe(text(nobodys).replace(ids[1]!, ids[0]!));
}

describe("another tenant's product", () => {
  it.each(Object.entries(BY_PRODUCT))(
    '%s gives the same answer for a hidden product and for an unknown product',
    async (_route, ask) => {
      const [theirs, nobodys] = [await ask(hidden.id), await ask(NOBODYS_ID)];
      expectLikeNothing(theirs, nobodys, 'INVALID_PRODUCT_ID', 'productId', [hidden.id, NOBODYS_ID]);
    },
  );

  it.each(['draft', 'archived'])('OCTO answers INVALID_PRODUCT_ID for a tour that is %s', async (status) => {
    const tour = await givenTour(api.db, { status });
    for (const ask of Object.values(BY_PRODUCT))
      expectOctoError(await ask(tour.id), 400, 'INVALID_PRODUCT_ID', { productId: tour.id });
  });

  it.each(Object.entries(BY_AVAILABILITY))(
    '%s gives the same answer for an availability of a hidden product and of an unknown product',
    async (_route, ask) => {
      const id = hidden.open[0]!.id;
      const [theirs, nobodys] = [await ask(id), await ask(NOBODYS_ID)];
      expectLikeNothing(theirs, nobodys, 'INVALID_AVAILABILITY_ID', 'availabilityId', [id, NOBODYS_ID]);
    },
  );

  it('the list of products leaves out a hidden product', async () => {
    const ids = async (answer: Promise<Response>) =>
      expectOcto(await answer, 'products').map(({ id }: { id: string }) => id);
    expect(await ids(LISTS['get /octo/products']!())).not.toContain(hidden.id);
    expect(await ids(Promise.resolve(owner.get('/octo/products')))).toContain(hidden.id);
  });
});

describe("another tenant's booking", () => {
  async function givenBooking(confirmed: boolean): Promise<string> {
    const { uuid } = expectOcto(await owner.post('/octo/bookings', reservationOf(hidden)), 'booking');
    if (confirmed) expectOcto(await owner.post(`/octo/bookings/${uuid}/confirm`, {}), 'booking');
    return uuid;
  }

  it.each(Object.entries(BY_BOOKING))(
    "%s gives the same answer for another tenant's booking and for an unknown booking",
    async (_route, ask) => {
      for (const confirmed of [false, true]) {
        const uuid = await givenBooking(confirmed);
        const before = await owner.get(`/octo/bookings/${uuid}`);
        const [theirs, nobodys] = [await ask(uuid), await ask(NOBODYS_ID)];
        expectLikeNothing(theirs, nobodys, 'INVALID_BOOKING_UUID', 'uuid', [uuid, NOBODYS_ID]);
        expect((await owner.get(`/octo/bookings/${uuid}`)).text).toBe(before.text);
      }
    },
  );

  it("the list of bookings leaves out another tenant's bookings", async () => {
    await givenBooking(false);
    expect(expectOcto(await LISTS['get /octo/bookings']!(), 'bookings')).toEqual([]);
  });
});

describe("another tenant's subscription", () => {
  let id: string;
  beforeAll(async () => {
    const wish = { url: 'https://owner.example/octo', notificationTypes: ['PRODUCT_UPDATE'] };
    id = (await owner.post('/octo/notifications/subscriptions', wish)).body.id;
  });

  it.each(Object.entries(BY_SUBSCRIPTION))(
    "%s gives the same answer for another tenant's subscription and for an unknown subscription",
    async (_route, ask) => {
      const before = await owner.get(`/octo/notifications/subscriptions/${id}`);
      const [theirs, nobodys] = [await ask(id), await ask(NOBODYS_ID)];
      expectLikeNothing(theirs, nobodys, 'INVALID_SUBSCRIPTION_ID', 'subscriptionId', [id, NOBODYS_ID]);
      expect((await owner.get(`/octo/notifications/subscriptions/${id}`)).text).toBe(before.text);
    },
  );

  it("the list of subscriptions leaves out another tenant's subscription", async () => {
    expect((await LISTS['get /octo/notifications/subscriptions']!()).body).toEqual([]);
  });
});
