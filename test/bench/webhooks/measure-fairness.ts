import { setTimeout as sleep } from 'node:timers/promises';
import { type Db, inTransaction } from '../../../services/platform/database/database';
import { claimDeliveries } from '../../../services/webhook-queue/worker/claim.repository';
import { bookingEvent, enqueueDelivery } from '../../../services/webhook-queue/enqueue-delivery';
import { addEndpoint } from '../../../services/webhook-queue/endpoints/add-endpoint';
import { givenTenant } from '../../support/given';
import type { BenchServer } from './bench-server';
import { BODY } from './body';
import { CONCURRENCY, now } from './contender';
import { SECRETS_KEY } from './our-queue';
import { type Sink, startConsumer } from './processes';
import { median, printTable } from '../table';

const { DUE = '1000000' } = process.env;
const ENDPOINTS = 5;
const NEWCOMERS = 20;
const CLAIMS = 20;
const WARM_MS = 3000;

/** Gives one tenant a million due deliveries. Measures how long a single delivery of another tenant takes. */
export async function measureFairness({ queues, db, described }: BenchServer, sink: Sink): Promise<void> {
  const { ours } = queues;
  await ours.clear();
  const urls = Array.from({ length: ENDPOINTS }, (_, i) => `${sink.url}/large/${i}`);
  await ours.add(urls, Number(DUE) / ENDPOINTS, BODY);
  const claims = await timeClaims(db);
  const quick = await timeNewcomers(db, ours.url, sink);
  // The worker reads the URL with each claim.
  await db.raw(
    `update webhook_endpoints set url = replace(url, '/large/', '/slow/') where url like '%/large/%'`,
  );
  const slow = await timeNewcomers(db, ours.url, sink);
  const left = await ours.left();
  const tell = (values: number[]) => [median(values), Math.max(...values)].map((value) => value.toFixed(3));
  printTable(
    `One tenant with ${DUE} due at ${ENDPOINTS} endpoints, another with one that comes after. Seconds from its commit until it was answered ` +
      `(${NEWCOMERS} times), and of a claim alone (${CLAIMS} times); ${left} were still due at the end. ${described}`,
    ['', 'median', 'highest'],
    [
      ['the one, the large tenant answers at once', ...tell(quick)],
      ['the one, the large tenant answers after 3 s', ...tell(slow)],
      ['a claim by an idle worker', ...tell(claims)],
    ],
  );
}

/** Measures claims, and rolls each one back. */
async function timeClaims(db: Db): Promise<number[]> {
  const seconds: number[] = [];
  const limits = { worker: 'bench', slots: CONCURRENCY, capacity: CONCURRENCY, rows: CONCURRENCY };
  const others = {
    concurrencyLimit: 4,
    leaseSeconds: 45,
    known: [],
    proven: [],
    dueLowerBound: null,
    after: '00000000-0000-0000-0000-000000000000',
  };
  for (let i = 0; i < CLAIMS; i++) {
    const transaction = await db.transaction();
    const begun = now();
    const { claims } = await claimDeliveries(transaction, { ...limits, ...others });
    seconds.push((now() - begun) / 1000);
    await transaction.rollback();
    if (claims.length === 0) throw new Error('nothing was claimed');
  }
  return seconds;
}

/** Adds new tenants while a worker processes the deliveries of the large tenant. Measures the time of each new tenant's delivery. */
async function timeNewcomers(db: Db, url: string, sink: Sink): Promise<number[]> {
  const consumer = startConsumer('ours', url, { kind: 'POST' });
  await sleep(WARM_MS);
  const seconds: number[] = [];
  for (let i = 0; i < NEWCOMERS; i++) {
    const { id: tenantId } = await givenTenant(db);
    const endpoint = { tenantId, url: `${sink.url}/single`, allowPrivateTargets: true };
    await inTransaction(db, (trx) => addEndpoint(trx, SECRETS_KEY, endpoint));
    await sleep(500 * Math.random());
    const arrival = sink.expect({ prefix: '/single', count: 1 });
    await inTransaction(db, (trx) => enqueueDelivery(trx, eventOf(tenantId)));
    const due = now();
    const { answeredAt } = await arrival;
    seconds.push((answeredAt[0]! - due) / 1000);
  }
  await consumer.stop();
  return seconds;
}

function eventOf(tenantId: string) {
  return bookingEvent('booking.created', {
    tenantId,
    bookingRef: 'ACME-1',
    leadId: 1,
    externalRef: null,
    customer: { name: null, phone: null, email: null },
    departureDate: null,
    departureTime: null,
    totalPrice: 1,
    updatedAt: new Date(),
  });
}
