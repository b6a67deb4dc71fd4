import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { startApiProcess, type ApiProcess } from '../support/api-process';
import { useTestDatabase } from '../support/database';
import {
  daysFromToday,
  givenDeparture,
  givenKey,
  givenTenant,
  givenTour,
  type GivenTour,
} from '../support/given';
import { SECRET } from './proxy-fixture';

/** `npm run lab -- proxy-cost` sends many, and prints the figures. */
const CALLS = Number(process.env.PROXY_CALLS ?? 40);
const DEPARTURES = 100;

const database = useTestDatabase();
let platform: ApiProcess;
let site: ChildProcess;
let api: string;
let authorization: string;
let tour: GivenTour;
let date: string;

beforeAll(async () => {
  const { db } = database;
  tour = await givenTour(db);
  for (let day = 10; day < 10 + DEPARTURES; day += 1) {
    date = await givenDeparture(db, tour, { date: daysFromToday(day), seats: 10_000 });
  }
  const apiKey = await givenKey(db, await givenTenant(db, { maxHolds: 100_000 }));
  authorization = `Bearer ${apiKey}`;
  platform = await startApiProcess(database.url);
  const options = { baseUrl: platform.baseUrl, apiKey, secret: SECRET, path: '/shop' };
  site = fork(path.join(__dirname, 'proxy-process.ts'), {
    execArgv: ['--import', 'tsx'],
    env: { ...process.env, PROXY_OPTIONS: JSON.stringify(options) },
  });
  const [{ port }] = (await once(site, 'message')) as [{ port: number }];
  api = `http://127.0.0.1:${port}/shop`;
}, 120_000);
afterAll(async () => {
  site.kill();
  await platform.stop();
});

/** Returns the CPU time that the proxy has used, in microseconds. */
async function cpuOfProxy(): Promise<number> {
  site.send('cpu');
  const [{ cpu }] = (await once(site, 'message')) as [{ cpu: number }];
  return cpu;
}

interface Pair {
  name: string;
  proxied: () => Promise<Response>;
  direct: () => Promise<Response>;
}

/** The same calls through the proxy and directly. */
function pairs(): Pair[] {
  const page = { 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' };
  const server = { authorization, 'content-type': 'application/json' };
  const read = (name: string, ofProxy: string, ofApi: string): Pair => ({
    name,
    proxied: () => fetch(api + ofProxy, { headers: page }),
    direct: () => fetch(platform.baseUrl + ofApi, { headers: server }),
  });
  const wish = { departure_date: date, quantity: 1 };
  const body = JSON.stringify({ ...wish, tour_id: tour.slug });
  const hold = `${platform.baseUrl}/api/gateway/tours/${tour.slug}/hold`;
  const query = `departure_date=${date}`;
  const tours = `/tours/${tour.slug}`;
  return [
    read('availability', `${tours}/availability?${query}`, `/api/gateway${tours}/availability?${query}`),
    read(`${DEPARTURES} departures`, `${tours}/departures`, `/api/tenant${tours}/departures`),
    {
      name: 'hold',
      proxied: () => fetch(`${api}/hold`, { method: 'POST', headers: page, body }),
      direct: () => fetch(hold, { method: 'POST', headers: server, body: JSON.stringify(wish) }),
    },
  ];
}

const median = (values: number[]) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)]!;

async function timed(call: () => Promise<Response>): Promise<{ ms: number; ok: boolean }> {
  const begin = performance.now();
  const response = await call();
  await response.arrayBuffer();
  return { ms: performance.now() - begin, ok: response.ok };
}

/** Sends pairs of calls, one at a time. @returns milliseconds */
async function costOf({ proxied, direct }: Pair) {
  const times = { proxied: [] as number[], direct: [] as number[] };
  let failed = 0;
  for (let warmUp = 0; warmUp < CALLS / 2; warmUp += 1) await timed(proxied);
  const before = await cpuOfProxy();
  for (let call = 0; call < CALLS; call += 1) {
    for (const [way, send] of Object.entries({ proxied, direct })) {
      const { ms, ok } = await timed(send);
      times[way as keyof typeof times].push(ms);
      if (!ok) failed += 1;
    }
  }
  const cpu = (await cpuOfProxy()) - before;
  return { failed, cpu: cpu / 1000 / CALLS, proxied: median(times.proxied), direct: median(times.direct) };
}

describe('the cost of the proxy', () => {
  it('pairs of calls through the proxy and directly are answered, and the CPU time of the proxy is printed', async () => {
    const lines: string[] = [];
    for (const pair of pairs()) {
      const { failed, cpu, proxied, direct } = await costOf(pair);
      expect(failed).toBe(0);
      lines.push(
        `${pair.name.padEnd(16)} ${cpu.toFixed(2)} ms CPU of the proxy; median ${proxied.toFixed(2)} ms, directly ${direct.toFixed(2)} ms`,
      );
    }
    process.stdout.write(`${CALLS} pairs of calls each\n${lines.join('\n')}\n`);
  }, 300_000);
});
