import { once } from 'node:events';
import type { Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { register } from 'prom-client';
import { createApp, createServer } from '../../services/api/app';
import { startMetricsServer } from '../../services/platform/http/metrics-server';
import { HTTP_LIMITS, type HttpLimits } from '../../services/platform/http/edge';
import { startTestApi, type TestApi } from '../support/api';
import { freePorts } from '../support/free-ports';
import { givenWebsite, type Website } from '../support/website';
import { startTestMonitor, type TestMonitor } from '../webhook-queue/monitor-fixture';

let api: TestApi;
let website: Website;
let monitor: TestMonitor;
beforeAll(async () => {
  [api, monitor] = await Promise.all([startTestApi({ logLevel: 'silent' }), startTestMonitor()]);
  website = await givenWebsite(api);
});
afterAll(async () => {
  await api.stop();
  await monitor.stop();
});

interface Client {
  socket: Socket;
  /** Returns the bytes that the server has sent. */
  said(): string;
  /** Counts this text in the received bytes. */
  times(pattern: RegExp): number;
  isClosed(): boolean;
  closed: Promise<unknown>;
}

function connectTo(url: string, text = ''): Client {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  let said = '';
  socket.on('data', (chunk: Buffer) => (said += chunk.toString('latin1'))).on('error', () => {});
  const closed = new Promise((resolve) => socket.once('close', resolve));
  if (text) socket.write(text);
  return {
    socket,
    said: () => said,
    times: (pattern) => said.match(new RegExp(pattern, 'g'))?.length ?? 0,
    isClosed: () => socket.closed,
    closed,
  };
}

/** Waits until the server has sent this text. */
async function expectSaid(client: Client, pattern: RegExp): Promise<void> {
  while (!pattern.test(client.said()) && !client.isClosed()) await sleep(10);
  expect(client.said()).toMatch(pattern);
}

const sleep = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));
const request = (line: string, ...headers: string[]) =>
  [`${line} HTTP/1.1`, 'Host: x', ...headers, '\r\n'].join('\r\n');
const HEALTH = request('GET /healthz');
const HALF_A_REQUEST = 'GET /healthz HTTP/1.1\r\nHost: x\r\nX-Rest: ';

const SERVERS: [string, () => string, string][] = [
  ['the API', () => api.baseUrl, '/openapi.json'],
  ["the webhook queue's port", () => monitor.url, '/assets/monitor.css'],
];

