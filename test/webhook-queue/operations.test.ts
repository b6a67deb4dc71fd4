import { type Db, inTransaction } from '../../services/platform/database/database';
import {
  pauseEndpoint,
  removeEndpoint,
  resumeEndpoint,
} from '../../services/webhook-queue/endpoints/change-endpoint-state';
import { addEndpoint } from '../../services/webhook-queue/endpoints/add-endpoint';
import { countReplayable, replayDeliveries } from '../../services/webhook-queue/deliveries/replay-deliveries';
import { findDeliveries, showDelivery } from '../../services/webhook-queue/deliveries/find-deliveries';
import { listEndpoints } from '../../services/webhook-queue/endpoints/endpoint.repository';
import { pingEndpoint, retryDelivery } from '../../services/webhook-queue/endpoints/requested-deliveries';
import { rotateSecret } from '../../services/webhook-queue/endpoints/endpoint-secrets';
import { useTestDatabase } from '../support/database';
import {
  add,
  book,
  createTenant,
  deliveriesOf,
  eventually,
  SECRETS_KEY,
  startFastWorker,
  whenAll,
} from './queue-fixture';
import { type Receiver, startReceiver, status } from './receiver';

const NOBODY = '00000000-0000-7000-8000-000000000000';

const database = useTestDatabase();
let db: Db;
let receiver: Receiver;
let tenantId: string;

beforeAll(() => void (db = database.db));
beforeEach(async () => {
  [receiver, tenantId] = await Promise.all([startReceiver(), createTenant(db)]);
});
afterEach(() => receiver.close());

/** Runs a worker until the tenant's deliveries have the status. */
async function work(status: Parameters<typeof whenAll>[2], count = 1) {
  const worker = startFastWorker(db, { retryScheduleSeconds: [0] });
  try {
    return await whenAll(db, tenantId, status, count);
  } finally {
    await worker.stop(0);
  }
}

describe('adding an endpoint', () => {
  it.each([
    ['not an address', 'it is not a URL'],
    ['ftp://example.com/', 'it must begin with https://'],
    [
      'http://example.com/',
      'it must begin with https:// (unless WEBHOOK_ALLOW_PRIVATE_TARGETS is on: export WEBHOOK_ALLOW_PRIVATE_TARGETS=on in this shell, and start the webhook queue with it too)',
    ],
    ['https://user:secret@example.com/', 'it must not contain a user name or password'],
    ['https://example.com/#here', 'it must not have a #fragment'],
    ['https://2130706433/', 'it must name a host, not an IP address'],
    ['https://0x7f.1/', 'it must name a host, not an IP address'],
    ['https://①②⑦.0.0.1/', 'it must name a host, not an IP address'],
    ['https://[::1]/', 'it must name a host, not an IP address'],
    ['https://8.8.8.8/', 'it must name a host, not an IP address'],
    ['https://localhost/', 'its host is not a public name'],
    ['https://queue/', 'its host is not a public name'],
    ['https://db.internal./', 'its host is not a public name'],
    [`https://example.com/${'x'.repeat(2048)}`, 'it is longer than 2048 characters'],
    ['https://example.com:22/', 'port 22 is not a port of webhooks: use 443, or a port above 1023'],
    ['https://example.com:0/', 'port 0 is not a port of webhooks'],
    ['https://example.com:80/', 'port 80 is not a port of webhooks'],
    [
      'https://example.com:6379/',
      'port 6379 is the usual port of a cache or a search engine: use another one',
    ],
  ])('addEndpoint refuses the URL %s for an endpoint', async (url, reason) => {
    const adding = inTransaction(db, (trx) => addEndpoint(trx, SECRETS_KEY, { tenantId, url }));
    await expect(adding).rejects.toMatchObject({
      code: 'invalid_webhook_url',
      message: expect.stringContaining(reason),
    });
  });

  it('addEndpoint refuses an unknown event type', async () => {
    const adding = (events: string[]) =>
      inTransaction(db, (trx) =>
        addEndpoint(trx, SECRETS_KEY, { tenantId, url: 'https://example.com/', events }),
      );
    await expect(adding(['booking.created', 'ping'])).rejects.toMatchObject({ code: 'unknown_event_type' });
    await expect(adding([])).rejects.toMatchObject({ code: 'unknown_event_type' });
  });

  it('addEndpoint returns the secret and stores only its sealed form', async () => {
    const { id, secret } = await add(db, tenantId, receiver.url);
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    const [sealed] = await db('webhook_secrets').where({ endpoint_id: id });
    expect(sealed.ciphertext).toHaveLength(32 + 16);
    expect(sealed.ciphertext.includes(Buffer.from(secret.slice(6), 'base64'))).toBe(false);
    expect(await listEndpoints(db, { tenantId })).toMatchObject([
      { id, tenantId, url: receiver.url, format: 'spec', events: ['booking.created'], status: 'active' },
    ]);
  });
});

