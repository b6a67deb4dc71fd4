/*
 * Measures the holds of a tenant while other keys do what slows all: `npm run bench -- one-key`. One key asks for 300 uncached lists at
 * once, inside its quota; then three keys begin 1,200 requests whose bodies never come.
 */
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import type { Instance } from '../stack/service';
import { givenKey, givenTenant } from '../support/given';
import { type BenchStack, type Target, withStack } from './stack';
import { percentile, printTable } from './table';

const LISTS = 300;
/** The bookings that a list shows. */
const BOOKINGS = 800;
const AT_ONCE = 16;
const BURSTS = 3;
const BODIES_A_KEY = 400;
const SLOW_KEYS = 3;
const MEASURE_MS = 5_000;
const PAUSE_MS = 20;

interface Figures {
  /** The milliseconds of the holds that were answered 201. */
  times: number[];
  /** The number of answers to holds, by status. */
  statuses: Map<number, number>;
}

export async function measureOneKey(): Promise<void> {
  await withStack(async (stack, api) => {
    const pool = new Pool(api.baseUrl, { connections: LISTS + 50, pipelining: 1 });
    const [busy, ...free] = stack.targets;
    await givenSales(pool, stack.apiKey, busy!);
    const other = await givenKey(stack.db, await givenTenant(stack.db, { maxHolds: 1_000_000 }));
    const holds = (until: () => boolean) => timeHolds(pool, other, free, until);
    await holds(forTime(1_000));
    const rows = [[...rowOf('idle', await holds(forTime(MEASURE_MS))), '']];
    rows.push(await besideLists(pool, stack, busy!, holds));
    rows.push(await besideSlowBodies(stack, api, busy!, holds));
    await pool.close();
    printTable(
      'Holds of another tenant',
      ['beside', 'holds', 'p50, ms', 'p99, ms', 'longest, ms', 'holds by status', 'other answers by status'],
      rows,
    );
  });
}

async function besideLists(
  pool: Pool,
  stack: BenchStack,
  { date }: Target,
  holds: (until: () => boolean) => Promise<Figures>,
): Promise<string[]> {
  const paths = [
    `/octo/bookings?localDate=${date}`,
    '/api/gateway/holds?limit=100',
    '/api/tenant/bookings?limit=100',
  ];
  const statuses = new Map<number, number>();
  const ask = async (n: number) => {
    const { statusCode, body } = await pool.request({
      path: paths[n % paths.length]!,
      method: 'GET',
      headers: { authorization: `Bearer ${stack.apiKey}` },
    });
    await body.dump({ limit: 1e9 });
    count(statuses, statusCode);
  };
  let isOver = false;
  const measured = holds(() => isOver);
  const begun = performance.now();
  for (let burst = 0; burst < BURSTS; burst++)
    await Promise.all(Array.from({ length: LISTS }, (_, n) => ask(n)));
  const seconds = (performance.now() - begun) / 1000;
  isOver = true;
  const row = rowOf(`${BURSTS} × ${LISTS} lists of one key (${seconds.toFixed(1)} s)`, await measured);
  return [...row, text(statuses)];
}

async function besideSlowBodies(
  stack: BenchStack,
  api: Instance,
  { slug }: Target,
  holds: (until: () => boolean) => Promise<Figures>,
): Promise<string[]> {
  const keys = [];
  for (let n = 0; n < SLOW_KEYS; n++) keys.push(await givenKey(stack.db, await givenTenant(stack.db)));
  // Lets the API see the new keys, whose row cleared its caches.
  await sleep(1_000);
  const statuses = new Map<number, number>();
  const sockets = keys.flatMap((key) =>
    Array.from({ length: BODIES_A_KEY }, () => beginBody(api.baseUrl, key, slug, statuses)),
  );
  await untilSettled(statuses);
  const row = rowOf(
    `${sockets.length} bodies that do not come, of ${SLOW_KEYS} keys`,
    await holds(forTime(MEASURE_MS)),
  );
  for (const socket of sockets) socket.destroy();
  return [...row, text(statuses)];
}