describe.each(SERVERS)('%s', (_name, url, largePath) => {
  it('an HTTP server answers 16 of 1,500 pipelined requests, the 16th with Connection: close, and ends the connection', async () => {
    const client = connectTo(url(), request(`GET ${largePath}`).repeat(1500));
    await client.closed;
    expect(client.times(/HTTP\/1\.1 200 OK/)).toBe(16);
    expect(client.said().match(/^Connection: \S+/gim)).toEqual([
      ...Array.from({ length: 15 }, () => 'Connection: keep-alive'),
      'Connection: close',
    ]);
  });

  it('an HTTP server answers 16 pipelined requests in their order, and keeps the connection open', async () => {
    const client = connectTo(url(), (HEALTH + request('GET /nowhere')).repeat(8));
    await expectSaid(client, /(HTTP\/1\.1 200[^]*HTTP\/1\.1 404[^]*){8}/);
    expect(client.said().match(/HTTP\/1\.1 \d+/g)).toHaveLength(16);
    client.socket.write(HEALTH);
    await expectSaid(client, /(HTTP\/1\.1 200[^]*){9}/);
    client.socket.destroy();
  });

  it('an HTTP server answers a new connection early, before it has answered half of 480 pipelined requests of 30 other connections', async () => {
    const pipelining = Array.from({ length: 30 }, () => connectTo(url(), HEALTH.repeat(16)));
    const other = connectTo(url(), HEALTH);
    await once(other.socket, 'data');
    const answered = pipelining.reduce((sum, client) => sum + client.times(/HTTP\/1\.1 200 OK/), 0);
    expect(answered).toBeLessThan((30 * 16) / 2);
    for (const { socket } of [...pipelining, other]) socket.destroy();
  });

  it('an HTTP server answers a valid request before it has refused half of 99 connections that send invalid HTTP', async () => {
    const [other, ...broken] = Array.from({ length: 100 }, () => connectTo(url()));
    await Promise.all([other!, ...broken].map(({ socket }) => once(socket, 'connect')));
    for (const { socket } of broken) socket.write('nonsense\r\n\r\n');
    other!.socket.write(HEALTH);
    await once(other!.socket, 'data');
    expect(broken.filter((client) => client.said() !== '').length).toBeLessThan(50);
    await Promise.all(broken.map(({ closed }) => closed));
    for (const client of broken) expect(client.said()).toMatch(/^HTTP\/1\.1 400 /);
    other!.socket.destroy();
  });

  it('an HTTP server closes a connection without an answer when its client stops in the middle of the first request', async () => {
    const client = connectTo(url(), HALF_A_REQUEST);
    client.socket.end();
    await client.closed;
    expect(client.said()).toBe('');
  });

  it('an HTTP server sends the pending answers before it ends a connection for invalid HTTP', async () => {
    const client = connectTo(url(), `${HEALTH.repeat(3)}nonsense\r\n\r\n`);
    await client.closed;
    expect(client.times(/HTTP\/1\.1 200 OK/)).toBe(3);
  });

  it('an HTTP server closes the connection after it refuses a declared or chunked body unread', async () => {
    const sendBody = async (framing: string) => {
      const client = connectTo(url(), request('POST /healthz', framing));
      const part = Buffer.from(`10000\r\n${'x'.repeat(0x10000)}\r\n`);
      for (let sent = 0; sent < 64e6 && !client.isClosed(); sent += part.length) {
        if (client.socket.write(part)) continue;
        await Promise.race([new Promise((resolve) => client.socket.once('drain', resolve)), client.closed]);
      }
      await client.closed;
      expect(client.said()).toMatch(/^HTTP\/1\.1 405 [^]*\r\nConnection: close\r\n/);
      expect(client.socket.bytesWritten - client.socket.writableLength).toBeLessThan(32e6);
    };
    // The server waits for two seconds before it ends each of the two connections.
    await Promise.all(['Content-Length: 2000000000', 'Transfer-Encoding: chunked'].map(sendBody));
  });

  it('an HTTP server refuses a declared body that never comes, and closes the connection', async () => {
    const client = connectTo(url(), request('POST /healthz', 'Content-Length: 100000'));
    await client.closed;
    expect(client.said()).toMatch(/^HTTP\/1\.1 405 [^]*\r\nConnection: close\r\n/);
  });

  it('an HTTP server sends no 100 Continue for a body that it refuses', async () => {
    const headers = ['Expect: 100-continue', 'Content-Length: 100000', 'Content-Type: text/plain'];
    const client = connectTo(url(), request('POST /healthz', ...headers));
    await client.closed;
    expect(client.said()).toMatch(/^HTTP\/1\.1 405 /);
  });

  it.each(['example.com:443', '/healthz'])(
    'an HTTP server answers CONNECT %s with 405 and Allow',
    async (target) => {
      const client = connectTo(url(), request(`CONNECT ${target}`));
      await client.closed;
      expect(client.said()).toMatch(/^HTTP\/1\.1 405 /);
      for (const header of [/^Allow: .*GET/m, /^X-Request-Id: \S+/m, /^X-Content-Type-Options: nosniff/m])
        expect(client.said()).toMatch(header);
    },
  );

  it('an HTTP server sends the pending answers before a CONNECT ends the connection', async () => {
    const client = connectTo(url(), HEALTH.repeat(2) + request('CONNECT example.com:443'));
    await client.closed;
    expect(client.times(/HTTP\/1\.1 200 OK/)).toBe(2);
  });

  it('an HTTP server ignores a request for an upgrade, and an unknown expectation', async () => {
    const upgrade = request('GET /healthz', 'Connection: Upgrade', 'Upgrade: websocket');
    const client = connectTo(url(), upgrade);
    await expectSaid(client, /HTTP\/1\.1 200 OK/);
    client.socket.write(request('GET /healthz', 'Expect: gold') + HEALTH);
    await expectSaid(client, /(HTTP\/1\.1 200 OK[^]*){3}/);
    client.socket.destroy();
  });

  it('an HTTP server answers TRACE with 405 and Allow', async () => {
    const trace = connectTo(url(), request('TRACE /healthz'));
    await expectSaid(trace, /^HTTP\/1\.1 405 [^]*\r\nAllow: /);
    trace.socket.destroy();
  });

  it.each([
    ['120 headers', request('GET /healthz', ...Array.from({ length: 120 }, (_, n) => `X-${n}: 1`))],
    ['a URL instead of a path', request('GET foo://')],
    [
      '1,600 characters of X-Forwarded-For',
      request('GET /healthz', `X-Forwarded-For: ${'fd00::1,'.repeat(200)}`),
    ],
  ])('an HTTP server refuses a request with %s', async (_problem, text) => {
    const client = connectTo(url(), text);
    await expectSaid(client, /^HTTP\/1\.1 4(00|31) [^]*X-Request-Id/);
    client.socket.destroy();
  });
});

