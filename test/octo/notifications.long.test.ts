import { setTimeout as sleep } from 'node:timers/promises';
import type { Response } from 'supertest';
import { releaseHold } from '../../services/api/seats/changes/release-hold';
import { notifyOfSeats } from '../../services/api/octo/changed-seats';
import { datesOfBothKinds } from '../../services/api/seats/after-commit';
import { notifyOfCatalog } from '../../services/api/octo/notify-of-catalog';
import { moveDeparture } from '../../services/api/seats/changes/move-departure';
import { inTransaction } from '../../services/platform/database/database';
import { change, changeDepartures } from '../support/change';
import { rotateSecret } from '../../services/webhook-queue/endpoints/endpoint-secrets';
import { listDeliveriesOfBooking } from '../../services/webhook-queue/deliveries/find-deliveries';
import { removeEndpoint } from '../../services/webhook-queue/endpoints/change-endpoint-state';
import { setEndpoint } from '../../services/webhook-queue/endpoints/set-endpoint';
import { triggerEvent } from '../../services/webhook-queue/endpoints/requested-deliveries';
import { explainInvalidPayload, parseSecret } from '../../services/webhook-queue/signing/sign-payload';
import { loadConfig } from '../../services/platform/config/config';
import { useTestApi } from '../support/api';
import { givenKey, givenPriceRule, givenTour, givenVisibilityRule } from '../support/given';
import { givenWebsite, useWebsite, type Website } from '../support/website';
import { startFastWorker } from '../webhook-queue/queue-fixture';
import { type Receiver, startReceiver } from '../webhook-queue/receiver';
import { holdIdOf, reservationOf, useConformance } from './conformance-api';
import { expectOctoError } from './schemas';

const { webhooks } = loadConfig({});
const api = useTestApi({ webhooks: { ...webhooks, allowPrivateTargets: true } });
const { reseller, tours } = useConformance(api);
const other = useWebsite(api);

const SUBSCRIPTIONS = '/octo/notifications/subscriptions';
const ALL = ['PRODUCT_UPDATE', 'AVAILABILITY_UPDATE', 'BOOKING_UPDATE'];

let receiver: Receiver;

beforeEach(async () => {
  receiver = await startReceiver();
});

afterEach(async () => {
  await receiver.close();
  for (const website of [reseller, other]) {
    const { body } = await website.get(SUBSCRIPTIONS);
    for (const { id } of body as { id: string }[]) await website.delete(`${SUBSCRIPTIONS}/${id}`);
  }
});

/** Subscribes the receiver of this test. */
async function subscribe(website: Website, more: object = {}) {
  const { status, body } = await website.post(SUBSCRIPTIONS, {
    url: receiver.url,
    notificationTypes: ALL,
    ...more,
  });
  expect(status).toBe(200);
  return body as { id: string; secret: string };
}

/** Sends what is due, and returns the bodies of the notifications without their times, in the order of arrival. */
async function sent() {
  await api.seats.notify(api.context.db);
  await notifyOfCatalog(api.context.db, fail);
  const worker = startFastWorker(api.db, { secretsKey: api.context.secrets.secretsKey! });
  try {
    for (;;) {
      const { rows } = await api.db.raw('select count(*)::integer as n from webhook_queue');
      if (rows[0].n === 0) break;
      await sleep(20);
    }
  } finally {
    await worker.stop();
  }
  return receiver.received.map(({ body }) => {
    const { type, timestamp, data } = JSON.parse(body) as Record<string, unknown>;
    expect(Date.parse(String(timestamp))).not.toBeNaN();
    return { type, data };
  });
}

function fail(error: unknown): never {
  throw error;
}

/** Reserves and confirms a booking of the reseller. @returns its UUID */
async function confirmedBooking(): Promise<string> {
  const { body } = await reseller.post('/octo/bookings', reservationOf(tours.startTime));
  const contact = { fullName: 'Ana Lima', emailAddress: 'ana@example.com', phoneNumber: '+4930901820' };
  await reseller.post(`/octo/bookings/${body.uuid}/confirm`, { contact });
  return body.uuid;
}

