/*
 * Measures the gain of cached credentials and catalog (ADR 19). Two instances on one durable database, one
 * with AUTHORIZATION_CACHE off, get the same warm reads alternately: `npm run bench -- authorization`. Also measures how long a
 * command waits for its instances.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import { awaitInstances } from '../../services/platform/read-cache/instance.repository';
import { type Db, inTransaction } from '../../services/platform/database/database';
import { startApiProcess } from '../support/api-process';
import { ONLY_ONE, seedDemoFor, withDatabase } from './stack';
import { median } from './table';

const ROUNDS = Number(process.env.ROUNDS ?? 9);
const REQUESTS = 800;
const CONCURRENCY = 16;
const COMMANDS = 40;

export async function measureAuthorization(): Promise<void> {
  await withDatabase(async ({ db, url }) => {
    const { apiKey, paths } = await plant(db);
    const stops: (() => Promise<unknown>)[] = [];
    const pools: Pool[] = [];
    try {
      for (const setting of ['off', 'on']) {
        const api = await startApiProcess(url, { AUTHORIZATION_CACHE: setting });
        const pool = new Pool(api.baseUrl, { connections: CONCURRENCY });
        pools.push(pool);
        stops.push(() => pool.close().then(() => api.stop()));
      }
      for (const [name, where] of Object.entries(paths)) await compare(name, pools, where, apiKey);
      await measureWait(db);
    } finally {
      for (const stop of stops) await stop();
    }
  });
}

/** Plants the demo's catalog, tenant and key. */
async function plant(db: Db): Promise<{ apiKey: string; paths: Record<string, string> }> {
  const demo = await seedDemoFor(db);
  const today = new Date().toISOString().slice(0, 10);
  const { slug, date } = await db('departures as d')
    .join('tours as t', 't.id', 'd.tour_id')
    .where('d.departure_date', '>', today)
    .whereRaw(ONLY_ONE)
    .orderBy('t.slug')
    .first('t.slug', 'd.departure_date as date');
  return {
    apiKey: demo.api_key,
    paths: {
      catalog: '/api/tenant/catalog',
      tour: `/api/tenant/tours/${slug}`,
      departures: `/api/tenant/tours/${slug}/departures`,
      availability: `/api/gateway/tours/${slug}/availability?departure_date=${date}`,
    },
  };
}

/** Compares in interleaved rounds, so that other load of the machine affects both. */
async function compare(name: string, [off, on]: Pool[], where: string, apiKey: string): Promise<void> {
  const figures: { off: number; on: number }[] = [];
  for (let i = -1; i < ROUNDS; i++) {
    const figure = { off: await rate(off!, where, apiKey), on: await rate(on!, where, apiKey) };
    if (i >= 0) figures.push(figure);
  }
  const ratios = figures.map((figure) => figure.on / figure.off);
  say(
    `${name.padEnd(12)} off ${median(figures.map((f) => f.off)).toFixed(0)} req/s, ` +
      `on ${median(figures.map((f) => f.on)).toFixed(0)} req/s, ratio ${range(ratios, 2)}`,
  );
}

/** @returns requests per second */
async function rate(pool: Pool, where: string, apiKey: string): Promise<number> {
  const headers = { authorization: `Bearer ${apiKey}` };
  const begun = performance.now();
  let next = 0;
  const worker = async () => {
    while (next++ < REQUESTS) {
      const { statusCode, body } = await pool.request({ path: where, method: 'GET', headers });
      await body.dump();
      if (statusCode !== 200) throw new Error(`${where} answered ${statusCode}`);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
  return (REQUESTS / (performance.now() - begun)) * 1000;
}

async function measureWait(db: Db): Promise<void> {
  const waits: number[] = [];
  for (let i = 0; i < COMMANDS; i++) {
    await inTransaction(db, (trx) => trx('tenants').update({ name: `Demo ${i}` }));
    const committed = performance.now();
    await awaitInstances(db);
    waits.push(performance.now() - committed);
    // Waits for a random time, because the instances poll at a fixed interval.
    await sleep(Math.random() * 500);
  }
  say(`a command waits ${range(waits, 0)} ms after COMMIT until a live instance has applied the change`);
}

function range(values: number[], digits: number): string {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  return `${median(values).toFixed(digits)} [${least.toFixed(digits)}-${most.toFixed(digits)}]`;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