describe('the API', () => {
  it('the API answers 413 to a declared or chunked body above the limit before the body ends', async () => {
    const head = (framing: string) =>
      request(
        'POST /api/tenant/bookings',
        `Authorization: ${website.authorization}`,
        'Content-Type: application/json',
        framing,
      );
    const declared = connectTo(api.baseUrl, head('Content-Length: 100000'));
    const chunked = connectTo(api.baseUrl, head('Transfer-Encoding: chunked'));
    chunked.socket.write(`11000\r\n${' '.repeat(0x11000)}\r\n`);
    for (const client of [declared, chunked]) {
      await client.closed;
      expect(client.said()).toMatch(/^HTTP\/1\.1 413 [^]*"code":"body_too_large"/);
    }
  });

  it('the API sends 100 Continue when it begins to read the body of a client that waits for it', async () => {
    const headers = [`Authorization: ${website.authorization}`, 'Content-Type: application/json'];
    const expecting = ['Content-Length: 2', 'Expect: 100-continue'];
    const client = connectTo(api.baseUrl, request('POST /api/tenant/bookings', ...headers, ...expecting));
    await expectSaid(client, /^HTTP\/1\.1 100 Continue\r\n\r\n$/);
    client.socket.write('{}');
    await expectSaid(client, /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 400 [^]*"validation_failed"/);
    client.socket.destroy();
  });

  it('the API counts no request in flight after its clients left without their pipelined answers', async () => {
    const gauge = register.getSingleMetric('http_requests_in_flight')!;
    const inFlight = async () => (await gauge.get()).values[0]!.value;
    const catalog = request('GET /api/tenant/catalog', `Authorization: ${website.authorization}`);
    for (let n = 0; n < 5; n++) {
      const client = connectTo(api.baseUrl, catalog.repeat(12));
      await sleep(n * 3);
      client.socket.resetAndDestroy();
    }
    for (const until = Date.now() + 5000; (await inFlight()) > 0 && Date.now() < until;) await sleep(20);
    expect(await inFlight()).toBe(0);
  });
});

