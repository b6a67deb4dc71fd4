import { once } from 'node:events';
import type { Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import express from 'express';
import { createHttpServer, HTTP_LIMITS } from '../../services/platform/http/edge';

const REQUEST = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';
const CLIENTS = 40;

let server: Server;
/** One number for each turn of the event loop: the requests whose handler began in this turn. */
let begun: number[];
let nextTurn: NodeJS.Immediate;
/** The number of answers that were not sent yet when their handler ended. */
let unsent: number;
let clients: Socket[];

beforeEach(async () => {
  begun = [0];
  unsent = 0;
  const countTurns = () => {
    begun.unshift(0);
    nextTurn = setImmediate(countTurns);
  };
  countTurns();
  const app = express();
  app.use((request, response) => {
    begun[0]! += 1;
    response.end('done');
    if (request.url === '/last') request.socket.destroy();
    if (request.socket.writableLength > 0) unsent += 1;
  });
  server = createHttpServer(app, HTTP_LIMITS, () => {});
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const accepted = new Promise<void>((resolve) => {
    let count = 0;
    server.on('connection', () => ++count === CLIENTS && resolve());
  });
  clients = Array.from({ length: CLIENTS }, () => connect(port, '127.0.0.1'));
  await accepted;
});
afterEach(() => {
  clearImmediate(nextTurn);
  clients.forEach((client) => client.destroy());
  server.close();
});

async function sendTogether(request: string): Promise<void> {
  const answers = clients.map((client) => once(client, 'data'));
  clients.forEach((client) => client.write(request));
  await Promise.all(answers);
}

describe('forty requests that arrive together', () => {
  beforeEach(() => sendTogether(REQUEST));

  it('the server begins at most 16 requests in a turn of the event loop', () => {
    expect(begun.filter((count) => count > 0)).toEqual([8, 16, 16]);
  });

  it('the server sends the answers of a turn together, at its end', () => {
    expect(unsent).toBe(CLIENTS);
  });
});

describe('forty writes that arrive together', () => {
  it('the server begins one write in a turn of the event loop', async () => {
    await sendTogether(REQUEST.replace('GET', 'POST'));
    expect(begun.filter((count) => count > 0)).toEqual(Array(CLIENTS).fill(1));
  });
});

describe('an answer whose connection is destroyed in the same turn', () => {
  it('an answer is sent although its connection is destroyed in the same turn', async () => {
    const [client] = clients as [Socket];
    let said = '';
    client.on('data', (chunk: Buffer) => (said += chunk.toString()));
    client.write(REQUEST.replace('/', '/last'));
    await once(client, 'close');
    expect(said).toMatch(/done$/);
  });
});
