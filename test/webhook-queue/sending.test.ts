import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import type { AttemptReport, ClaimedDelivery } from '../../services/webhook-queue/deliveries/delivery';
import { createGuardedAgent, type GuardedAgent } from '../../services/webhook-queue/sending/guarded-agent';
import { Cutoff, InterruptedError } from '../../services/webhook-queue/sending/attempt';
import { sendWebhook } from '../../services/webhook-queue/sending/send-webhook';
import { eventually } from './queue-fixture';
import { type Answering, type RawServer, startRawServer } from './raw-server';

const KEEP = 'HTTP/1.1 204 No Content\r\n\r\n';
const LIMITS = {
  allowPrivateTargets: true,
  lookupTimeoutMs: 2000,
  connectTimeoutMs: 3000,
  attemptTimeoutMs: 3000,
};
const DELIVERY: Omit<ClaimedDelivery, 'url' | 'body'> = {
  id: 'd1',
  endpointId: 'e1',
  eventId: 'ev1',
  isSubscription: false,
  secrets: [],
  ownHeaders: [],
  fence: 1,
  tries: 0,
  createdAt: new Date(),
  traceparent: null,
  claimedAt: new Date(),
};
const SIGNED = expect.stringMatching(/^v1,[A-Za-z0-9+/]{43}=$/);

let agent: GuardedAgent;
let server: RawServer;
let answer: Answering;
beforeEach(async () => {
  answer = (socket) => socket.write(KEEP);
  agent = createGuardedAgent(LIMITS);
  server = await startRawServer(createServer(), (...request) => answer(...request));
});
afterEach(async () => {
  await agent.destroy();
  await server.close();
});

interface Sending {
  url?: string;
  body?: string;
  cutoff?: Cutoff;
  attemptTimeoutMs?: number;
  allowPrivateTargets?: boolean;
}

function send({
  url = `http://127.0.0.1:${server.port}/hook`,
  body = '{}',
  cutoff = new Cutoff(),
  ...limits
}: Sending = {}): Promise<AttemptReport> {
  const openSecrets = () => [Buffer.alloc(32)];
  return sendWebhook({ ...DELIVERY, url, body }, openSecrets, { agent, ...LIMITS, ...limits }, cutoff);
}

const phasesOf = ({ phases }: AttemptReport) => Object.keys(phases ?? {});
const sumOf = ({ phases }: AttemptReport) => Object.values(phases!).reduce((sum, ms) => sum + ms, 0);

describe('the phases of an attempt', () => {
  it('an attempt reports only the phases that it went through: no dns and no connect on a kept connection', async () => {
    const byName = { url: `http://localhost:${server.port}/hook` };
    const [first, second] = [await send(byName), await send(byName)];
    expect(phasesOf(first)).toEqual(['dns', 'connect', 'first_byte', 'body']);
    expect(phasesOf(second)).toEqual(['first_byte', 'body']);
    expect([first.peer, second.peer]).toEqual(Array(2).fill(`127.0.0.1:${server.port}`));
    expect(server.connections).toBe(1);
    // An IP address needs no look-up.
    expect(phasesOf(await send())).toEqual(['connect', 'first_byte', 'body']);
  });

  it('concurrent attempts to one receiver each report their own phases', async () => {
    answer = (socket) => setTimeout(() => socket.write(KEEP), 50);
    const reports = [];
    for (let round = 0; round < 3; round++)
      reports.push(await Promise.all(Array.from({ length: 20 }, () => send())));
    const [fresh, ...kept] = reports as [AttemptReport[], ...AttemptReport[][]];
    expect(fresh.filter((report) => phasesOf(report).includes('connect'))).toHaveLength(20);
    expect(kept.flat().filter((report) => phasesOf(report).includes('connect'))).toHaveLength(0);
    expect(server.connections).toBe(20);
    for (const report of reports.flat()) {
      expect(report.phases!.first_byte).toBeGreaterThan(45);
      expect(sumOf(report)).toBeLessThanOrEqual(report.durationMs + 5);
    }
  });

  it('the phases report the wait for the response and the time to read its body', async () => {
    answer = (socket) => {
      setTimeout(() => {
        socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n');
        setTimeout(() => socket.write('ok'), 300);
      }, 100);
    };
    const report = await send();
    const { phases, responseBody, responseHeaders } = report;
    expect(phases!.first_byte).toBeGreaterThanOrEqual(95);
    expect(phases!.body).toBeGreaterThanOrEqual(180);
    expect(sumOf(report)).toBeLessThanOrEqual(report.durationMs + 5);
    expect([responseBody, responseHeaders]).toEqual(['ok', { 'content-length': '2' }]);
  });

  it('an attempt that times out in the TLS handshake reports no later phase, and sends nothing', async () => {
    const url = `https://127.0.0.1:${server.port}/hook`;
    // Leaves a slow machine time to connect. After the connection, more than 150 ms must remain for the handshake.
    const report = await send({ url, attemptTimeoutMs: 600 });
    expect(report).toMatchObject({
      outcome: 'timeout',
      reason: 'No response within 0.6 s.',
      signature: null,
    });
    expect(phasesOf(report)).toEqual(['connect', 'tls']);
    expect(report.phases!.tls).toBeGreaterThan(150);
    expect(report.peer).toBe(`127.0.0.1:${server.port}`);
  });

  it('an attempt whose host name does not resolve reports only the phase `dns`', async () => {
    const report = await send({ url: 'http://nothing.invalid/' });
    expect(report).toMatchObject({ outcome: 'dns', peer: null, signature: null, responseHeaders: null });
    expect(phasesOf(report)).toEqual(['dns']);
  });

  it('an attempt to a private address is blocked and reports no phases', async () => {
    const report = await send({ allowPrivateTargets: false });
    expect(report).toMatchObject({ outcome: 'blocked', phases: null, peer: null, signature: null });
  });
});