describe('an endpoint', () => {
  it('a removal deletes the endpoint and cancels its waiting deliveries', async () => {
    const { id } = await add(db, tenantId, receiver.url);
    await book(db, tenantId);
    await book(db, tenantId);
    expect(await inTransaction(db, (trx) => removeEndpoint(trx, id))).toMatchObject({
      id,
      status: 'removed',
      cancelled: 2,
    });
    expect(await listEndpoints(db, { tenantId })).toEqual([]);
    expect(await db('webhook_secrets').where({ endpoint_id: id })).toEqual([]);
    expect(await deliveriesOf(db, tenantId)).toMatchObject([
      { status: 'cancelled' },
      { status: 'cancelled' },
    ]);
    await expect(inTransaction(db, (trx) => removeEndpoint(trx, id))).rejects.toMatchObject({
      code: 'endpoint_not_found',
    });
  });

  it('a removal keeps the attempt of a request in flight, whose late response changes nothing', async () => {
    receiver.react((response) => void setTimeout(() => response.writeHead(200).end(), 200));
    const { id } = await add(db, tenantId, receiver.url);
    await book(db, tenantId);
    const worker = startFastWorker(db);
    await eventually('request in flight', () => receiver.received[0]);
    await inTransaction(db, (trx) => removeEndpoint(trx, id));
    await worker.stop();
    const [delivery] = await deliveriesOf(db, tenantId);
    expect(delivery).toMatchObject({ status: 'cancelled', attempts: 1 });
    expect((await showDelivery(db, delivery!.id)).tries).toMatchObject([{ number: 1, outcome: 'cancelled' }]);
  });

  it('a paused endpoint keeps its deliveries waiting, and refuses a ping', async () => {
    const { id } = await add(db, tenantId, receiver.url);
    expect(await inTransaction(db, (trx) => pauseEndpoint(trx, id))).toMatchObject({ status: 'paused' });
    await book(db, tenantId);
    const other = await createTenant(db);
    await add(db, other, receiver.url);
    await book(db, other);
    const worker = startFastWorker(db);
    await whenAll(db, other, 'delivered');
    expect(await deliveriesOf(db, tenantId)).toMatchObject([{ status: 'pending', endpoint: id }]);
    const ping = inTransaction(db, (trx) => pingEndpoint(trx, id));
    await expect(ping).rejects.toMatchObject({ code: 'endpoint_state_conflict' });
    expect(await inTransaction(db, (trx) => resumeEndpoint(trx, id))).toMatchObject({ status: 'active' });
    await whenAll(db, tenantId, 'delivered');
    await worker.stop();
  });

  it('an endpoint has at most five secrets, with overlaps of at most seven days', async () => {
    const { id } = await add(db, tenantId, receiver.url);
    const rotate = (seconds: number) =>
      inTransaction(db, (trx) => rotateSecret(trx, SECRETS_KEY, id, seconds));
    for (let i = 0; i < 4; i++) await rotate(7 * 86_400);
    await expect(rotate(3600)).rejects.toMatchObject({ code: 'too_many_secrets' });
    const live = db('webhook_secrets')
      .where({ endpoint_id: id })
      .whereRaw('coalesce(expires_at > now(), true)');
    expect(await live).toHaveLength(5);
    await rotate(0);
    expect(await live.clone()).toHaveLength(1);
    await expect(rotate(7 * 86_400 + 1)).rejects.toMatchObject({ code: 'invalid_overlap' });
    await expect(rotate(-1)).rejects.toMatchObject({ code: 'invalid_overlap' });
  });

  it.each([NOBODY, 'not-an-id'])('an endpoint with the id %s is not found', async (id) => {
    const call = (work: typeof pauseEndpoint) => inTransaction(db, (trx) => work(trx, id));
    await expect(call(pauseEndpoint)).rejects.toMatchObject({ code: 'endpoint_not_found' });
    await expect(call(resumeEndpoint)).rejects.toMatchObject({ code: 'endpoint_not_found' });
  });
});

