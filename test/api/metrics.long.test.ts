import { setTimeout as sleep } from 'node:timers/promises';
import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import type { Db } from '../../services/platform/database/database';
import { type ApiProcess, startApiProcess } from '../support/api-process';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { givenDeparture, givenKey, givenTenant, givenTour } from '../support/given';
import { readSamples } from '../support/metric-samples';

let database: TestDatabase;
let api: ApiProcess;
let db: Db;
beforeAll(async () => {
  database = await createTestDatabase();
  ({ db } = database);
  api = await startApiProcess(database.url, { LOG_LEVEL: 'info' });
});
afterAll(async () => {
  await api.stop();
  await database.drop();
});

const HOLD = '/api/gateway/tours/:id_or_slug/hold';
const TRACE = '0af7651916cd43dd8448eb211c80319c';
const PARENT = 'b7ad6b7169203331';

type Labels = Record<string, string | number>;

/** Reads the page once. Returns for each name and labels the sum of the samples that have them. */
async function readTogether(...metrics: [name: string, labels?: Labels][]): Promise<number[]> {
  const samples = readSamples(await api.metrics());
  return metrics.map(([name, labels]) => sumOf(samples, name, labels));
}

async function read(name: string, labels?: Labels): Promise<number> {
  return (await readTogether([name, labels]))[0]!;
}

function sumOf(samples: ReturnType<typeof readSamples>, name: string, labels: Labels = {}): number {
  const wanted = Object.entries(labels);
  return samples
    .filter((sample) => sample.name === name)
    .filter((sample) => wanted.every(([label, value]) => sample.labels[label] === String(value)))
    .reduce((sum, { value }) => sum + value, 0);
}

/** Reads the metrics until they have these values. The test ends with Jest's time limit if they never do. */
async function untilRead(wanted: number[], ...metrics: [name: string, labels?: Labels][]): Promise<void> {
  while (String(await readTogether(...metrics)) !== String(wanted)) await sleep(10);
}

/** Waits until each request is counted: the metrics count an answer after it is sent. */
const untilCounted = () => untilRead([0], ['http_requests_in_flight']);

/** Measures by how much the metric grows during `work`. */
async function growth(name: string, labels: Labels, work: () => Promise<unknown>): Promise<number> {
  await untilCounted();
  const before = await read(name, labels);
  await work();
  await untilCounted();
  return (await read(name, labels)) - before;
}

async function givenHolding(seats = 10) {
  const tenant = await givenTenant(db);
  const key = await givenKey(db, tenant);
  const tour = await givenTour(db);
  const date = await givenDeparture(db, tour, { seats });
  const hold = async (quantity: number, headers: Record<string, string> = {}, signal?: AbortSignal) => {
    const answer = await fetch(`${api.baseUrl}/api/gateway/tours/${tour.slug}/hold`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ departure_date: date, quantity }),
      signal,
    });
    return answer.status;
  };
  return { tenant, key, tour, date, hold };
}

