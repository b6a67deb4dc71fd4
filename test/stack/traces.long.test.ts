import { randomBytes } from 'node:crypto';
import { inTransaction } from '../../services/platform/database/database';
import { addEndpoint } from '../../services/webhook-queue/endpoints/add-endpoint';
import { type ApiProcess, startApiProcess } from '../support/api-process';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { describeWith } from '../support/describe-with';
import { givenKey, givenTenant } from '../support/given';
import { type QueueProcess, startQueueProcess } from '../support/queue-process';
import {
  type ExportedSpan,
  INSTRUMENTATION,
  installInstrumentation,
  startTraceReceiver,
  type TraceReceiver,
} from '../support/tracing';
import { CUSTOMER, givenSeats, type PlacedSeats } from '../support/website';
import { eventually } from '../webhook-queue/queue-fixture';
import { type Receiver, startReceiver } from '../webhook-queue/receiver';

const modules = installInstrumentation();

describeWith(INSTRUMENTATION, 'services with OpenTelemetry', suite, modules !== undefined);

const API = 'tour-platform-api';
const QUEUE = 'tour-platform-queue';
const RUSH = 24;
const SECRETS_KEY = 's'.repeat(32);

function suite(): void {
  let database: TestDatabase;
  let traces: TraceReceiver;
  let receiver: Receiver;
  let api: ApiProcess;
  let queue: QueueProcess;
  let authorization: string;
  let seats: PlacedSeats;

  beforeAll(async () => {
    [database, traces, receiver] = await Promise.all([
      createTestDatabase(),
      startTraceReceiver(),
      startReceiver(),
    ]);
    const { db } = database;
    const tenant = await givenTenant(db, { status: 'active', maxUnpaid: 1000 });
    authorization = `Bearer ${await givenKey(db, tenant)}`;
    seats = await givenSeats(db, { seats: 100 });
    const endpoint = { tenantId: tenant.id, url: receiver.url, allowPrivateTargets: true };
    await inTransaction(db, (trx) => addEndpoint(trx, SECRETS_KEY, endpoint));
    api = await startApiProcess(database.url, traces.environmentOf(API, modules!));
    queue = await startQueueProcess(database.url, {
      WEBHOOK_ALLOW_PRIVATE_TARGETS: 'on',
      ...traces.environmentOf(QUEUE, modules!),
    });
  }, 180_000);
  afterAll(async () => {
    queue?.kill();
    await api?.stop();
    traces?.close();
    await receiver?.close();
    await database?.drop();
  });

  const randomId = (bytes: number) => randomBytes(bytes).toString('hex');
  const spansOf = (traceId: string) => traces.spans.filter((span) => span.traceId === traceId);
  const named = (spans: ExportedSpan[], name: string) => spans.filter((span) => span.name === name);

  async function book(externalRef: string, traceparent: string): Promise<string> {
    const answer = await fetch(`${api.baseUrl}/api/tenant/bookings`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json', traceparent },
      body: JSON.stringify({
        ...CUSTOMER,
        tour_id: seats.tour.id,
        departure_date: seats.date,
        external_ref: externalRef,
      }),
    });
    expect(answer.status).toBe(201);
    return ((await answer.json()) as { booking_ref: string }).booking_ref;
  }

  const eventOf = (ref: string) =>
    database
      .db('webhook_events')
      .where({ booking_ref: ref, type: 'booking.created' })
      .first('id', 'traceparent');

  it('the spans of a booking and of its SQL belong to the trace of the caller, and the delivery links to them', async () => {
    const [traceId, callerSpan] = [randomId(16), randomId(8)];
    const ref = await book('alone', `00-${traceId}-${callerSpan}-01`);
    const [write] = await eventually('the span of the sale', () => {
      const found = named(spansOf(traceId), 'write sales');
      return found.length > 0 ? found : undefined;
    });
    const server = await eventually('the span of the request', () =>
      spansOf(traceId).find(({ parentSpanId }) => parentSpanId === callerSpan),
    );
    expect(server.service).toBe(API);
    expect(write!.attributes['sales.count']).toBe(1);
    const inSale = await eventually('the spans of the statements', () => {
      const found = spansOf(traceId).filter(({ parentSpanId }) => parentSpanId === write!.spanId);
      return found.some(({ name }) => /COMMIT/i.test(name)) ? found : undefined;
    });
    expect(inSale.every(({ service }) => service === API)).toBe(true);

    const { id, traceparent } = await eventOf(ref);
    expect(traceparent).toMatch(new RegExp(`^00-${traceId}-[0-9a-f]{16}-01$`));
    const spanOfEvent = traceparent.split('-')[2] as string;
    expect(spansOf(traceId).map(({ spanId }) => spanId)).toContain(spanOfEvent);
    const delivery = await eventually('the span of the delivery', () =>
      named(traces.spans, 'send webhook').find(({ links }) =>
        links.some((link) => link.spanId === spanOfEvent),
      ),
    );
    expect(delivery).toMatchObject({
      service: QUEUE,
      links: [{ traceId, spanId: spanOfEvent }],
      attributes: { 'webhook.outcome': 'delivered' },
    });
    const { id: deliveryId } = await database.db('webhook_deliveries').where({ event_id: id }).first('id');
    expect(delivery.attributes['webhook.delivery_id']).toBe(deliveryId);
    const sent = receiver.received.find(({ body }) => body.includes(ref));
    const [, sentTrace, sentSpan] = String(sent!.headers.traceparent).split('-');
    expect(sentTrace).toBe(delivery.traceId);
    const request = await eventually('the span of the request to the receiver', () =>
      traces.spans.find(({ spanId }) => spanId === sentSpan),
    );
    expect(request).toMatchObject({ service: QUEUE, name: 'POST', parentSpanId: delivery.spanId });
  });

  it('a transaction of many sales links to each request, and no request gets the trace of another one', async () => {
    const rush = Array.from({ length: RUSH }, (_, n) => ({
      externalRef: `rush-${n}`,
      traceId: randomId(16),
    }));
    const refs = await Promise.all(
      rush.map(({ externalRef, traceId }) => book(externalRef, `00-${traceId}-${randomId(8)}-01`)),
    );
    for (const [n, ref] of refs.entries())
      expect((await eventOf(ref)).traceparent.split('-')[1]).toBe(rush[n]!.traceId);
    const ids = new Set(rush.map(({ traceId }) => traceId));
    const linked = () =>
      named(traces.spans, 'write sales')
        .filter(({ attributes }) => (attributes['sales.count'] as number) > 1)
        .filter(({ links }) => links.some(({ traceId }) => ids.has(traceId)));
    const alone = () => named(traces.spans, 'write sales').filter(({ traceId }) => ids.has(traceId));
    await eventually('the spans of the rush', () => {
      const sales = linked().reduce((sum, { links }) => sum + links.length, alone().length);
      return sales >= RUSH || undefined;
    });
    expect(linked().length).toBeGreaterThan(0);
    for (const { attributes, links } of linked()) expect(links.length).toBe(attributes['sales.count']);
    expect(new Set(linked().flatMap(({ links }) => links.map(({ traceId }) => traceId))).size).toBe(
      RUSH - alone().length,
    );
  });
}
