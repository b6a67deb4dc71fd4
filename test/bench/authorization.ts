/*
 * Measures the gain of cached credentials and catalog (ADR 19). Two instances on one durable database, one
 * with AUTHORIZATION_CACHE off, get the same warm reads alternately: `npm run bench:authorization`. Also measures how long a
 * command waits for its instances.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Pool } from 'undici';
import { plantDemo } from '../../services/api/demo/plant-demo';
import { awaitInstances } from '../../services/platform/read-cache/await-instances';
import { type Db, inTransaction, openDatabase } from '../../services/platform/database';
import { joinEmbeddedPostgres } from '../../services/platform/embedded-postgres';
import { migrate } from '../../services/platform/migrate';
import { startApiProcess } from '../support/api-process';
import { PEPPER } from '../support/given';

const ROUNDS = Number(process.env.ROUNDS ?? 9);
const REQUESTS = 800;
const CONCURRENCY = 16;
const COMMANDS = 40;

async function main(): Promise<void> {
  const directory = mkdtempSync(path.join(tmpdir(), 'bench-authorization-'));
  const embedded = await joinEmbeddedPostgres(directory);
  const db = openDatabase(embedded.url, { applicationName: 'bench', poolMax: 2 });
  const stops: (() => Promise<unknown>)[] = [];
  try {
    await migrate(db);
    const { apiKey, paths } = await plant(db);
    const pools: Pool[] = [];
    for (const setting of ['off', 'on']) {
      const api = await startApiProcess(embedded.url, { AUTHORIZATION_CACHE: setting });
      const pool = new Pool(api.baseUrl, { connections: CONCURRENCY });
      pools.push(pool);
      stops.push(() => pool.close().then(() => api.stop()));
    }
    for (const [name, where] of Object.entries(paths)) await compare(name, pools, where, apiKey);
    await measureWait(db);
  } finally {
    for (const stop of stops) await stop();
    await db.destroy();
    await embedded.leave();
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Plants the demo's catalog, tenant and key. */
async function plant(db: Db): Promise<{ apiKey: string; paths: Record<string, string> }> {
  const today = new Date().toISOString().slice(0, 10);
  const demo = await inTransaction(db, (trx) => plantDemo(trx, today, PEPPER));
  const { slug, date } = await db('departures as d')
    .join('tours as t', 't.id', 'd.tour_id')
    .where('d.departure_date', '>', today)
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
      `on ${median(figures.map((f) => f.on)).toFixed(0)} req/s, ratio ${spread(ratios, 2)}`,
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
    // Avoids a fixed phase relative to the polls.
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 500));
  }
  say(`a command waits ${spread(waits, 0)} ms after COMMIT until a live instance has applied the change`);
}

function spread(values: number[], digits: number): string {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  return `${median(values).toFixed(digits)} [${least.toFixed(digits)}-${most.toFixed(digits)}]`;
}

function median(values: number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1]!;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

main().catch((error: unknown) => {
  process.stderr.write(`${String(error)}\n`);
  process.exitCode = 1;
});
