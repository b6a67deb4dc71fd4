import { once } from 'node:events';
import type { Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import express, { type Response } from 'express';
import { createHttpServer, HTTP_LIMITS } from '../../services/platform/http/edge';

const MIB = 1024 * 1024;
/** Bytes of an answer that fills all buffers. The server buffers up to 4 MB, and the client buffers up to 6 MB, before the client reads. */
const LARGE = 24 * MIB;
/**
 * Uses shorter times and other rates than production, so that the tests are fast. Node's own timeout is long, so that Node closes no
 * connection here.
 */
const LIMITS = {
  ...HTTP_LIMITS,
  checkEveryMs: 50,
  unreadMs: 1000,
  unreadMaxMs: 3000,
  readBytesPerSecond: MIB,
  silentMs: 60_000,
};

let server: Server;
let port: number;
beforeAll(async () => {
  const app = express();
  app.set('trust proxy', false);
  app.get('/large', (_request, response: Response) => void response.end(Buffer.alloc(LARGE)));
  server = createHttpServer(app, LIMITS, () => {}).listen(0, '127.0.0.1');
  await once(server, 'listening');
  port = (server.address() as AddressInfo).port;
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const connections = (): Promise<number> =>
  new Promise((resolve) => server.getConnections((_, count) => resolve(count)));
const sleep = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Requests the large answer, and reads at most `bytesPerSecond`. `received` returns the bytes so far. */
function readAt(bytesPerSecond: number): { socket: Socket; received: () => number } {
  const socket = connect(port, '127.0.0.1');
  const begun = performance.now();
  let received = 0;
  socket.on('error', () => {});
  socket.on('readable', () => {
    const timer = setInterval(() => {
      const allowed = ((performance.now() - begun) / 1000) * bytesPerSecond;
      while (received < allowed) {
        const chunk = socket.read() as Buffer | null;
        if (chunk === null) break;
        received += chunk.length;
      }
    }, 20);
    socket.removeAllListeners('readable');
    socket.once('close', () => clearInterval(timer));
  });
  socket.write('GET /large HTTP/1.1\r\nHost: x\r\n\r\n');
  return { socket, received: () => received };
}

/** Waits until the server has closed all connections. @returns how long that took, in milliseconds */
async function untilClosed(): Promise<number> {
  while ((await connections()) === 0) await sleep(5);
  const begun = performance.now();
  while ((await connections()) > 0) await sleep(20);
  return performance.now() - begun;
}

describe('a client that takes its answer slowly', () => {
  it.each([
    ['takes nothing', 0],
    ['takes a tenth of the lowest rate', LIMITS.readBytesPerSecond / 10],
  ])('the server disconnects a client that %s', async (_, bytesPerSecond) => {
    const { socket } = readAt(bytesPerSecond);
    expect(await untilClosed()).toBeLessThan(LIMITS.unreadMaxMs + 5000);
    socket.destroy();
  });

  it('a client that reads steadily gets all of a large answer and keeps its connection', async () => {
    const { socket, received } = readAt(4 * LIMITS.readBytesPerSecond);
    while (received() < LARGE && !socket.closed) await sleep(20);
    expect(received()).toBeGreaterThanOrEqual(LARGE);
    // A connection without an answer in progress is not a slow reader.
    await sleep(LIMITS.unreadMaxMs + 500);
    expect(await connections()).toBe(1);
    socket.destroy();
  });
});

describe('the limits of a server', () => {
  it('a client must read 8 KiB a second from the tenth second on', () => {
    expect(HTTP_LIMITS).toMatchObject({
      unreadMs: 10_000,
      unreadMaxMs: 180_000,
      readBytesPerSecond: 8 * 1024,
    });
  });
});
