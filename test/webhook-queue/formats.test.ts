import { randomUUID } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { type Db, inTransaction } from '../../services/platform/database/database';
import { createEvent, departureEvent, enqueueDelivery } from '../../services/webhook-queue/enqueue-delivery';
import { disableByOperator } from '../../services/webhook-queue/endpoints/change-endpoint-state';
import { type AddedEndpoint, addEndpoint } from '../../services/webhook-queue/endpoints/add-endpoint';
import { pingEndpoint } from '../../services/webhook-queue/endpoints/requested-deliveries';
import { showDelivery } from '../../services/webhook-queue/deliveries/find-deliveries';
import type { Format } from '../../services/webhook-queue/endpoints/endpoint';
import type { Worker } from '../../services/webhook-queue/worker/worker';
import { openTestTerminal, type TestTerminal } from '../cli/terminal';
import {
  book,
  CHANGED_AT,
  createTenant,
  eventually,
  SECRETS_KEY,
  startFastWorker,
  whenAll,
} from './queue-fixture';
import { type Receiver, startReceiver, status } from './receiver';

const FORMATS = ['spec', 'standard', 'thin'] as const;

let terminal: TestTerminal;
let db: Db;
let receiver: Receiver;
let worker: Worker;
let tenantId: string;

beforeAll(async () => {
  [terminal, receiver] = await Promise.all([openTestTerminal({ SECRETS_KEY }), startReceiver()]);
  db = terminal.db;
  worker = startFastWorker(db);
});
afterAll(async () => {
  await worker.stop();
  await Promise.all([terminal.drop(), receiver.close()]);
});
beforeEach(async () => {
  receiver.react(status(204));
  receiver.received.length = 0;
  tenantId = await createTenant(db);
});

function add(format: Format | undefined, events?: string[]): Promise<AddedEndpoint> {
  const wanted = { tenantId, url: receiver.url, format, events, allowPrivateTargets: true };
  return inTransaction(db, (trx) => addEndpoint(trx, SECRETS_KEY, wanted));
}

/** Waits for the nth request, which must be the last one. Verifies the signature of this request with the library. */
async function received(secret: string, n = 1): Promise<string> {
  await eventually(`request ${n}`, () => receiver.received[n - 1]);
  const { body, headers } = receiver.received[n - 1]!;
  expect(receiver.received).toHaveLength(n);
  new Webhook(secret).verify(body, headers as Record<string, string>);
  expect(headers['content-type']).toBe('application/json');
  return body;
}

async function eventTime(type: string): Promise<string> {
  const event = await db('webhook_events').where({ tenant_id: tenantId, type }).first('created_at');
  return event.createdAt.toISOString();
}

const UPDATED_AT = `"updated_at":"${CHANGED_AT.toISOString()}"`;

/** Returns a body with the fields of the specification. All events except booking.created also have the start time and updated_at; booking.cancelled has the refund. */
function bodyOf(type: string, { leadId, bookingRef }: { leadId: number; bookingRef: string }): string {
  const isCreated = type === 'booking.created';
  return (
    `{"event_type":"${type}","booking_ref":"${bookingRef}","lead_id":${leadId},"source":"tenant_api","external_ref":null,` +
    '"customer":{"name":"Zoë “Ö” Müller","phone":"+37120000000","email":"zoe@example.com"},' +
    `"departure_date":"2031-05-01",${isCreated ? '' : '"departure_time":null,'}"total_price":1499.5` +
    (type === 'booking.cancelled' ? ',"refund_percent":null,"refund_amount":null' : '') +
    `${isCreated ? '' : `,${UPDATED_AT}`}}`
  );
}

/** Returns the text of updated_at in the body of the tenant's only event of a type. */
async function updatedAtOf(type: string): Promise<string> {
  const { body } = await db('webhook_events').where({ tenant_id: tenantId, type }).first('body');
  const updatedAt = JSON.parse(body).updated_at;
  expect(Math.abs(Date.parse(updatedAt) - Date.now())).toBeLessThan(60_000);
  return `"updated_at":"${updatedAt}"`;
}

/** Builds the body of an event in each format. */
async function formatted(format: Format, type: string, own: string, names: string): Promise<string> {
  if (format === 'spec') return own;
  const data = format === 'standard' ? own : names;
  return `{"type":"${type}","timestamp":"${await eventTime(type)}","data":${data}}`;
}

