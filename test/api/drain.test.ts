import { setTimeout as sleep } from 'node:timers/promises';
import http, { type IncomingMessage } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { createApp, createServer } from '../../services/api/app';
import { drain, DRAIN_TIMES as REAL_TIMES } from '../../services/api/drain';
import { createLoadShedder } from '../../services/api/http/load-shedding';
import { useTestApi } from '../support/api';
import { CUSTOMER, givenSeats, type Seats, useWebsite } from '../support/website';
import { isListening } from '../support/free-ports';

const api = useTestApi({ logLevel: 'silent' });
const website = useWebsite(api);
let seats: Seats;
beforeAll(async () => {
  seats = await givenSeats(api.db, { seats: 1000 });
});

/** Makes each phase long enough to observe. */
const TIMES = { quiet: 150, listenerCloses: 300, refusalStarts: 600, end: 900 };

/** Starts a separate instance, which the test drains. */
async function startInstance() {
  const shedder = createLoadShedder();
  const app = createApp(api.context, shedder);
  const server = createServer(app).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  return { port, drain: (times = TIMES) => drain(app, server, shedder, times).finally(shedder.stop) };
}

interface Answer {
  status: number;
  connection: string | undefined;
  body: { code?: string; reason?: string };
}

function call(
  port: number,
  path: string,
  { agent, headers, body }: { agent?: http.Agent; headers?: object; body?: object } = {},
): Promise<Answer> {
  const sent = {
    authorization: website.authorization,
    ...(body && { 'content-type': 'application/json' }),
    ...headers,
  };
  return new Promise((resolve, reject) => {
    const options = { port, path, agent, headers: sent, method: body ? 'POST' : 'GET' };
    const request = http.request(options, (response: IncomingMessage) => {
      let text = '';
      response.on('data', (chunk: Buffer) => (text += chunk.toString()));
      response.once('end', () =>
        resolve({
          status: response.statusCode!,
          connection: response.headers.connection,
          body: text ? JSON.parse(text) : {},
        }),
      );
    });
    request.once('error', reject).end(body && JSON.stringify(body));
  });
}

const CATALOG = '/api/tenant/catalog';
const book = (port: number, headers = {}) =>
  call(port, '/api/tenant/bookings', {
    headers,
    body: { ...CUSTOMER, tour_id: seats.tour.id, departure_date: seats.date },
  });
const bookings = async () => Number((await api.db('booking_leads').count('* as n').first())!.n);

/** Starts a booking that waits for its departure until `release`. */
async function bookBehindALock(port: number) {
  const lock = await api.db.transaction();
  await lock('departures').where({ tour_id: seats.tour.id }).forUpdate().select('id');
  const answer = book(port);
  await sleep(100);
  return { answer, release: () => lock.commit() };
}

describe('an instance that got SIGTERM', () => {
  it('an instance that got SIGTERM closes its listener after 1 to 3 s, refuses from 7 s on, and ends after 10 s', () => {
    expect(REAL_TIMES).toEqual({ quiet: 1000, listenerCloses: 3000, refusalStarts: 7000, end: 10_000 });
  });

  it('an instance that got SIGTERM reports that it is not ready, still serves, and closes each connection after its answer', async () => {
    const { port, drain: stop } = await startInstance();
    const agent = new http.Agent({ keepAlive: true });
    expect(await call(port, CATALOG, { agent })).toMatchObject({ status: 200, connection: 'keep-alive' });

    // Uses the real times. With the short times, a slow machine would close the listener between two calls.
    const stopped = stop(REAL_TIMES);

    expect(await call(port, '/readyz')).toMatchObject({ status: 503, body: { reason: 'stopping' } });
    expect((await call(port, '/healthz')).status).toBe(200);
    expect(await call(port, CATALOG, { agent })).toMatchObject({ status: 200, connection: 'close' });
    expect(await book(port)).toMatchObject({ status: 201, connection: 'close' });
    await stopped;
    expect(await isListening(port)).toBe(false);
    agent.destroy();
  });

  it('an instance without requests stops at once', async () => {
    const { port, drain: stop } = await startInstance();
    await call(port, '/readyz');
    const begun = performance.now();
    await stop();
    expect(performance.now() - begun).toBeLessThan(TIMES.quiet);
  });

  it('an instance that got SIGTERM closes the connection of a request that a proxy may resend elsewhere, and books nothing', async () => {
    const { port, drain: stop } = await startInstance();
    const elsewhere = { 'x-retry-elsewhere': '1' };
    expect((await book(port, elsewhere)).status).toBe(201);
    const before = await bookings();

    const stopped = stop();

    await expect(book(port, elsewhere)).rejects.toMatchObject({ code: 'ECONNRESET' });
    expect(await bookings()).toBe(before);
    await stopped;
  });

  it('an instance that got SIGTERM answers requests in flight after its listener closed', async () => {
    const { port, drain: stop } = await startInstance();
    const { answer, release } = await bookBehindALock(port);

    const stopped = stop();
    while (await isListening(port)) await sleep(20);
    await release();
    expect(await answer).toMatchObject({ status: 201, connection: 'close' });
    await stopped;
  });

  it('the listener closes in time, however many requests arrive', async () => {
    const { port, drain: stop } = await startInstance();
    await call(port, CATALOG);
    const stopped = stop();
    const statuses: number[] = [];
    const asking = async () => {
      while (await isListening(port)) statuses.push((await call(port, CATALOG)).status);
    };
    // A connection that arrives exactly when the listener closes is reset before the request.
    const ended = asking().then(
      () => 'connect',
      (error: NodeJS.ErrnoException) => error.syscall,
    );
    // A listener that stays open longer would refuse some of the requests.
    expect(await ended).toBe('connect');
    expect(await isListening(port)).toBe(false);
    expect(new Set(statuses)).toEqual(new Set([200]));
    await stopped;
  });

  it('an instance that got SIGTERM accepts all connections that wait when its listener closes, not only the first', async () => {
    const { port, drain: stop } = await startInstance();
    const visitors = Array.from({ length: 20 }, () => {
      const socket = connect(port, '127.0.0.1');
      let said = '';
      socket.on('data', (chunk: Buffer) => (said += chunk.toString())).on('error', () => {});
      socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
      return new Promise<string>((resolve) => socket.once('close', () => resolve(said)));
    });
    // The kernel has accepted these connections, but Node has not yet.
    await stop({ ...TIMES, quiet: 0 });
    const answered = (await Promise.all(visitors)).filter((said) => said.startsWith('HTTP/1.1 200'));
    expect(answered).toHaveLength(visitors.length);
  });

  it('an instance that got SIGTERM refuses late requests on open connections, and then closes those connections', async () => {
    const { port, drain: stop } = await startInstance();
    const [late, silent] = [connect(port, '127.0.0.1'), connect(port, '127.0.0.1')];
    let said = '';
    late.on('data', (chunk: Buffer) => (said += chunk.toString()));
    const cut = new Promise((resolve) => silent.once('close', resolve));
    await sleep(50);
    const begun = performance.now();

    const stopped = stop();
    await sleep(TIMES.refusalStarts + 50);
    late.write(`GET ${CATALOG} HTTP/1.1\r\nHost: x\r\n\r\n`);
    await Promise.all([stopped, cut]);

    expect(said).toMatch(/^HTTP\/1.1 503 [\s\S]*"code":"shutting_down"/);
    expect(performance.now() - begun).toBeLessThan(TIMES.end + 200);
  });
});