describe('an attempt that is cut off', () => {
  it('an attempt that is cut off reports that it was sent, and closes its connection', async () => {
    let closed = false;
    answer = (socket) => socket.on('close', () => (closed = true));
    const cutoff = new Cutoff();
    const sending = send({ cutoff });
    await eventually('a request', () => server.requests[0]);
    cutoff.cut(new InterruptedError());
    const report = await sending;
    expect(report).toMatchObject({ outcome: 'interrupted', statusCode: null, signature: SIGNED });
    expect(phasesOf(report)).toEqual(['connect', 'first_byte']);
    await eventually('the connection closed', () => closed || undefined);
  });

  it('an attempt that is cut off stops connecting at once', async () => {
    let closed = false;
    const silent = await startRawServer(createServer(), undefined, (socket) => {
      socket.on('close', () => (closed = true)).resume();
    });
    const cutoff = new Cutoff();
    const sending = send({ cutoff, url: `https://127.0.0.1:${silent.port}/` });
    await eventually('a connection', () => silent.connections || undefined);
    cutoff.cut(new InterruptedError());
    expect((await sending).outcome).toBe('interrupted');
    await eventually('the connection closed', () => closed || undefined);
    await silent.close();
  });

  it('a late cutoff does not disturb the next attempt on the connection', async () => {
    const cutoff = new Cutoff();
    await send({ cutoff });
    answer = (socket) => setTimeout(() => socket.write(KEEP), 100);
    const next = send();
    cutoff.cut(new InterruptedError());
    expect((await next).outcome).toBe('delivered');
    expect(server.connections).toBe(1);
  });
});

describe('a connection', () => {
  it('a connection is not kept when the receiver closes it or a response is not read to its end', async () => {
    answer = (socket) => socket.write('HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n');
    await send();
    await sleep(20);
    answer = (socket) =>
      socket.write(`HTTP/1.1 200 OK\r\ncontent-length: 20000\r\n\r\n${'x'.repeat(20_000)}`);
    await send();
    await send();
    expect(server.connections).toBe(3);
  });

  it('the agent closes its connections when it is destroyed', async () => {
    let closed = 0;
    answer = (socket) => socket.on('close', () => closed++).write(KEEP);
    await Promise.all([send(), send(), send()]);
    await agent.destroy();
    await eventually('all closed', () => closed === 3 || undefined);
    expect(server.connections).toBe(3);
  });
});

describe('a request', () => {
  it('a request has exactly these headers and the unchanged body, whatever its URL contains', async () => {
    const text = fc.string({ unit: 'binary', maxLength: 50 });
    const odd = fc.constantFrom(
      '\r\nx-evil: 1',
      '\r\n\r\nPOST / HTTP/1.1',
      ' HTTP/1.1\r\n',
      '%0d%0ax: y',
      '\0',
      '😀 ',
      '#x',
    );
    const piece = fc.array(fc.oneof(text, odd), { maxLength: 4 }).map((parts) => parts.join(''));
    await fc.assert(
      fc.asyncProperty(piece, piece, async (path, bookingRef) => {
        const body = JSON.stringify({ event_type: 'booking.created', booking_ref: bookingRef });
        const report = await send({ url: `http://127.0.0.1:${server.port}/${path}`, body });
        expect(report.outcome).toBe('delivered');
        const [head, sentBody] = server.requests.at(-1)!.split('\r\n\r\n') as [string, string];
        const [line, ...headers] = head.split('\r\n');
        expect(line).toMatch(/^POST \/[!-~]* HTTP\/1\.1$/);
        expect(headers.map((header) => header.split(':')[0])).toEqual([
          'host',
          'connection',
          'content-type',
          'user-agent',
          'webhook-id',
          'webhook-timestamp',
          'webhook-signature',
          'content-length',
        ]);
        expect(Buffer.from(sentBody, 'latin1').toString()).toBe(Buffer.from(body).toString());
      }),
      { numRuns: 200 },
    );
  });
});
