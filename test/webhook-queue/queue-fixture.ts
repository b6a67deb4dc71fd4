import { setTimeout as sleep } from 'node:timers/promises';
import { type Db, inTransaction, openDatabase } from '../../services/platform/database/database';
import { createLogger } from '../../services/platform/logger';
import { bookingEvent, enqueueDelivery } from '../../services/webhook-queue/enqueue-delivery';
import { type AddedEndpoint, addEndpoint } from '../../services/webhook-queue/endpoints/add-endpoint';
import { type DeliveryItem, findDeliveries } from '../../services/webhook-queue/deliveries/find-deliveries';
import {
  type Claim,
  claimDeliveries,
  type ClaimLimits,
} from '../../services/webhook-queue/worker/claim.repository';
import { startWorker, type Worker, type WorkerOptions } from '../../services/webhook-queue/worker/worker';
import { urlAs } from '../support/database-roles';
import { givenTenant } from '../support/given';

export const SECRETS_KEY = 'a key of the tests that is long enough';

/** Ends a test before Jest's time limit (jest.config.cjs), with an error that names the awaited condition. A slow machine needs seconds. */
const EVENTUALLY_MS = 25_000;

let lastLead = 1000;

export async function createTenant(db: Db): Promise<string> {
  return (await givenTenant(db)).id;
}

export interface Booked {
  leadId: number;
  bookingRef: string;
}

/** The time of the change in each event of `book`. */
export const CHANGED_AT = new Date('2031-01-11T09:30:00.042Z');

/** Enqueues a booking event in its own transaction, as the API does. */
export async function book(
  db: Db,
  tenantId: string,
  type: 'booking.created' | 'booking.confirmed' | 'booking.cancelled' = 'booking.created',
): Promise<Booked> {
  const leadId = ++lastLead;
  const bookingRef = `ACME-${leadId}`;
  const event = bookingEvent(type, {
    tenantId,
    bookingRef,
    leadId,
    externalRef: null,
    customer: { name: 'Zoë “Ö” Müller', phone: '+37120000000', email: 'zoe@example.com' },
    departureDate: '2031-05-01',
    departureTime: null,
    totalPrice: 1499.5,
    updatedAt: CHANGED_AT,
  });
  await inTransaction(db, (trx) => enqueueDelivery(trx, event));
  return { leadId, bookingRef };
}

export function add(db: Db, tenantId: string, url: string, events?: string[]): Promise<AddedEndpoint> {
  const endpoint = { tenantId, url, events, allowPrivateTargets: true };
  return inTransaction(db, (trx) => addEndpoint(trx, SECRETS_KEY, endpoint));
}

/** Starts a worker with short intervals that may call private targets. The worker has its own connections, with the rights of the queue. */
export function startFastWorker({ client }: Db, options: Partial<WorkerOptions> = {}): Worker {
  const { connectionString } = (client as { config: { connection: { connectionString: string } } }).config
    .connection;
  const db = openDatabase(urlAs('tour_platform_queue', connectionString), { applicationName: 'tests' });
  const worker = startWorker({
    db,
    log: createLogger('silent', 'webhook-queue'),
    secretsKey: SECRETS_KEY,
    retryScheduleSeconds: [0, 0.05, 0.05, 0.05],
    allowPrivateTargets: true,
    pollMs: 10,
    reconcileMs: 50,
    ...options,
  });
  return { stop: (graceMs) => worker.stop(graceMs).finally(() => db.destroy()) };
}

/** Claims once for an idle worker with sixteen slots. */
export async function claimNow(db: Db, limits: Partial<ClaimLimits> = {}): Promise<Claim[]> {
  const { claims } = await claimDeliveries(db, {
    worker: 'one',
    rows: 16,
    capacity: 16,
    slots: 16,
    concurrencyLimit: 4,
    leaseSeconds: 60,
    known: [],
    proven: [],
    dueLowerBound: null,
    after: '00000000-0000-0000-0000-000000000000',
    ...limits,
  });
  return claims;
}

export async function deliveriesOf(db: Db, tenantId: string): Promise<DeliveryItem[]> {
  return findDeliveries(db, { tenantId }, 100);
}

/** Waits until the tenant has `count` deliveries and all have the status; returns them oldest first. */
export async function whenAll(
  db: Db,
  tenantId: string,
  status: DeliveryItem['status'],
  count = 1,
): Promise<DeliveryItem[]> {
  return eventually(`${count} × ${status}`, async () => {
    const items = await deliveriesOf(db, tenantId);
    return items.length === count && items.every((item) => item.status === status)
      ? items.reverse()
      : undefined;
  });
}

export async function eventually<T>(
  what: string,
  probe: () => Promise<T | undefined> | T | undefined,
): Promise<T> {
  const deadline = Date.now() + EVENTUALLY_MS;
  for (;;) {
    // Looks once more after the deadline: a busy machine may have paused this process, with the answer waiting to be read.
    const isLastLook = Date.now() > deadline;
    const found = await probe();
    if (found !== undefined) return found;
    if (isLastLook) throw new Error(`${what} did not happen within ${EVENTUALLY_MS} ms`);
    await sleep(10);
  }
}

/** The statistics count deliveries in periods of five minutes (services/webhook-queue/stats/delivery-stats.ts). */
const PERIOD_MS = 5 * 60_000;
/** Exceeds the duration of any test that must stay in one period. */
const TEST_MS = 5_000;

/** Waits for the next period of the statistics if the current period ends within `TEST_MS`. */
export async function awaitRoomInPeriod(): Promise<void> {
  const left = PERIOD_MS - (Date.now() % PERIOD_MS);
  if (left < TEST_MS) await sleep(left + 10);
}
