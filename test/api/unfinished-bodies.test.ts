import { EventEmitter, once } from 'node:events';
import type { Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import type { Response } from 'express';
import { createApp, createServer } from '../../services/api/app';
import { rotateCredential } from '../../services/api/credentials/manage-credentials';
import { createLoadShedder, type LoadShedder } from '../../services/api/http/load-shedding';
import { inTransaction } from '../../services/platform/database/database';
import { createMemoryQuotaStore } from '../../services/platform/shared-store/quota-store';
import { useTestApi } from '../support/api';
import { PEPPER } from '../support/given';
import { givenSeats, givenWebsite, type Seats, type Website } from '../support/website';

const QUOTA = 40;
const BODIES_MAX = 16;
const WAITING_MAX = 1000;

const api = useTestApi({
  quotas: { availability: QUOTA, hold: QUOTA, booking: QUOTA, catalog: QUOTA, widget: QUOTA },
});
let seats: Seats;
let website: Website;
let other: Website;
let shedder: LoadShedder;
let server: Server;
let sockets: Socket[];
beforeEach(async () => {
  api.context.quotas = createMemoryQuotaStore();
  seats = await givenSeats(api.db, { seats: 50 });
  website = await givenWebsite(api);
  other = await givenWebsite(api);
  shedder = createLoadShedder();
  server = createServer(createApp(api.context, shedder)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  sockets = [];
});
afterEach(() => {
  sockets.forEach((socket) => socket.destroy());
  shedder.stop();
  server.close();
});

interface Begun {
  /** Sends the rest of the body. */
  finish(): void;
  /** Resolves with all that the server sends until it closes the connection, or until the answer is complete. */
  answer: Promise<string>;
}

/** Sends a hold, but only the first byte of its body, and waits until the server has counted it. */
async function beginHold(authorization: string, headers: string[] = []): Promise<Begun> {
  const body = JSON.stringify({ departure_date: seats.date, quantity: 1 });
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  sockets.push(socket);
  const lines = [
    `POST /api/gateway/tours/${seats.tour.slug}/hold HTTP/1.1`,
    'Host: x',
    `Authorization: ${authorization}`,
    ...(headers.length > 0 ? headers : ['Content-Type: application/json', `Content-Length: ${body.length}`]),
  ];
  let text = '';
  const answer = new Promise<string>((resolve) => {
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      if (text.endsWith('}')) resolve(text);
    });
    socket.on('error', () => {}).on('close', () => resolve(text));
  });
  const counted = quotaCounted();
  socket.write(`${lines.join('\r\n')}\r\n\r\n{`);
  await counted;
  return { answer, finish: () => socket.write(body.slice(1)) };
}

/** Resolves when a request has reached its quota. */
function quotaCounted(): Promise<void> {
  const { quotas } = api.context;
  return new Promise((resolve) => {
    api.context.quotas = {
      async consume(...args) {
        const answer = await quotas.consume(...args);
        api.context.quotas = quotas;
        resolve();
        return answer;
      },
    };
  });
}

async function beginMany(authorization: string, count = BODIES_MAX): Promise<Begun[]> {
  const begun: Begun[] = [];
  for (let n = 0; n < count; n++) begun.push(await beginHold(authorization));
  return begun;
}

/** Sends a complete hold. */
async function placeHold({ authorization }: Website): Promise<number> {
  const { port } = server.address() as AddressInfo;
  const answer = await fetch(`http://127.0.0.1:${port}/api/gateway/tours/${seats.tour.slug}/hold`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ departure_date: seats.date, quantity: 1 }),
  });
  await answer.text();
  return answer.status;
}

const fillPlaces = (count: number) => {
  const waiting = Array.from({ length: count }, () => new EventEmitter() as Response);
  waiting.forEach((response) => shedder.enterAgain(response));
  return () => waiting.forEach((response) => shedder.leave(response));
};

describe('requests whose bodies have not arrived', () => {
  it('the seventeenth request of a key is 429 at once, its connection closes, and its quota is not used', async () => {
    const begun = await beginMany(website.authorization);
    const refused = await (await beginHold(website.authorization)).answer;
    expect(refused).toMatch(/^HTTP\/1.1 429 /);
    expect(refused).toMatch(/^Connection: close\r$/im);
    expect(refused).toMatch(/^Retry-After: 1\r$/im);
    expect(refused).toContain('"code":"rate_limited"');
    expect(refused).toMatch(new RegExp(`^RateLimit-Remaining: ${QUOTA - BODIES_MAX}\r$`, 'im'));
    expect(await placeHold(other)).toBe(201);

    begun[0]!.finish();
    const placed = await begun[0]!.answer;
    expect(placed).toMatch(/^HTTP\/1.1 201 /);
    expect(placed).toMatch(new RegExp(`^RateLimit-Remaining: ${QUOTA - 1}\r$`, 'im'));
    const next = await beginHold(website.authorization);
    next.finish();
    expect(await next.answer).toMatch(/^HTTP\/1.1 201 /);
  });

  it('a request whose client has gone, and a request whose body is complete, are not counted', async () => {
    await beginMany(website.authorization);
    expect(await placeHold(website)).toBe(201);
    const before = await connections();
    sockets[0]!.destroy();
    while ((await connections()) === before) await sleep(5);
    const next = await beginHold(website.authorization);
    next.finish();
    expect(await next.answer).toMatch(/^HTTP\/1.1 201 /);
  });

  it('the successor of a rotated key counts with it, a wrong key is 401 first, and a wrong type or length comes after the 429', async () => {
    await beginMany(website.authorization);
    const { token } = await inTransaction(api.db, (trx) =>
      rotateCredential(trx, PEPPER, 'api_key', website.key.slice(9, 21), { graceSeconds: 3600 }),
    );
    expect(await (await beginHold(`Bearer ${token}`)).answer).toMatch(/^HTTP\/1.1 429 /);
    const wrong = ['Content-Type: text/plain', 'Content-Length: 99999'];
    expect(await (await beginHold(website.authorization, wrong)).answer).toMatch(/^HTTP\/1.1 429 /);
    expect(await (await beginHold('Bearer wrong', wrong)).answer).toMatch(/^HTTP\/1.1 401 /);
    expect(await (await beginHold(other.authorization, wrong)).answer).toMatch(/^HTTP\/1.1 415 /);
  });

  it('requests whose bodies have not arrived take no places from other tenants', async () => {
    await beginMany(website.authorization);
    const free = fillPlaces(WAITING_MAX - 1);
    expect(await placeHold(other)).toBe(201);
    free();
  });

  it('a request whose body ends while a thousand others wait is 503', async () => {
    const begun = await beginHold(website.authorization);
    // Lets the request leave its place.
    await setImmediate();
    const free = fillPlaces(WAITING_MAX);
    begun.finish();
    const answer = await begun.answer;
    free();
    expect(answer).toMatch(/^HTTP\/1.1 503 /);
    expect(answer).toContain('"code":"overloaded"');
    expect(await placeHold(website)).toBe(201);
  });
});

const connections = (): Promise<number> =>
  new Promise((resolve) => server.getConnections((_, count) => resolve(count)));
