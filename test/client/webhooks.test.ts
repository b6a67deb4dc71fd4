import { randomBytes } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { buffer } from 'node:stream/consumers';
import {
  createClient,
  isOutdated,
  verifyWebhook,
  WebhookVerificationError,
  type WebhookEvent,
} from '../../clients/typescript/src/index';
import type { Worker } from '../../services/webhook-queue/worker/worker';
import { useTestApi } from '../support/api';
import { givenDeparture, givenKey, givenTenant, givenTour } from '../support/given';
import { listen } from '../support/listen';
import { add, eventually, startFastWorker } from '../webhook-queue/queue-fixture';

interface Received {
  headers: IncomingHttpHeaders;
  body: Buffer;
}

const OTHER_SECRET = `whsec_${randomBytes(32).toString('base64')}`;
const DAY_MS = 86_400_000;

const api = useTestApi();
let receiver: Server;
let worker: Worker;
let secret: string;
let received: Received;
let bookingRef: string;

/** Books through the API, and receives the webhook that the queue sends. */
beforeAll(async () => {
  const tenant = await givenTenant(api.db);
  const tour = await givenTour(api.db);
  const departure_date = await givenDeparture(api.db, tour);
  const arrived: Received[] = [];
  receiver = createServer((request, response) => {
    void buffer(request).then((body) => {
      arrived.push({ headers: request.headers, body });
      response.writeHead(204).end();
    });
  });
  const port = await listen(receiver);
  ({ secret } = await add(api.db, tenant.id, `http://127.0.0.1:${port}/`));
  worker = startFastWorker(api.db);
  const { data } = await createClient({
    baseUrl: api.baseUrl,
    apiKey: await givenKey(api.db, tenant),
  }).POST('/api/tenant/bookings', {
    body: {
      tour_id: tour.slug,
      departure_date,
      name: 'Zoë Ö',
      phone: '+49 30 901820',
      email: 'zoe@example.com',
    },
  });
  bookingRef = data.booking_ref;
  received = await eventually('the webhook', () => arrived[0]);
});
afterAll(async () => {
  await worker.stop(0);
  receiver.closeAllConnections();
  receiver.close();
});
afterEach(() => jest.useRealTimers());

/** Verifies the webhook with some of its parts replaced. */
function verify({ headers, body }: Partial<Received> = {}, secrets: string | string[] = secret) {
  return verifyWebhook(secrets, { ...received.headers, ...headers }, body ?? received.body);
}

describe('verifyWebhook', () => {
  it('verifyWebhook returns the event and the id of a webhook that the queue has sent', () => {
    const { id, event } = verify();
    expect(id).toBe(received.headers['webhook-id']);
    expect(event).toMatchObject({
      event_type: 'booking.created',
      booking_ref: bookingRef,
      customer: { name: 'Zoë Ö' },
    });
  });

  it('verifyWebhook refuses a body of which one byte is changed, whichever byte it is', () => {
    for (const at of received.body.keys()) {
      const body = Buffer.from(received.body);
      body[at]! ^= 1;
      expect(() => verify({ body })).toThrow(WebhookVerificationError);
    }
  });

  it.each(['webhook-id', 'webhook-timestamp', 'webhook-signature'])(
    'verifyWebhook refuses a webhook with another %s header, or without this header',
    (name) => {
      const changed = String(received.headers[name]).replace(/.$/, (last) => (last === '1' ? '2' : '1'));
      expect(() => verify({ headers: { [name]: changed } })).toThrow(WebhookVerificationError);
      expect(() => verify({ headers: { [name]: undefined } })).toThrow(WebhookVerificationError);
    },
  );

  it('verifyWebhook refuses a webhook that is a day old, or a day early', () => {
    for (const away of [DAY_MS, -DAY_MS]) {
      jest.useFakeTimers({ now: Date.now() + away, doNotFake: ['nextTick'] });
      expect(() => verify()).toThrow('The webhook has no timestamp of the last five minutes.');
      jest.useRealTimers();
    }
  });

  it('verifyWebhook accepts one of several secrets, and one of several signatures', () => {
    expect(verify({}, [OTHER_SECRET, secret]).event.event_type).toBe('booking.created');
    expect(() => verify({}, [OTHER_SECRET])).toThrow('The webhook has no valid signature.');
    expect(() => verify({}, [])).toThrow('The webhook has no valid signature.');
    const signatures = `v1,AAAA v1a,ÄÄÄÄ ${String(received.headers['webhook-signature'])}`;
    expect(verify({ headers: { 'webhook-signature': signatures } }).id).toBeDefined();
  });

  it.each(['', 'whsec_', 'whsec_c2hvcnQ=', undefined])(
    'verifyWebhook refuses "%s", which is not a valid secret',
    (wrong) => {
      expect(() => verifyWebhook(wrong as string, received.headers, received.body)).toThrow('whsec_…');
    },
  );

  it('verifyWebhook names the parser where the body was parsed before', () => {
    const parsed: unknown = JSON.parse(received.body.toString());
    for (const body of [parsed, undefined]) {
      expect(() => verifyWebhook(secret, received.headers, body as string)).toThrow('a parser such as');
    }
  });

  it('verifyWebhook reads the headers of Node and of fetch, with names in any case', () => {
    const headers = Object.entries(received.headers).filter(([name]) => name.startsWith('webhook-'));
    const inCapitals = headers.map(([name, value]) => [name.toUpperCase(), value]);
    const text = received.body.toString();
    expect(verifyWebhook(secret, new Headers(headers as [string, string][]), text).id).toBe(verify().id);
    expect(verifyWebhook(secret, Object.fromEntries(inCapitals), text).id).toBe(verify().id);
  });
});

describe('isOutdated', () => {
  const TIME = '2027-01-12T08:05:11.042Z';
  const at = (updated_at: string | undefined) =>
    ({ event_type: 'booking.updated', updated_at }) as unknown as WebhookEvent;

  it.each([
    ['an earlier event', '2027-01-12T08:05:11.041Z', TIME, true],
    ['a later event', '2027-01-12T08:05:11.043Z', TIME, false],
    ['a later event in another notation', '2027-01-12T09:05:11.043+01:00', TIME, false],
    ['an event of the same state', TIME, new Date(TIME), false],
    ['an event without updated_at', undefined, TIME, true],
    ['the first event', TIME, null, false],
    ['the first event without updated_at', undefined, undefined, false],
  ])('isOutdated compares %s with the known state', (_, own, known, isOlder) => {
    expect(isOutdated(at(own), known)).toBe(isOlder);
  });
});