describe('a subscription', () => {
  it('a subscription is answered with its id, its types, its headers without their values, and its secret once', async () => {
    const { body: created } = await reseller.post(SUBSCRIPTIONS, {
      url: receiver.url,
      notificationTypes: ['booking_update', 'PRODUCT_UPDATE'],
      headers: { 'Api-Key': 'a secret of the reseller' },
    });
    expect(created).toEqual({
      id: expect.any(String),
      url: receiver.url,
      notificationTypes: ['PRODUCT_UPDATE', 'BOOKING_UPDATE'],
      headers: { 'Api-Key': '***' },
      status: 'active',
      secret: expect.stringMatching(/^whsec_/),
    });
    const { secret: _, ...shown } = created;
    const { body: read } = await reseller.get(`${SUBSCRIPTIONS}/${created.id}`);
    const { body: list } = await reseller.get(SUBSCRIPTIONS);
    expect([read, list]).toEqual([shown, [shown]]);
  });

  it('a subscription is changed field by field, and sends to the new address with the new headers', async () => {
    const { id } = await subscribe(reseller, { headers: { 'Api-Key': 'old' } });
    const { body } = await reseller.patch(`${SUBSCRIPTIONS}/${id}`, {
      notificationTypes: ['BOOKING_UPDATE'],
      headers: { 'X-New': 'new' },
    });
    expect(body).toEqual({
      id,
      url: receiver.url,
      notificationTypes: ['BOOKING_UPDATE'],
      headers: { 'X-New': '***' },
      status: 'active',
    });
    const { body: cleared } = await reseller.patch(`${SUBSCRIPTIONS}/${id}`, { headers: {} });
    expect(cleared.headers).toEqual({});
    expect(cleared.notificationTypes).toEqual(['BOOKING_UPDATE']);
  });

  it('a subscription is gone after it was deleted, and nothing is sent to it', async () => {
    const { id } = await subscribe(reseller);
    expect((await reseller.delete(`${SUBSCRIPTIONS}/${id}`)).status).toBe(200);
    expectOctoError(await reseller.delete(`${SUBSCRIPTIONS}/${id}`), 400, 'INVALID_SUBSCRIPTION_ID', {
      subscriptionId: id,
    });
    await reseller.post('/octo/bookings', reservationOf(tours.startTime));
    expect(await sent()).toEqual([]);
    const secrets = await api.db('webhook_secrets').where({ endpoint_id: id });
    expect(secrets).toEqual([]);
  });

  it('a subscription of a tenant that has ten already is refused', async () => {
    for (let n = 0; n < 10; n += 1) await subscribe(reseller, { url: `${receiver.url}?n=${n}` });
    expectOctoError(
      await reseller.post(SUBSCRIPTIONS, { url: receiver.url, notificationTypes: ALL }),
      400,
      'UNPROCESSABLE_ENTITY',
    );
  });

  it('a subscription with the address of another subscription of the tenant is refused, also by a change', async () => {
    await subscribe(reseller);
    const { id } = await subscribe(reseller, { url: `${receiver.url}?second` });
    const wish = { url: receiver.url, notificationTypes: ALL };
    expectOctoError(await reseller.post(SUBSCRIPTIONS, wish), 400, 'UNPROCESSABLE_ENTITY');
    expectOctoError(await reseller.patch(`${SUBSCRIPTIONS}/${id}`, wish), 400, 'UNPROCESSABLE_ENTITY');
  });

  it.each([
    ['without an address', { url: undefined }],
    ['with an address that is no URL', { url: 'tomorrow' }],
    ['with a port of a database', { url: 'https://reseller.example:5432/' }],
    ['without a type', { notificationTypes: [] }],
    ['with an unknown type', { notificationTypes: ['PRODUCT_UPDATE', 'PRICE_UPDATE'] }],
    ['with a header that the signature needs', { headers: { 'Webhook-Signature': 'v1,x' } }],
    ['with a header of the connection', { headers: { Host: 'internal' } }],
    ['with a line break in a header', { headers: { 'X-A': 'a\r\nX-B: b' } }],
    ['with a name that is no name of a header', { headers: { 'X A': 'a' } }],
    ['with the same header twice', { headers: { 'X-A': 'a', 'x-a': 'b' } }],
    [
      'with more than 20 headers',
      { headers: Object.fromEntries([...Array(21).keys()].map((n) => [`x-${n}`, 'a'])) },
    ],
    ['with a header that is no text', { headers: { 'X-A': 1 } }],
  ])('%s is refused, and none is made', async (_, fault) => {
    const answer = await reseller.post(SUBSCRIPTIONS, {
      url: receiver.url,
      notificationTypes: ALL,
      ...fault,
    });
    expectOctoError(answer, 400, 'BAD_REQUEST');
    expect((await reseller.get(SUBSCRIPTIONS)).body).toEqual([]);
  });

  it('a subscription to bookings needs the scope booking:read', async () => {
    const reader = await givenWebsite(api, {}, ['catalog:read']);
    const wish = { url: receiver.url, notificationTypes: ['BOOKING_UPDATE'] };
    expectOctoError(await reader.post(SUBSCRIPTIONS, wish), 401, 'UNAUTHORIZED');
    const { status, body } = await reader.post(SUBSCRIPTIONS, {
      ...wish,
      notificationTypes: ['PRODUCT_UPDATE'],
    });
    expect(status).toBe(200);
    await reader.delete(`${SUBSCRIPTIONS}/${body.id}`);
  });

  it('a subscription to bookings is changed and deleted only by a key with the scope booking:read', async () => {
    const { id } = await subscribe(reseller);
    const authorization = `Bearer ${await givenKey(api.db, reseller.tenant, ['catalog:read'])}`;
    const path = `${SUBSCRIPTIONS}/${id}`;
    const patch = async (body: object) => api.http.patch(path).set({ authorization }).send(body);
    const remove = async () => api.http.delete(path).set({ authorization });
    const types = { notificationTypes: ['PRODUCT_UPDATE'] };
    for (const refused of [await patch({ url: `${receiver.url}?mine` }), await patch(types), await remove()])
      expectOctoError(refused, 401, 'UNAUTHORIZED');
    await reseller.patch(path, types);
    expectOctoError(await patch({ notificationTypes: ALL }), 401, 'UNAUTHORIZED');
    expect((await remove()).status).toBe(200);
  });

  it('a subscription loses its headers with a new origin, unless the request sends headers', async () => {
    const { id } = await subscribe(reseller, { headers: { 'Api-Key': 'mine' } });
    const change = async (body: object) =>
      (await reseller.patch(`${SUBSCRIPTIONS}/${id}`, body)).body.headers;
    expect(await change({ url: `${receiver.url}?same-origin` })).toEqual({ 'Api-Key': '***' });
    expect(await change({ headers: null })).toEqual({ 'Api-Key': '***' });
    expect(await change({ url: 'https://other.example/octo' })).toEqual({});
    expect(await change({ url: receiver.url, headers: { 'X-New': 'new' } })).toEqual({ 'X-New': '***' });
  });

  it('a subscription can be changed by its id in upper case, and its headers are sent', async () => {
    const { id } = await subscribe(reseller, { notificationTypes: ['BOOKING_UPDATE'] });
    await reseller.patch(`${SUBSCRIPTIONS}/${id.toUpperCase()}`, { headers: { 'X-New': 'new' } });
    await confirmedBooking();
    await sent();
    expect(receiver.received[0]!.headers).toMatchObject({ 'x-new': 'new' });
  });

  it('a subscription that is disabled becomes active with another address, and one that is paused does not', async () => {
    const { id } = await subscribe(reseller);
    for (const [status, after] of [
      ['disabled', 'active'],
      ['paused', 'paused'],
    ]) {
      await api.db('webhook_endpoints').where({ id }).update({ status });
      const { body } = await reseller.patch(`${SUBSCRIPTIONS}/${id}`, { url: `${receiver.url}?${status}` });
      expect(body.status).toBe(after);
    }
  });

  it('a subscription with fields of a wrong type is refused with all issues', async () => {
    const { status, body } = await reseller.post(SUBSCRIPTIONS, {
      url: receiver.url,
      notificationTypes: 7,
      headers: ['X-A'],
    });
    expect(status).toBe(400);
    expect(body.errorMessage).toMatch(/notificationTypes.*headers|headers.*notificationTypes/);
  });

  it('a subscription with a refused address is answered with the reason alone', async () => {
    const url = 'https://reseller.example:5432/';
    const { body } = await reseller.post(SUBSCRIPTIONS, { url, notificationTypes: ALL });
    expect(body.errorMessage).toBe(
      'url is refused: port 5432 is the usual port of a database: use another one.',
    );
  });

  it('a subscription is changed by its reseller, not by an operator, who can remove it and rotate its secret', async () => {
    const { id } = await subscribe(reseller, { headers: { 'X-A': 'a' } });
    const asOperator = <T>(act: Parameters<typeof inTransaction<T>>[1]) => inTransaction(api.db, act);
    await expect(asOperator((trx) => setEndpoint(trx, id, { format: 'spec' }, true))).rejects.toMatchObject({
      code: 'endpoint_state_conflict',
    });
    await expect(
      asOperator((trx) => triggerEvent(trx, id, 'booking.created', '2031-01-01')),
    ).rejects.toMatchObject({ code: 'endpoint_state_conflict' });
    await asOperator((trx) => rotateSecret(trx, api.context.secrets.secretsKey!, id));
    await asOperator((trx) => removeEndpoint(trx, id));
    expect((await reseller.get(SUBSCRIPTIONS)).body).toEqual([]);
    expect(await api.db('webhook_endpoint_headers').where({ endpoint_id: id })).toEqual([]);
  });
});