/** Places a hold and returns the request that extends it. */
async function givenExtension({ tour, date, key }: Awaited<ReturnType<typeof givenHolding>>) {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const post = (path: string, body: object) =>
    fetch(`${api.baseUrl}/api/gateway/${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  const placed = await post(`tours/${tour.slug}/hold`, { departure_date: date, quantity: 1 });
  const { hold_id } = (await placed.json()) as { hold_id: string };
  return async () => (await post(`holds/${hold_id}/extend`, { hold_minutes: 30 })).text();
}

const releases: (() => Promise<unknown>)[] = [];
afterEach(() => Promise.all(releases.splice(0).map((release) => release())));

async function lockDeparture(tourId: string, date: string): Promise<() => Promise<unknown>> {
  const trx = await db.transaction();
  await trx('departures').where({ tour_id: tourId, departure_date: date }).forUpdate().first();
  const release = () => trx.rollback();
  releases.push(release);
  return release;
}

describe('the metrics page of the API', () => {
  it('the metrics page of the API counts requests by method, route template and status, and times them by status class', async () => {
    const { hold } = await givenHolding();
    const labels = { method: 'POST', route: HOLD };
    expect(await growth('http_requests_total', { ...labels, status: 201 }, () => hold(1))).toBe(1);
    const timed = { ...labels, status_class: '2xx', le: '+Inf' };
    expect(await growth('http_request_duration_seconds_bucket', timed, () => hold(1))).toBe(1);
    expect(await growth('http_requests_total', { ...labels, status: 409 }, () => hold(50))).toBe(1);
  });

  it('the metrics page of the API counts placed, repeated and refused holds, and refusals by problem code', async () => {
    const { hold } = await givenHolding(3);
    const key = randomUUID();
    const outcome = (name: string) => ({ operation: 'hold.place', outcome: name });
    const headers = { 'idempotency-key': key };
    expect(await growth('writes_total', outcome('done'), () => hold(2, headers))).toBe(1);
    expect(await growth('writes_total', outcome('replayed'), () => hold(2, headers))).toBe(1);
    expect(await growth('writes_total', outcome('done'), () => hold(2, headers))).toBe(0);
    expect(await growth('writes_total', outcome('insufficient_seats'), () => hold(2))).toBe(1);
    const refused = { method: 'POST', route: HOLD, code: 'insufficient_seats' };
    expect(await growth('http_problems_total', refused, () => hold(2))).toBe(1);
  });

  it('the metrics page of the API counts one hold for concurrent requests with the same Idempotency-Key', async () => {
    const { hold } = await givenHolding();
    const headers = { 'idempotency-key': randomUUID() };
    const crowd = () => Promise.all(Array.from({ length: 5 }, () => hold(1, headers)));
    const done = { operation: 'hold.place', outcome: 'done' };
    expect(await growth('writes_total', done, crowd)).toBe(1);
    const replayed = { operation: 'hold.place', outcome: 'replayed' };
    expect(await growth('writes_total', replayed, crowd)).toBe(5);
  });

  it('the metrics page of the API counts sales, their transactions and their waits', async () => {
    const { hold } = await givenHolding();
    const committed = { outcome: 'committed' };
    const three = async () => void (await hold(1), await hold(1), await hold(1));
    expect(await growth('sale_transactions_total', committed, three)).toBe(3);
    const crowd = () => Promise.all(Array.from({ length: 6 }, () => hold(1)));
    expect(await growth('sale_transaction_sales_sum', {}, crowd)).toBe(6);
    expect(await growth('sale_wait_seconds_count', {}, crowd)).toBe(6);
    expect(await read('sales_waiting')).toBe(0);
  });

  it('the metrics page of the API measures waits for a lock, which take at most six connections', async () => {
    const holdings = await Promise.all(Array.from({ length: 7 }, () => givenHolding()));
    const extensions = await Promise.all(holdings.map((holding) => givenExtension(holding)));
    const locked = await Promise.all(holdings.map(({ tour, date }) => lockDeparture(tour.id, date)));
    const waited = () => read('lock_wait_seconds_sum', { lock: 'departure' });
    /** Sends 20 extensions that all wait. Returns the states that were seen meanwhile. */
    const crowd = async () => {
      const seen = new Set<string>();
      const busy = growth('writes_total', { operation: 'hold.extend', outcome: 'departure_busy' }, () =>
        Promise.all(Array.from({ length: 20 }, (_, n) => extensions[n % 7]!())),
      );
      const isDone = busy.then(() => true);
      do {
        const state = await readTogether(
          ['http_requests_in_flight'],
          ['database_pool_connections', { pool: 'writes', state: 'used' }],
          ['database_pool_waiting', { pool: 'writes' }],
        );
        seen.add(String(state));
      } while (!(await Promise.race([isDone, sleep(10)])));
      expect(await busy).toBe(20);
      return seen;
    };
    const before = await waited();
    // Each request first tries its departure without waiting, with any connection. On a loaded machine, the first requests may give up after
    // two seconds before the last one has tried: the next crowd then shows the state in which all wait.
    let seen = await crowd();
    while (!seen.has('20,6,0')) seen = await crowd();
    expect(await read('database_pool_max', { pool: 'writes' })).toBe(16);
    await Promise.all(locked.map((release) => release()));
    // Six transactions wait for up to two seconds. On a loaded machine, some begin late and wait less.
    expect((await waited()) - before).toBeGreaterThan(6);
  }, 180_000);

  it('the metrics page of the API counts a request with the status 499 when its client left before the answer', async () => {
    const { tour, date, hold } = await givenHolding();
    const release = await lockDeparture(tour.id, date);
    const labels = { method: 'POST', route: HOLD, status: 499 };
    const left = await growth('http_requests_total', labels, async () => {
      const leaving = new AbortController();
      const asked = hold(1, {}, leaving.signal).catch(() => {});
      await untilRead([1], ['http_requests_in_flight']);
      leaving.abort();
      await asked;
    });
    await release();
    expect(left).toBe(1);
  });

  it('the metrics page of the API has no label with text from a client, a tenant or a tour', async () => {
    const { tenant, key, tour, hold } = await givenHolding();
    await hold(1);
    await fetch(`${api.baseUrl}/nowhere/${tour.slug}?token=${key}`);
    await fetch(`${api.baseUrl}/docs/errors/${tour.slug}`);
    await send('PROPFIND /nowhere HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    await send('no HTTP at all\r\n\r\n');
    await untilCounted();
    const text = await api.metrics();
    for (const foreign of [tenant.slug, tenant.id, key, key.slice(9, 21), tour.slug, tour.id, 'PROPFIND'])
      expect(text).not.toContain(foreign);
    expect(await read('http_requests_total', { method: 'other', route: 'none', status: 404 })).toBe(1);
    expect(await read('http_requests_total', { method: 'GET', route: 'none', status: 400 })).toBe(1);
  });

  it('the metrics page of the API reports the version, the event loop lag and the read-cache validity', async () => {
    expect(await read('build_info', { version: '0.1.0' })).toBe(1);
    expect(await read('nodejs_eventloop_lag_p99_seconds')).toBeGreaterThan(0);
    // The read cache is not valid for a moment if the machine has delayed its poll.
    await untilRead([1], ['read_cache_valid']);
  });

  it('the metrics page of the API does not count its own requests', async () => {
    await api.metrics();
    expect(await read('http_requests_total', { route: '/metrics' })).toBe(0);
  });
});

describe("a caller's trace", () => {
  it('the API logs a valid traceparent with the request, and ignores an invalid one', async () => {
    const headers = (traceparent: string) => ({
      headers: { traceparent, tracestate: 'vendor=secret-state' },
    });
    const good = await fetch(`${api.baseUrl}/docs`, headers(`00-${TRACE}-${PARENT}-01`));
    const wrong = await fetch(`${api.baseUrl}/docs`, headers(`00-${TRACE}-nothing`));
    expect([good.status, wrong.status]).toEqual([200, 200]);
    const [traced, untraced] = [await lineOf(good), await lineOf(wrong)];
    expect(traced).toMatchObject({ trace_id: TRACE, parent_id: PARENT, trace_sampled: true });
    expect(untraced).not.toHaveProperty('trace_id');
    expect(api.log()).not.toContain('secret-state');
  });
});

/** Returns the log line of an answered request. The API writes it after the answer. */
async function lineOf(answer: Response): Promise<Record<string, unknown>> {
  for (;;) {
    const lines = api.log().split('\n').slice(0, -1);
    const line = lines.find((text) => text.includes(answer.headers.get('x-request-id')!));
    if (line) return JSON.parse(line) as Record<string, unknown>;
    await sleep(10);
  }
}

/** Writes bytes to the API's port, and waits for the end of its answer. */
function send(bytes: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(api.baseUrl).port), '127.0.0.1', () => socket.write(bytes));
    socket
      .resume()
      .once('close', () => resolve())
      .once('error', reject);
  });
}
