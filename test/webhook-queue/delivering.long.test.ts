import { Webhook } from 'standardwebhooks';
import { type Db, inTransaction } from '../../services/platform/database/database';
import { findEndpoint } from '../../services/webhook-queue/endpoints/endpoint.repository';
import { pingEndpoint } from '../../services/webhook-queue/endpoints/requested-deliveries';
import { rotateSecret } from '../../services/webhook-queue/endpoints/endpoint-secrets';
import { showDelivery } from '../../services/webhook-queue/deliveries/find-deliveries';
import type { Worker } from '../../services/webhook-queue/worker/worker';
import { useTestDatabase } from '../support/database';
import { add, book, createTenant, eventually, SECRETS_KEY, startFastWorker, whenAll } from './queue-fixture';
import { type Received, type Receiver, startReceiver, status } from './receiver';

const database = useTestDatabase();
let db: Db;
let worker: Worker;
let receiver: Receiver;
let tenantId: string;

beforeAll(() => void (db = database.db));
beforeEach(async () => {
  [receiver, tenantId] = await Promise.all([startReceiver(), createTenant(db)]);
  worker = startFastWorker(db, { attemptTimeoutMs: 400 });
});
afterEach(async () => {
  await worker.stop(100);
  await receiver.close();
});

const verify = (secret: string, { body, headers }: Received) =>
  new Webhook(secret).verify(body, headers as Record<string, string>);

/** Adds an endpoint and a booking, and waits until the delivery has the status. */
async function deliverOne(status: 'delivered' | 'dead') {
  const { id, secret } = await add(db, tenantId, receiver.url);
  await book(db, tenantId);
  const [delivery] = await whenAll(db, tenantId, status);
  return { id, secret, delivery: delivery! };
}

describe('a delivery', () => {
  it('the standardwebhooks library accepts a delivery, which has exactly eight fields in order', async () => {
    const { secret } = await add(db, tenantId, receiver.url);
    const { bookingRef, leadId } = await book(db, tenantId);
    const [delivery] = await whenAll(db, tenantId, 'delivered');

    const request = receiver.received[0]!;
    expect(verify(secret, request)).toEqual({
      event_type: 'booking.created',
      booking_ref: bookingRef,
      lead_id: leadId,
      source: 'tenant_api',
      external_ref: null,
      customer: { name: 'Zoë “Ö” Müller', phone: '+37120000000', email: 'zoe@example.com' },
      departure_date: '2031-05-01',
      total_price: 1499.5,
    });
    expect(Object.keys(JSON.parse(request.body))).toEqual([
      'event_type',
      'booking_ref',
      'lead_id',
      'source',
      'external_ref',
      'customer',
      'departure_date',
      'total_price',
    ]);
    expect(request.headers['content-type']).toBe('application/json');
    expect(delivery).toMatchObject({
      attempts: 1,
      lastStatusCode: 204,
      lastError: null,
      nextAttemptAt: null,
    });
    expect(() => verify('whsec_' + Buffer.alloc(32).toString('base64'), request)).toThrow('signature');
  });

  it('a retry has the webhook-id and body of the first attempt, and a valid signature', async () => {
    receiver.react(status(500, 503, 200));
    const { secret, delivery } = await deliverOne('delivered');

    expect(receiver.received).toHaveLength(3);
    expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1);
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    for (const request of receiver.received) verify(secret, request);
    const { tries, webhookId } = await showDelivery(db, delivery.id);
    expect(webhookId).toBe(receiver.received[0]!.headers['webhook-id']);
    expect(
      tries.map(({ number, outcome, statusCode, reason }) => [number, outcome, statusCode, reason]),
    ).toEqual([
      [1, 'http_error', 500, 'The receiver answered 500.'],
      [2, 'http_error', 503, 'The receiver answered 503.'],
      [3, 'delivered', 200, null],
    ]);
  });

  it('a delivery is dead after the last attempt of the schedule, and shows the reason', async () => {
    receiver.react(status(500));
    const { delivery } = await deliverOne('dead');

    expect(delivery).toMatchObject({
      attempts: 4,
      lastStatusCode: 500,
      lastError: 'The receiver answered 500.',
    });
    expect(delivery.nextAttemptAt).toBeNull();
    expect(await db('webhook_queue').where({ delivery_id: delivery.id })).toEqual([]);
  });

  it('a 410 ends the delivery, disables the endpoint and notifies subscribers', async () => {
    receiver.react((response, _n, { path }) => response.writeHead(path === '/gone' ? 410 : 204).end());
    const gone = await add(db, tenantId, new URL('/gone', receiver.url).href);
    await add(db, tenantId, receiver.url, ['endpoint.disabled']);
    await book(db, tenantId);
    await eventually('notice', () => receiver.received.find(({ path }) => path === '/hook'));

    expect(await findEndpoint(db, gone.id)).toMatchObject({
      status: 'disabled',
      statusReason: expect.stringContaining('410'),
    });
    const notice = receiver.received.find(({ path }) => path === '/hook')!;
    expect(JSON.parse(notice.body)).toMatchObject({ event_type: 'endpoint.disabled', endpoint: gone.id });
    await book(db, tenantId);
    const items = await db('webhook_deliveries').where({ endpoint_id: gone.id }).orderBy('id');
    expect(items.map((item) => item.status)).toEqual(['dead', 'pending']);
  });

  it('an attempt does not follow a redirect, and says where a relative Location leads in the reason', async () => {
    const location = 'hook/?token=secret';
    receiver.react((response, n) =>
      response.writeHead(n === 1 ? 302 : 204, n === 1 ? { location } : {}).end(),
    );
    const { delivery } = await deliverOne('delivered');

    expect(receiver.received.map(({ path }) => path)).toEqual(['/hook', '/hook']);
    const [first] = (await showDelivery(db, delivery.id)).tries;
    expect(first).toMatchObject({
      outcome: 'redirect',
      statusCode: 302,
      reason: expect.stringMatching(
        /^The receiver answered 302 and redirects to \S+\/hook\/\?…\. .* tourctl webhook set [\w-]+ --url <URL>$/,
      ),
    });
  });

  it('a retry waits at least as long as Retry-After requests', async () => {
    receiver.react((response, n) => response.writeHead(n === 1 ? 429 : 204, { 'retry-after': '1' }).end());
    await deliverOne('delivered');

    const [first, second] = receiver.received;
    expect(second!.at - first!.at).toBeGreaterThan(950);
  });

  it('three 429 or 503 responses are in the log, but use up no step of the schedule', async () => {
    receiver.react(status(503, 500, 429, 500, 503, 500, 500));
    const { delivery } = await deliverOne('dead');

    const { tries } = await showDelivery(db, delivery.id);
    expect(tries.map(({ number, statusCode }) => [number, statusCode])).toEqual([
      [1, 503],
      [2, 500],
      [3, 429],
      [4, 500],
      [5, 503],
      [6, 500],
      [7, 500],
    ]);
  });

  it('a retry waits until the HTTP date of a Retry-After', async () => {
    let until = 0;
    receiver.react((response, n) => {
      until ||= Math.ceil(Date.now() / 1000 + 0.5) * 1000;
      response.writeHead(n === 1 ? 503 : 204, { 'retry-after': new Date(until).toUTCString() }).end();
    });
    await deliverOne('delivered');

    expect(receiver.received[1]!.at).toBeGreaterThanOrEqual(until);
  });

  it('an attempt fails when no response arrives in time or the connection closes', async () => {
    receiver.react((response, n) => {
      if (n === 2) response.socket?.destroy();
      if (n === 3) response.end();
    });
    const { delivery } = await deliverOne('delivered');

    const { tries } = await showDelivery(db, delivery.id);
    expect(tries.map(({ outcome }) => outcome)).toEqual(['timeout', 'connection', 'delivered']);
    expect(tries[0]!.reason).toBe('No response within 0.4 s.');
  });

  it('an attempt keeps 16 KiB of a response and reads no more, whatever its size and speed', async () => {
    let sent = 0;
    receiver.react((response, n) => {
      if (n === 2) return void response.write('drip');
      const chunk = Buffer.alloc(64 * 1024, 'x\0');
      const pour = (): void => {
        while (!response.destroyed && sent < 200e6) {
          sent += chunk.length;
          if (!response.write(chunk)) return void response.once('drain', pour);
        }
      };
      pour();
    });
    await deliverOne('delivered');
    await book(db, tenantId);
    const deliveries = await whenAll(db, tenantId, 'delivered', 2);

    const [flood, drip] = await Promise.all(
      deliveries.map(async ({ id }) => (await showDelivery(db, id)).tries[0]!),
    );
    expect(flood!.responseBody).toHaveLength(16 * 1024);
    expect(sent).toBeLessThan(20e6);
    expect(drip!.responseBody).toBe('drip');
  });
});