it('a request may name the capability, with or without the prefix of OCTO', async () => {
  for (const named of ['notifications', 'octo/notifications']) {
    const { headers } = await reseller.get(SUBSCRIPTIONS).set('octo-capabilities', named);
    expect(headers['octo-capabilities']).toBe('octo/notifications');
  }
});

describe('a notification', () => {
  it('a notification is signed with the secret of the subscription, and has its headers', async () => {
    const { secret } = await subscribe(reseller, { headers: { 'Api-Key': 'mine', 'X-Shop': '7' } });
    await reseller.post('/octo/bookings', reservationOf(tours.startTime));
    await sent();
    const [first] = receiver.received;
    expect(explainInvalidPayload(first!, parseSecret(secret)!, new Date())).toBeNull();
    expect(first!.headers).toMatchObject({
      'api-key': 'mine',
      'x-shop': '7',
      'content-type': 'application/json',
    });
  });

  it('a notification tells that seats of a departure changed, once for several changes between two rounds', async () => {
    await subscribe(reseller);
    const { open, id: productId } = tours.startTime;
    const { date } = open[0]!;
    for (let n = 0; n < 3; n += 1) await reseller.post('/octo/bookings', reservationOf(tours.startTime));
    const data = { productId, optionId: 'DEFAULT', localDateStart: date, localDateEnd: date };
    expect(await sent()).toEqual([{ type: 'AVAILABILITY_UPDATE', data }]);
  });

  it('a notification tells a reseller of seats that another tenant took, but not of a tour that it does not see', async () => {
    await subscribe(other);
    await givenVisibilityRule(api.db, other, tours.openingHours, false);
    await sent();
    receiver.received.length = 0;
    await reseller.post('/octo/bookings', reservationOf(tours.openingHours));
    await reseller.post('/octo/bookings', reservationOf(tours.startTime));
    expect((await sent()).map(({ data }) => (data as { productId: string }).productId)).toEqual([
      tours.startTime.id,
    ]);
  });

  it('a notification tells what happened to a booking after it was confirmed, by its UUID', async () => {
    await subscribe(reseller, { notificationTypes: ['BOOKING_UPDATE'] });
    const uuid = await confirmedBooking();
    await reseller.post(`/octo/bookings/${uuid}/cancel`, {});
    const update = { type: 'BOOKING_UPDATE', data: { uuid } };
    expect(await sent()).toEqual([update, update]);
  });

  it('a notification tells that an operator released a hold of OCTO, with the seats that are free again', async () => {
    const { body: held } = await reseller.post('/octo/bookings', reservationOf(tours.startTime));
    await sent();
    await subscribe(reseller);
    const holdId = await holdIdOf(api, held.uuid);
    await inTransaction(api.db, async (trx) => {
      const { after } = await change(trx, reseller.tenant, releaseHold, { holdId, by: 'operator ana' });
      await notifyOfSeats(trx, datesOfBothKinds(after.tour.id, after.departureDate));
    });
    const { date } = tours.startTime.open[0]!;
    const seats = {
      productId: tours.startTime.id,
      optionId: 'DEFAULT',
      localDateStart: date,
      localDateEnd: date,
    };
    expect(await sent()).toEqual(
      expect.arrayContaining([
        { type: 'BOOKING_UPDATE', data: { uuid: held.uuid } },
        { type: 'AVAILABILITY_UPDATE', data: seats },
      ]),
    );
  });

  it('a notification tells that a hold of OCTO was moved to another departure, and does not tell of a hold of REST', async () => {
    const [, from, to] = tours.openingHours.open;
    const more = { availabilityId: from!.id };
    const { body: held } = await reseller.post('/octo/bookings', reservationOf(tours.openingHours, more));
    await reseller.hold(tours.openingHours.id, { departure_date: from!.date, quantity: 1 });
    await subscribe(reseller, { notificationTypes: ['BOOKING_UPDATE'] });
    const { id, slug } = tours.openingHours;
    await inTransaction(api.db, (trx) =>
      changeDepartures(
        trx,
        moveDeparture(
          trx,
          { id, slug },
          { from: { date: from!.date }, to: { date: to!.date }, by: 'operator ana' },
        ),
      ),
    );
    expect(await sent()).toEqual([{ type: 'BOOKING_UPDATE', data: { uuid: held.uuid } }]);
  });

  it('a notification that already waits is not repeated, and none waits for a paused subscription', async () => {
    const { id } = await subscribe(reseller, { notificationTypes: ['AVAILABILITY_UPDATE'] });
    const round = async () => {
      await reseller.post('/octo/bookings', reservationOf(tours.startTime));
      await api.seats.notify(api.context.db);
    };
    const waiting = async () => (await api.db('webhook_queue').where({ endpoint_id: id })).length;
    await round();
    await round();
    expect(await waiting()).toBe(1);
    await sent();
    await api.db('webhook_endpoints').where({ id }).update({ status: 'paused' });
    await round();
    expect(await waiting()).toBe(0);
  });

  it('a notification is not lost if the search for its subscribers fails', async () => {
    await subscribe(reseller, { notificationTypes: ['AVAILABILITY_UPDATE'] });
    await reseller.post('/octo/bookings', reservationOf(tours.startTime));
    await api.db.raw('alter function sellable_currencies(text) rename to renamed');
    await expect(api.seats.notify(api.context.db)).rejects.toThrow();
    await api.db.raw('alter function renamed(text) rename to sellable_currencies');
    expect(await sent()).toHaveLength(1);
  });

  it('a notification of a large change of the catalog continues after the last stored page', async () => {
    await sent();
    await subscribe(reseller, { notificationTypes: ['PRODUCT_UPDATE'] });
    for (let n = 0; n < 120; n += 1) await givenTour(api.db);
    let pages = 0;
    await notifyOfCatalog(api.context.db, fail, () => pages++ > 0);
    const queued = async () => (await api.db('webhook_queue')).length;
    expect(await queued()).toBe(100);
    await notifyOfCatalog(api.context.db, fail);
    expect(await queued()).toBeGreaterThanOrEqual(120);
    await sent();
    const ids = receiver.received.map(({ body }) => JSON.parse(body).data.productId);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('a notification is not sent for a booking that the tenant made by REST', async () => {
    await subscribe(reseller, { notificationTypes: ['BOOKING_UPDATE'] });
    const { id, open } = tours.startTime;
    const booked = await reseller.book({ tour_id: id, departure_date: open[1]!.date, adults: 1 });
    expect(booked.status).toBe(201);
    await reseller.post(`/api/tenant/bookings/${booked.body.booking_ref}/cancel`, {});
    expect(await sent()).toEqual([]);
  });

  it.each<[string, (held: { uuid: string }) => Promise<Response>]>([
    ['OCTO confirms', ({ uuid }) => reseller.post(`/octo/bookings/${uuid}/confirm`, {})],
    [
      'REST books',
      async ({ uuid }) =>
        reseller.book({ tour_id: tours.startTime.id, hold_id: await holdIdOf(api, uuid), adults: 2 }),
    ],
  ])(
    'a notification tells once that %s a hold of OCTO, and is a delivery of the booking',
    async (_who, book) => {
      await subscribe(reseller, { notificationTypes: ['BOOKING_UPDATE'] });
      const { body: held } = await reseller.post('/octo/bookings', reservationOf(tours.startTime));
      expect((await book(held)).status).toBeLessThan(300);
      expect(await sent()).toEqual([{ type: 'BOOKING_UPDATE', data: { uuid: held.uuid } }]);
      const holdId = await holdIdOf(api, held.uuid);
      const { bookingRef } = await api.db('booking_leads').where({ hold_id: holdId }).first('booking_ref');
      const deliveries = await listDeliveriesOfBooking(api.db, bookingRef);
      expect(deliveries.map(({ eventType, status }) => [eventType, status])).toEqual(
        expect.arrayContaining([['octo.booking_update', 'delivered']]),
      );
    },
  );

  it('a notification tells of a changed price and of a tour that is not visible any more', async () => {
    await subscribe(reseller);
    await givenPriceRule(api.db, reseller, { percent: 5 });
    await givenVisibilityRule(api.db, reseller, tours.openingHours, false);
    const products = (await sent()).filter(({ type }) => type === 'PRODUCT_UPDATE');
    expect(products.map(({ data }) => (data as { productId: string }).productId)).toEqual(
      expect.arrayContaining([tours.startTime.id, tours.openingHours.id]),
    );
    receiver.received.length = 0;
    expect(await sent()).toEqual([]);
  });
});