describe('a delivery', () => {
  it('a retry of a dead delivery keeps its webhook-id and continues its attempt numbers', async () => {
    receiver.react(status(500, 200));
    await add(db, tenantId, receiver.url);
    await book(db, tenantId);
    const [dead] = await work('dead');
    const again = await inTransaction(db, (trx) => retryDelivery(trx, dead!.id));
    expect(again).toMatchObject({
      id: dead!.id,
      status: 'retrying',
      attempts: 1,
      nextAttemptAt: expect.any(Date),
    });
    expect(Object.keys(again)).toEqual(Object.keys(dead!));
    await work('delivered');
    expect((await showDelivery(db, dead!.id)).tries.map(({ number }) => number)).toEqual([1, 2]);
    expect(receiver.received[1]!.headers['webhook-id']).toBe(receiver.received[0]!.headers['webhook-id']);
  });

  it('a retry by an operator sends a waiting delivery at once', async () => {
    receiver.react(status(500, 200));
    await add(db, tenantId, receiver.url);
    await book(db, tenantId);
    const worker = startFastWorker(db, { retryScheduleSeconds: [0, 3600] });
    const [waiting] = await whenAll(db, tenantId, 'retrying');
    expect(waiting!.nextAttemptAt!.getTime()).toBeGreaterThan(Date.now() + 2800_000);
    await inTransaction(db, (trx) => retryDelivery(trx, waiting!.id));
    await whenAll(db, tenantId, 'delivered');
    await worker.stop();
  });

  it('a delivery without an active endpoint cannot be retried', async () => {
    await book(db, tenantId);
    const [waiting] = await deliveriesOf(db, tenantId);
    const retry = (id: string) => inTransaction(db, (trx) => retryDelivery(trx, id));
    await expect(retry(waiting!.id)).rejects.toMatchObject({ code: 'delivery_state_conflict' });
    const { id } = await add(db, tenantId, receiver.url);
    await inTransaction(db, (trx) => removeEndpoint(trx, id));
    await expect(retry(waiting!.id)).rejects.toThrow('Its endpoint is removed.');
    await expect(retry(NOBODY)).rejects.toMatchObject({ code: 'delivery_not_found' });
    await expect(retry('x')).rejects.toMatchObject({ code: 'delivery_not_found' });
  });

  it('findDeliveries filters by tenant, endpoint, status and time, and lists the newest first', async () => {
    receiver.react(status(500, 204));
    const { id: endpointId } = await add(db, tenantId, receiver.url);
    await book(db, tenantId);
    await work('dead');
    const { bookingRef } = await book(db, tenantId);
    const list = (search: object, limit = 10) => findDeliveries(db, { tenantId, ...search }, limit);

    expect((await list({})).map((item) => item.status)).toEqual(['pending', 'dead']);
    expect(await list({}, 1)).toMatchObject([{ bookingRef }]);
    expect(await list({ status: 'dead' })).toHaveLength(1);
    expect(await list({ status: 'pending', endpointId })).toMatchObject([{ endpoint: endpointId }]);
    expect(await list({ status: 'delivering' })).toEqual([]);
    expect(await list({ endpointId: 'not-an-id' })).toEqual([]);
    expect(await list({ since: new Date(Date.now() + 60_000) })).toEqual([]);
    expect(await list({ since: new Date(Date.now() - 60_000) })).toHaveLength(2);
  });

  it('a replay sends as many deliveries as a count with the same filter has found', async () => {
    receiver.react(status(500, 500, 204));
    await add(db, tenantId, receiver.url);
    await book(db, tenantId);
    await book(db, tenantId);
    await work('dead', 2);
    expect(await countReplayable(db, { tenantId, status: 'dead' })).toBe(2);
    expect(await countReplayable(db, { tenantId, status: 'delivered' })).toBe(0);
    const replay = (status: 'dead' | 'delivered') =>
      inTransaction(db, (trx) => replayDeliveries(trx, { tenantId, status }));
    expect(await replay('dead')).toMatchObject({ replayed: 2, left: 0 });
    await work('delivered', 2);
    expect(await replay('delivered')).toMatchObject({ replayed: 2, left: 0 });
    await work('delivered', 2);
    expect(receiver.received).toHaveLength(6);
  });
});