describe('the connections of an API', () => {
  const servers: Server[] = [];
  afterAll(() => servers.forEach((server) => server.close().closeAllConnections()));

  async function serve(limits: Partial<HttpLimits>, trustProxy: number | false = false): Promise<string> {
    const config = { ...api.context.config, trustProxy };
    const app = createApp({ ...api.context, config });
    const server = createServer(app, { ...HTTP_LIMITS, ...limits }).listen(0, '127.0.0.1');
    servers.push(server);
    await once(server, 'listening');
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  /** Opens `count` connections, and waits until the server has accepted the last one. */
  async function open(url: string, count: number, text: string): Promise<Client[]> {
    const clients: Client[] = [];
    for (let n = 0; n < count; n++) {
      const client = connectTo(url, text);
      clients.push(client);
      await once(client.socket, 'connect');
      if (text === HEALTH) await Promise.race([expectSaid(client, /200 OK/), client.closed]);
    }
    return clients;
  }

  const openOf = (clients: Client[]) => clients.filter((client) => !client.isClosed()).length;
  const isHealthy = async (url: string) => {
    const probe = connectTo(url, request('GET /healthz', 'Connection: close'));
    await probe.closed;
    expect(probe.said()).toMatch(/^HTTP\/1\.1 200 OK/);
  };

  it.each([
    ['idle', HEALTH],
    ['silent', ''],
    ['half-open', HALF_A_REQUEST],
  ])('an address at its limit loses its oldest %s connections to new connections', async (_kind, text) => {
    const url = await serve({ connections: 100, connectionsPerAddress: 10 });
    const clients = await open(url, 30, text);
    await isHealthy(url);
    await sleep(50);
    expect(openOf(clients)).toBeLessThanOrEqual(10);
    // The oldest are closed, the newest stay.
    expect(clients.at(-1)!.isClosed()).toBe(false);
    clients.forEach(({ socket }) => socket.destroy());
  });

  it('connections of a trusted proxy count only against the limit of all connections', async () => {
    const url = await serve({ connections: 40, connectionsPerAddress: 10 }, 1);
    const clients = await open(url, 30, HALF_A_REQUEST);
    expect(openOf(clients)).toBe(30);
    clients.push(...(await open(url, 30, HALF_A_REQUEST)));
    await isHealthy(url);
    await sleep(50);
    expect(openOf(clients)).toBeLessThanOrEqual(36);
    clients.forEach(({ socket }) => socket.destroy());
  });

  it('a connection with a request in progress is not closed for a new connection of its address', async () => {
    const url = await serve({ connections: 100, connectionsPerAddress: 5 });
    const lock = await api.db.transaction();
    await lock.raw('lock table tenants in access exclusive mode');
    const catalog = request('GET /api/tenant/catalog', `Authorization: ${website.authorization}`);
    const busy = await open(url, 5, catalog);
    await sleep(100);
    const refused = connectTo(url, HEALTH);
    await refused.closed;
    expect([refused.said(), openOf(busy)]).toEqual(['', 5]);
    await lock.rollback();
    for (const client of busy) await expectSaid(client, /^HTTP\/1\.1 200 OK/);
    busy.forEach(({ socket }) => socket.destroy());
  });

  it('a new connection replaces a connection whose client does not read its answer', async () => {
    const url = await serve({ connections: 100, connectionsPerAddress: 5 });
    const clients = await open(url, 5, '');
    for (const { socket } of clients) {
      socket.pause();
      socket.write(request('GET /openapi.json').repeat(16));
    }
    await sleep(500);
    await isHealthy(url);
    clients.forEach(({ socket }) => socket.resume());
    await Promise.race(clients.map(({ closed }) => closed));
    expect(openOf(clients)).toBe(4);
    clients.forEach(({ socket }) => socket.destroy());
  });

  it('a connection ends with the answer to its last permitted request', async () => {
    const url = await serve({ requestsPerConnection: 3 });
    const client = connectTo(url, HEALTH.repeat(5));
    await client.closed;
    expect(client.said().match(/^Connection: \S+/gim)).toEqual([
      'Connection: keep-alive',
      'Connection: keep-alive',
      'Connection: close',
    ]);
  });
});

describe("the connections of the webhook queue's port", () => {
  it('the webhook queue closes half-open connections so that a probe of /healthz gets an answer', async () => {
    const clients = Array.from({ length: 300 }, () => connectTo(monitor.url, HALF_A_REQUEST));
    await Promise.all(clients.map(({ socket }) => once(socket, 'connect')));
    const probe = connectTo(monitor.url, request('GET /healthz', 'Connection: close'));
    await probe.closed;
    expect(probe.said()).toMatch(/^HTTP\/1\.1 200 OK/);
    await sleep(50);
    expect(clients.filter((client) => !client.isClosed()).length).toBeLessThanOrEqual(200);
    clients.forEach(({ socket }) => socket.destroy());
  });
});

describe('the metrics port', () => {
  let metrics: { stop(): Promise<void> };
  let url: string;
  beforeAll(async () => {
    const [port] = await freePorts();
    metrics = await startMetricsServer('127.0.0.1', port);
    url = `http://127.0.0.1:${port}`;
  });
  afterAll(() => metrics.stop());

  it('the metrics port answers a request for the metrics with a request id', async () => {
    const client = connectTo(url, request('GET /metrics', 'Connection: close'));
    await client.closed;
    expect(client.said()).toMatch(/^HTTP\/1\.1 200 OK/);
    expect(client.said()).toMatch(/\r\nX-Request-Id: /);
    expect(client.said()).toContain('process_cpu_seconds_total');
  });

  it('the metrics port ends a connection after two of 1,500 pipelined requests', async () => {
    const client = connectTo(url, request('GET /metrics').repeat(1500));
    await client.closed;
    expect(client.times(/HTTP\/1\.1 200 OK/)).toBe(2);
  });

  it.each([
    ['POST /metrics', 405],
    ['POST /x', 404],
    ['CONNECT x:443', 405],
  ])('the metrics port answers %s with %d without reading its body', async (line, status) => {
    const client = connectTo(url, request(line, 'Content-Length: 104857600'));
    await client.closed;
    expect(client.said()).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  });
});