describe('a signature', () => {
  it('during the overlap both secrets sign, and afterwards only the new secret', async () => {
    const { id, secret } = await add(db, tenantId, receiver.url);
    const rotated = await inTransaction(db, (trx) => rotateSecret(trx, SECRETS_KEY, id, 60));
    await book(db, tenantId);
    await whenAll(db, tenantId, 'delivered');
    const both = receiver.received[0]!;
    verify(secret, both);
    verify(rotated.secret, both);

    const { secret: last } = await inTransaction(db, (trx) => rotateSecret(trx, SECRETS_KEY, id, 0));
    await book(db, tenantId);
    await whenAll(db, tenantId, 'delivered', 2);
    const one = receiver.received[1]!;
    verify(last, one);
    expect(() => verify(secret, one)).toThrow('signature');
    expect(String(one.headers['webhook-signature']).split(' ')).toHaveLength(1);
  });

  it('an attempt with another SECRETS_KEY sends nothing, and names the next step', async () => {
    await worker.stop();
    worker = startFastWorker(db, { secretsKey: 'another key that is long enough too' });
    const { id, delivery } = await deliverOne('dead');

    expect(delivery.lastError).toBe(
      'The secret was sealed with another SECRETS_KEY. Start the queue with that key, ' +
        `or make a new secret: tourctl webhook rotate-secret ${id}.`,
    );
    expect(receiver.received).toEqual([]);
  });

  it('a ping has a valid signature, like a delivery', async () => {
    const { id, secret } = await add(db, tenantId, receiver.url, ['booking.cancelled']);
    await inTransaction(db, (trx) => pingEndpoint(trx, id));
    await whenAll(db, tenantId, 'delivered');
    expect(verify(secret, receiver.received[0]!)).toEqual({
      event_type: 'ping',
      endpoint: id,
      updated_at: expect.stringMatching(/Z$/),
    });
  });
});