describe.each(FORMATS)('the format %s', (format) => {
  it.each(['booking.created', 'booking.cancelled'] as const)(
    'the event %s has the documented body',
    async (type) => {
      const { secret } = await add(format, [type]);
      const booked = await book(db, tenantId, type);
      const updated = type === 'booking.created' ? '' : `,${UPDATED_AT}`;
      const names = `{"booking_ref":"${booked.bookingRef}","lead_id":${booked.leadId}${updated}}`;
      expect(await received(secret)).toBe(await formatted(format, type, bodyOf(type, booked), names));
    },
  );

  it('the event hold.expired has the documented body', async () => {
    const { secret } = await add(format, ['hold.expired']);
    const fields = { hold_id: randomUUID(), external_ref: 'a "cart" \\ 81' };
    const event = createEvent('hold.expired', { tenantId, bookingRef: null, updatedAt: CHANGED_AT }, fields);
    await inTransaction(db, (trx) => enqueueDelivery(trx, event));
    const own = JSON.stringify({ event_type: 'hold.expired', ...fields, updated_at: CHANGED_AT });
    const names = `{"hold_id":"${fields.hold_id}",${UPDATED_AT}}`;
    expect(await received(secret)).toBe(await formatted(format, 'hold.expired', own, names));
  });

  it.each([
    ['departure.cancelled', null, ''],
    ['departure.updated', ['seats_total', 'prices'], '"changed":["seats_total","prices"],'],
  ])('the event %s has the documented body', async (type, changed, changedText) => {
    const { secret } = await add(format, [type]);
    const about = {
      tour: { id: randomUUID(), slug: 'alps' },
      departureDate: '2031-05-01',
      departureTime: '09:30',
      changed,
      updatedAt: CHANGED_AT,
    };
    const event = departureEvent({ tenantId, ...about, bookingRefs: ['ACME-1', 'ACME-2'], bookingsTotal: 2 });
    await inTransaction(db, (trx) => enqueueDelivery(trx, event));
    const tour = `"tour":{"id":"${about.tour.id}","slug":"alps"},"departure_date":"2031-05-01","departure_time":"09:30"`;
    const refs = '"booking_refs":["ACME-1","ACME-2"]';
    const own = `{"event_type":"${type}",${tour},${changedText}${refs},"bookings_total":2,${UPDATED_AT}}`;
    expect(await received(secret)).toBe(
      await formatted(format, type, own, `{${tour},${refs},${UPDATED_AT}}`),
    );
  });

  it('the event endpoint.disabled has the documented body', async () => {
    const { secret } = await add(format, ['endpoint.disabled']);
    const { id } = await add('spec');
    await inTransaction(db, (trx) => disableByOperator(trx, id));
    const updated = await updatedAtOf('endpoint.disabled');
    const own =
      `{"event_type":"endpoint.disabled","endpoint":"${id}","url":"${receiver.url}",` +
      `"reason":"An operator disabled it.",${updated}}`;
    expect(await received(secret)).toBe(
      await formatted(format, 'endpoint.disabled', own, `{"endpoint":"${id}",${updated}}`),
    );
  });

  it('a ping has the documented body', async () => {
    const { id, secret } = await add(format);
    const { delivery } = await inTransaction(db, (trx) => pingEndpoint(trx, id));
    const updated = await updatedAtOf('ping');
    const names = `{"endpoint":"${id}",${updated}}`;
    const own = `{"event_type":"ping","endpoint":"${id}",${updated}}`;
    const body = await formatted(format, 'ping', own, names);
    expect(await received(secret)).toBe(body);
    expect((await showDelivery(db, delivery)).body).toBe(body);
  });

  it('the format of an endpoint applies to deliveries that waited for it', async () => {
    const booked = await book(db, tenantId);
    const { secret, waiting } = await add(format);
    expect(waiting).toBe(1);
    const own = bodyOf('booking.created', booked);
    const names = `{"booking_ref":"${booked.bookingRef}","lead_id":${booked.leadId}}`;
    expect(await received(secret)).toBe(await formatted(format, 'booking.created', own, names));
  });

  it('each attempt sends the same body', async () => {
    receiver.react(status(500, 500, 204));
    const { secret } = await add(format);
    await book(db, tenantId);
    await whenAll(db, tenantId, 'delivered');
    const body = await received(secret, 3);
    expect(receiver.received.map((request) => request.body)).toEqual([body, body, body]);
  });
});

it('An event goes to each endpoint in its own format', async () => {
  const secrets = await Promise.all(FORMATS.map(async (format) => (await add(format)).secret));
  await book(db, tenantId);
  await whenAll(db, tenantId, 'delivered', 3);
  for (const secret of secrets) {
    const webhook = new Webhook(secret);
    const mine = receiver.received.filter(({ body, headers }) => {
      try {
        return webhook.verify(body, headers as Record<string, string>);
      } catch {
        return false;
      }
    });
    expect(mine).toHaveLength(1);
  }
  const lengths = new Set(receiver.received.map(({ body }) => body.length));
  expect(lengths.size).toBe(3);
});

describe('tourctl webhook add --format', () => {
  const slug = 'acme';
  beforeAll(() => terminal.tourctl(`tenant create --slug ${slug} --name Acme`));

  it.each(FORMATS)(
    'tourctl webhook add --format stores the format %s, which every command shows with the endpoint',
    async (format) => {
      const line = `webhook add ${slug} https://${format}.example/hook --format ${format} --json`;
      const { json: added } = await terminal.tourctl(line);
      expect(added.format).toBe(format);
      const { json: shown } = await terminal.tourctl(`webhook show ${added.id} --json`);
      const { json: list } = await terminal.tourctl(`webhook list ${slug} --json`);
      const { json: rotated } = await terminal.tourctl(`webhook rotate-secret ${added.id} --json`);
      const listed = list.items.find(({ id }: { id: string }) => id === added.id);
      expect([shown.format, listed.format, rotated.format]).toEqual([format, format, format]);
      expect((await terminal.tourctl(`webhook list ${slug}`)).stdout).toMatch(
        new RegExp(`https://${format}.example/hook +${format} `),
      );
      const audit = await terminal
        .db('audit_log')
        .where({ subject: added.id, action: 'webhook.add' })
        .first();
      expect(audit.after.format).toBe(format);
    },
  );

  it('tourctl webhook add --format refuses an unknown format', async () => {
    const { code, error } = await terminal.tourctl(
      `webhook add ${slug} https://a.example --format xml --json`,
    );
    expect([code, error.message]).toEqual([2, '--format must be one of spec, standard, thin']);
  });
});