/** Waits until no further request has been answered for two seconds. */
async function untilSettled(statuses: Map<number, number>): Promise<void> {
  let before: string;
  do {
    before = text(statuses);
    await sleep(2_000);
  } while (text(statuses) !== before);
}

/** Sends the headers of a hold and the first byte of its body. */
function beginBody(baseUrl: string, key: string, slug: string, statuses: Map<number, number>): Socket {
  const { hostname, port } = new URL(baseUrl);
  const socket = connect(Number(port), hostname);
  const lines = [
    `POST /api/gateway/tours/${slug}/hold HTTP/1.1`,
    `Host: ${hostname}`,
    `Authorization: Bearer ${key}`,
    'Content-Type: application/json',
    'Content-Length: 100',
  ];
  socket.write(`${lines.join('\r\n')}\r\n\r\n{`);
  socket.on('error', () => {});
  socket.once('data', (chunk: Buffer) => count(statuses, Number(chunk.toString('latin1', 9, 12))));
  return socket;
}

/** Places one hold after another, with a short pause between them. */
async function timeHolds(pool: Pool, key: string, targets: Target[], until: () => boolean): Promise<Figures> {
  const figures: Figures = { times: [], statuses: new Map() };
  for (let n = 0; !until(); n++) {
    const begun = performance.now();
    const status = await send(pool, key, `/api/gateway/tours/${targets[n % targets.length]!.slug}/hold`, {
      departure_date: targets[n % targets.length]!.date,
      quantity: 1,
    });
    count(figures.statuses, status);
    if (status === 201) figures.times.push(performance.now() - begun);
    await sleep(PAUSE_MS);
  }
  return figures;
}

/** Reserves seats by OCTO, and books others by REST. */
async function givenSales(pool: Pool, key: string, { slug, date }: Target): Promise<void> {
  const tour = await pool.request({
    path: `/api/tenant/tours/${slug}`,
    method: 'GET',
    headers: { authorization: `Bearer ${key}` },
  });
  const { id } = (await tour.body.json()) as { id: string };
  const [departure] = await post<{ id: string }[]>(pool, key, '/octo/availability', {
    productId: id,
    optionId: 'DEFAULT',
    localDateStart: date,
    localDateEnd: date,
  });
  const reservation = {
    productId: id,
    optionId: 'DEFAULT',
    availabilityId: departure!.id,
    unitItems: [{ unitId: 'adult' }],
  };
  const booking = {
    tour_id: slug,
    departure_date: date,
    name: 'Ana Lima',
    phone: '+49 30 901820',
    email: 'ana@example.com',
  };
  for (let n = 0; n < BOOKINGS; n += AT_ONCE)
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        await post(pool, key, '/octo/bookings', reservation);
        await post(pool, key, '/api/tenant/bookings', booking);
      }),
    );
}

async function post<T>(pool: Pool, key: string, path: string, body: object): Promise<T> {
  const { statusCode, body: answer } = await request(pool, key, path, body);
  if (statusCode >= 300) throw new Error(`${path} answered ${statusCode}: ${await answer.text()}`);
  return (await answer.json()) as T;
}

/** @returns the status */
async function send(pool: Pool, key: string, path: string, body: object): Promise<number> {
  const { statusCode, body: answer } = await request(pool, key, path, body);
  await answer.dump();
  return statusCode;
}

function request(pool: Pool, key: string, path: string, body: object) {
  return pool.request({
    path,
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}

function forTime(milliseconds: number): () => boolean {
  const end = performance.now() + milliseconds;
  return () => performance.now() >= end;
}

function count(statuses: Map<number, number>, status: number): void {
  statuses.set(status, (statuses.get(status) ?? 0) + 1);
}

function rowOf(beside: string, { times, statuses }: Figures): string[] {
  const figures = [percentile(times, 0.5), percentile(times, 0.99), Math.max(...times)];
  return [beside, `${times.length}`, ...figures.map((figure) => figure.toFixed(1)), text(statuses)];
}

function text(statuses: Map<number, number>): string {
  return [...statuses].map(([status, number]) => `${number} × ${status}`).join(', ');
}
