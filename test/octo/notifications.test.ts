import { setTimeout as sleep } from 'node:timers/promises';
import { notifyOfCatalog } from '../../services/api/octo/notify-subscribers';
import { inTransaction } from '../../services/platform/database';
import { rotateSecret } from '../../services/webhook-queue/endpoints/endpoint-secrets';
import { removeEndpoint } from '../../services/webhook-queue/endpoints/change-endpoint-state';
import { setEndpoint } from '../../services/webhook-queue/endpoints/set-endpoint';
import { triggerEvent } from '../../services/webhook-queue/endpoints/requested-deliveries';
import { explainInvalidPayload, parseSecret } from '../../services/webhook-queue/signing/sign-payload';
import { loadConfig } from '../../services/platform/config';
import { useTestApi } from '../support/api';
import { givenPriceRule, givenVisibilityRule } from '../support/given';
import { givenWebsite, useWebsite, type Website } from '../support/website';
import { startFastWorker } from '../webhook-queue/queue-fixture';
import { type Receiver, startReceiver } from '../webhook-queue/receiver';
import { reservationOf, useConformance } from './conformance-api';
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

describe('a subscription', () => {
  it('is answered with its id, its types, its headers without their values, and its secret once', async () => {
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

  it('is changed field by field, and sends to the new address with the new headers', async () => {
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

  it('is gone after it was deleted, and nothing is sent to it', async () => {
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

  it('of a tenant that has ten already is refused', async () => {
    for (let n = 0; n < 10; n += 1) await subscribe(reseller);
    expectOctoError(
      await reseller.post(SUBSCRIPTIONS, { url: receiver.url, notificationTypes: ALL }),
      400,
      'UNPROCESSABLE_ENTITY',
    );
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

  it('to bookings needs the scope booking:read', async () => {
    const reader = await givenWebsite(api, {}, ['catalog:read']);
    const wish = { url: receiver.url, notificationTypes: ['BOOKING_UPDATE'] };
    expectOctoError(await reader.post(SUBSCRIPTIONS, wish), 401, 'UNAUTHORIZED');
    expect(
      (await reader.post(SUBSCRIPTIONS, { ...wish, notificationTypes: ['PRODUCT_UPDATE'] })).status,
    ).toBe(200);
  });

  it('is changed by its reseller, not by an operator, who can remove it and rotate its secret', async () => {
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
  it('is signed with the secret of the subscription, and has its headers', async () => {
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

  it('tells that seats of a departure changed, once for several changes between two rounds', async () => {
    await subscribe(reseller);
    const { open, id: productId } = tours.startTime;
    const { date } = open[0]!;
    for (let n = 0; n < 3; n += 1) await reseller.post('/octo/bookings', reservationOf(tours.startTime));
    const data = { productId, optionId: 'DEFAULT', localDateStart: date, localDateEnd: date };
    expect(await sent()).toEqual([{ type: 'AVAILABILITY_UPDATE', data }]);
  });

  it('tells a reseller of seats that another tenant took, but not of a tour that it does not see', async () => {
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

  it('tells what happened to a booking after it was confirmed, by its UUID', async () => {
    await subscribe(reseller, { notificationTypes: ['BOOKING_UPDATE'] });
    const { body: held } = await reseller.post('/octo/bookings', reservationOf(tours.startTime));
    const contact = { fullName: 'Ana Lima', emailAddress: 'ana@example.com', phoneNumber: '+4930901820' };
    await reseller.post(`/octo/bookings/${held.uuid}/confirm`, { contact });
    await reseller.post(`/octo/bookings/${held.uuid}/cancel`, {});
    const update = { type: 'BOOKING_UPDATE', data: { uuid: held.uuid } };
    expect(await sent()).toEqual([update, update]);
  });

  it('is not sent for a booking that the tenant made by REST', async () => {
    await subscribe(reseller, { notificationTypes: ['BOOKING_UPDATE'] });
    const { id, open } = tours.startTime;
    const booked = await reseller.book({ tour_id: id, departure_date: open[1]!.date, adults: 1 });
    expect(booked.status).toBe(201);
    await reseller.post(`/api/tenant/bookings/${booked.body.booking_ref}/cancel`, {});
    expect(await sent()).toEqual([]);
  });

  it('tells of a changed price and of a tour that is not visible any more', async () => {
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
