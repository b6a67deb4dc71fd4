import { type Db } from '../../services/platform/database/database';
import { deliveriesPage } from '../../services/webhook-queue/monitor/pages/deliveries-page';
import { deliveryPage } from '../../services/webhook-queue/monitor/pages/delivery-page';
import { endpointPage } from '../../services/webhook-queue/monitor/pages/endpoint-page';
import { endpointsPage } from '../../services/webhook-queue/monitor/pages/endpoints-page';
import { overviewPage } from '../../services/webhook-queue/monitor/pages/overview-page';
import {
  parseDeliveriesQuery,
  parseEndpointsQuery,
  parseReplayQuery,
  type Params,
} from '../../services/webhook-queue/monitor/queries/read-query';
import { replayPage } from '../../services/webhook-queue/monitor/pages/replay-page';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { add, book, createTenant, deliveriesOf } from './queue-fixture';

export const VIEWER = { operator: 'anna <ops>', csrfToken: 'a-token-of-this-session' };
export const EVIL = '<script>alert(1)</script>';

/** Set for the running test. */
export let db: Db;

/** Gives each test of the file an empty queue, because the overview shows the whole queue. */
export function useEmptyQueue(): void {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
    db = database.db;
  });
  afterAll(() => database.drop());
  beforeEach(async () => {
    await db.raw('truncate tenants cascade');
    await db('webhook_workers').delete();
    await db('webhook_pulse').delete();
  });
}

export const overview = (range: '1h' | '24h' | '7d' = '24h') => overviewPage(db, { range }, VIEWER);
export const endpoints = (params: Params = {}) => endpointsPage(db, parseEndpointsQuery(params), VIEWER);
export const endpoint = async (id: string) => (await endpointPage(db, id, VIEWER))!;
export const deliveries = (params: Params = {}) => deliveriesPage(db, parseDeliveriesQuery(params), VIEWER);
export const delivery = async (id: string, revealed = false) =>
  (await deliveryPage(db, id, { revealed }, VIEWER))!;
export const replay = (params: Params = {}) => replayPage(db, parseReplayQuery(params), VIEWER);

/** Returns the visible text. */
export function textOf(page: string): string {
  return page
    .replace(/<title>.*?<\/title>/gs, ' ')
    .replace(/<[^>]*>/g, ' ')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
    .replace(/\s+/g, ' ');
}

export async function slugOf(tenantId: string): Promise<string> {
  const row = await db('tenants').where({ id: tenantId }).first<{ slug: string }>('slug');
  return row.slug;
}

/** Creates a tenant with an endpoint and a delivery to it. */
export async function booked(url = 'https://hooks.example/in', events?: string[]) {
  const tenantId = await createTenant(db);
  const target = await add(db, tenantId, url, events);
  const { bookingRef } = await book(db, tenantId);
  const [item] = await deliveriesOf(db, tenantId);
  return { tenantId, slug: await slugOf(tenantId), endpoint: target, bookingRef, id: item!.id };
}

export async function logAttempt(deliveryId: string, attempt: Record<string, unknown> = {}): Promise<void> {
  const { phases, response_headers: headers, ...rest } = attempt;
  const number = (attempt.number as number | undefined) ?? 1;
  await db('webhook_attempts').insert({
    delivery_id: deliveryId,
    number,
    started_at: new Date('2026-11-20T12:00:00.700Z'),
    duration_ms: 120,
    outcome: 'http_error',
    status_code: 503,
    reason: 'The receiver answered 503.',
    worker: 'worker-1',
    ...rest,
    phases: phases ? JSON.stringify(phases) : null,
    response_headers: headers ? JSON.stringify(headers) : null,
  });
  await db('webhook_deliveries').where({ id: deliveryId }).update({ attempts: number });
}

export async function become(id: string, status: string, more: Record<string, unknown> = {}): Promise<void> {
  await db('webhook_deliveries')
    .where({ id })
    .update({ status, ...more });
  if (status === 'retrying' || status === 'pending') return;
  await db('webhook_deliveries').where({ id }).update({ finished_at: db.fn.now(), next_attempt_at: null });
  await db('webhook_queue').where({ delivery_id: id }).delete();
}
