import { inTransaction, type Db, type Trx } from '../../services/platform/database/database';
import { enqueueDelivery } from '../../services/webhook-queue/enqueue-delivery';
import { removeEndpoint } from '../../services/webhook-queue/endpoints/change-endpoint-state';
import { findEndpoint } from '../../services/webhook-queue/endpoints/endpoint.repository';
import { reconcileOrphans } from '../../services/webhook-queue/maintenance/periodic-tasks';
import type { Worker } from '../../services/webhook-queue/worker/worker';
import { useTestDatabase } from '../support/database';
import { add, book, createTenant, deliveriesOf, startFastWorker, whenAll } from './queue-fixture';
import { startReceiver, type Receiver } from './receiver';

const database = useTestDatabase();
let db: Db;
let worker: Worker | undefined;
let receiver: Receiver;
let tenantId: string;

beforeAll(() => void (db = database.db));
beforeEach(async () => {
  [receiver, tenantId] = await Promise.all([startReceiver(), createTenant(db)]);
});
afterEach(async () => {
  await worker?.stop(100);
  worker = undefined;
  await receiver.close();
});

const enqueue = (trx: Trx, body: Record<string, unknown> = {}) =>
  enqueueDelivery(trx, { tenantId, type: 'booking.created', bookingRef: null, body });

describe('a booking without an endpoint', () => {
  it('a booking without an endpoint creates a pending delivery that waits for an endpoint', async () => {
    const { bookingRef } = await book(db, tenantId);
    expect(await deliveriesOf(db, tenantId)).toEqual([
      {
        id: expect.any(String),
        tenant: expect.stringMatching(/^tenant-/),
        eventType: 'booking.created',
        bookingRef,
        endpoint: null,
        status: 'pending',
        attempts: 0,
        nextAttemptAt: null,
        lastStatusCode: null,
        lastError: null,
        createdAt: expect.any(Date),
      },
    ]);
  });

  it('a waiting delivery goes to the first endpoint that subscribes, and not to a later endpoint', async () => {
    await book(db, tenantId);
    await book(db, tenantId);
    worker = startFastWorker(db);
    expect(await add(db, tenantId, receiver.url, ['booking.cancelled'])).toMatchObject({ waiting: 0 });
    expect(await add(db, tenantId, receiver.url)).toMatchObject({
      waiting: 2,
      format: 'spec',
      status: 'active',
    });
    expect(await add(db, tenantId, receiver.url)).toMatchObject({ waiting: 0 });
    await whenAll(db, tenantId, 'delivered', 2);
    expect(receiver.received).toHaveLength(2);
  });

  it('a waiting delivery does not go to an endpoint of another tenant', async () => {
    await book(db, tenantId);
    expect(await add(db, await createTenant(db), receiver.url)).toMatchObject({ waiting: 0 });
    expect(await deliveriesOf(db, tenantId)).toMatchObject([{ endpoint: null }]);
  });

  it('an event of a type without a subscriber creates nothing', async () => {
    await add(db, tenantId, receiver.url);
    await book(db, tenantId, 'booking.confirmed');
    expect(await deliveriesOf(db, tenantId)).toEqual([]);
    expect(await db('webhook_events').where({ tenant_id: tenantId })).toEqual([]);
  });
});

describe('a booking with endpoints', () => {
  it('a booking with endpoints creates one delivery for each endpoint that subscribes to its event', async () => {
    await add(db, tenantId, receiver.url);
    await add(db, tenantId, receiver.url, ['booking.created', 'booking.cancelled']);
    await add(db, tenantId, receiver.url, ['booking.cancelled']);
    await book(db, tenantId);
    await book(db, tenantId, 'booking.cancelled');
    worker = startFastWorker(db);
    await whenAll(db, tenantId, 'delivered', 4);
    expect(receiver.received.map(({ body }) => JSON.parse(body).event_type).sort()).toEqual([
      'booking.cancelled',
      'booking.cancelled',
      'booking.created',
      'booking.created',
    ]);
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(2);
  });

  it('a booking with endpoints creates nothing when its transaction is rolled back', async () => {
    await add(db, tenantId, receiver.url);
    const rolledBack = inTransaction(db, async (trx) => {
      await enqueue(trx);
      throw new Error('rolled back');
    });
    await expect(rolledBack).rejects.toThrow('rolled back');
    expect(await deliveriesOf(db, tenantId)).toEqual([]);
  });

  it('a transaction enqueues the deliveries of its booking with one statement', async () => {
    const statements: string[] = [];
    await add(db, tenantId, receiver.url);
    await inTransaction(db, async (trx) => {
      trx.on('query', ({ sql }: { sql: string }) => statements.push(sql));
      await enqueue(trx);
    });
    expect(statements.filter((sql) => sql.includes('webhook_'))).toHaveLength(1);
  });

  it('a stored event keeps characters that a jsonb column loses or refuses', async () => {
    const body = { event_type: 'booking.created', b: '\u0000 \ud800 “ü”', a: 1, '1': null };
    await inTransaction(db, (trx) => enqueue(trx, body));
    const [event] = await db('webhook_events').where({ tenant_id: tenantId });
    expect(event.body).toBe(JSON.stringify(body));
  });
});

describe('a booking that commits during a change of endpoints', () => {
  it('a booking that commits while an endpoint is being added is delivered to this endpoint', async () => {
    await db.transaction(async (booking) => {
      await enqueue(booking);
      expect(await add(db, tenantId, receiver.url)).toMatchObject({ waiting: 0 });
    });
    expect(await deliveriesOf(db, tenantId)).toMatchObject([{ endpoint: null }]);
    worker = startFastWorker(db);
    await whenAll(db, tenantId, 'delivered');
  });

  it('the delivery of a booking is cancelled if its endpoint was removed before the booking committed', async () => {
    const { id } = await add(db, tenantId, receiver.url);
    await db.transaction(async (booking) => {
      await enqueue(booking);
      await inTransaction(db, (trx) => removeEndpoint(trx, id));
    });
    await expect(findEndpoint(db, id)).rejects.toThrow('no webhook endpoint');
    expect(await reconcileOrphans(db)).toBe(1);
    expect(await deliveriesOf(db, tenantId)).toMatchObject([
      { status: 'cancelled', lastError: 'The endpoint was removed.' },
    ]);
  });
});
