import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import type { Server } from 'node:http';
import { createServer } from '../../services/api/app';
import { HTTP_LIMITS } from '../../services/platform/http/edge';
import { startTestApi, type TestApi } from '../support/api';
import { givenSeats, givenWebsite, type Seats, type Website } from '../support/website';

/** Uses a thirtieth of the real limits to make the tests fast. */
const LIMITS = {
  ...HTTP_LIMITS,
  headersMs: 350,
  requestMs: 700,
  checkEveryMs: 50,
  keepAliveMs: 300,
  silentMs: 1000,
  connections: 20,
};
const DRIP_MS = 40;

let api: TestApi;
let website: Website;
let seats: Seats;
let server: Server;
let port: number;
beforeAll(async () => {
  api = await startTestApi({ logLevel: 'silent' });
  website = await givenWebsite(api);
  seats = await givenSeats(api.db);
  server = createServer(api.app, LIMITS).listen(0, '127.0.0.1');
  await once(server, 'listening');
  port = (server.address() as AddressInfo).port;
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await api.stop();
});

interface Outcome {
  /** The server's answer. */
  said: string;
  /** When the server ended the connection. */
  afterMs: number;
}

/** Connects, runs `client`, and waits until the server closes the connection. */
async function until(client: (socket: Socket) => void): Promise<Outcome> {
  const socket = connect(port, '127.0.0.1');
  const begun = performance.now();
  let said = '';
  socket.on('data', (chunk: Buffer) => (said += chunk.toString()));
  socket.on('error', () => {});
  client(socket);
  await once(socket, 'close');
  return { said, afterMs: performance.now() - begun };
}

const sleep = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Sends one byte at a time until the connection closes. */
function drip(socket: Socket, bytes = 'x'.repeat(10_000)): void {
  let sent = 0;
  const timer = setInterval(() => socket.write(bytes[sent++]!), DRIP_MS);
  socket.once('close', () => clearInterval(timer));
}

const connections = (): Promise<number> =>
  new Promise((resolve) => server.getConnections((_, count) => resolve(count)));

describe('the API with slow clients', () => {
  it('the API disconnects a client that sends nothing', async () => {
    const { afterMs } = await until(() => {});
    expect(afterMs).toBeLessThan(LIMITS.requestMs + 400);
  });

  it('the API disconnects a client whose headers arrive byte by byte', async () => {
    const { said, afterMs } = await until((socket) => {
      socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\nX-Drip: ');
      drip(socket);
    });
    expect(said).toMatch(/^HTTP\/1.1 400 [\s\S]*"code":"validation_failed"/);
    expect(afterMs).toBeLessThan(LIMITS.headersMs + 400);
  });

  it('the API disconnects a client whose body arrives byte by byte, and holds no seats', async () => {
    const before = await api.db('seat_holds').count('* as n').first();
    const { said, afterMs } = await until((socket) => {
      socket.write(
        [
          `POST /api/gateway/tours/${seats.tour.slug}/hold HTTP/1.1`,
          'Host: x',
          `Authorization: ${website.authorization}`,
          'Content-Type: application/json',
          'Content-Length: 10000',
          '\r\n{',
        ].join('\r\n'),
      );
      drip(socket);
    });
    expect(said).toMatch(/^HTTP\/1.1 400 [\s\S]*"field":"body"/);
    expect(afterMs).toBeLessThan(LIMITS.requestMs + 400);
    expect(await api.db('seat_holds').count('* as n').first()).toEqual(before);
  });

  it('the API disconnects a client that does not read its answer', async () => {
    const socket = connect(port, '127.0.0.1');
    socket.pause();
    const request = `GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n`;
    socket.write(request.repeat(200));
    while ((await connections()) === 0) await sleep(10);
    const begun = performance.now();
    while ((await connections()) > 0) await sleep(50);
    // Bytes that were written in the first period count as activity.
    expect(performance.now() - begun).toBeLessThan(2 * LIMITS.silentMs + 1500);
    socket.destroy();
  });

  it('the API disconnects a client that sends no further request', async () => {
    const { said, afterMs } = await until((socket) =>
      socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n'),
    );
    expect(said).toMatch(/^HTTP\/1.1 200 [\s\S]*Connection: keep-alive/i);
    // Node keeps the connection a second longer than it announces. A client that reuses the connection in the announced time finds it
    // open.
    expect(afterMs).toBeLessThan(LIMITS.keepAliveMs + 1500);
  });

  it('a complete request gets through while slow clients fill the limit of connections', async () => {
    const sockets = Array.from({ length: 3 * LIMITS.connections }, () => connect(port, '127.0.0.1'));
    const gone = sockets.map((socket) => {
      socket.on('error', () => {}).resume();
      socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\nX-Drip: ');
      return new Promise((resolve) => socket.once('close', resolve));
    });
    expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).toBe(200);
    let over = false;
    void Promise.all(gone).then(() => (over = true));
    let most = 0;
    for (; !over; await sleep(5)) most = Math.max(most, await connections());
    expect(most).toBeLessThanOrEqual(LIMITS.connections);
  });
});

describe('the server', () => {
  it('the server allows 10 s for headers, 15 s for a request and 65 s between requests', () => {
    expect(api.server).toMatchObject({
      headersTimeout: 10_000,
      requestTimeout: 15_000,
      keepAliveTimeout: 65_000,
      timeout: 30_000,
      maxConnections: 10_000,
      maxRequestsPerSocket: 1000,
    });
  });
});
