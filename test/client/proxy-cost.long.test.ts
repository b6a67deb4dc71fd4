import { type ChildProcess, execFile, fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { promisify } from 'node:util';
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
import { useTemporaryFolder } from '../support/temporary-folder';
import { SECRET } from './proxy-fixture';
import type { BareAnswers } from './proxy-process';

/** `npm run lab -- proxy-cost` sends many calls in several rounds. */
const CALLS = Number(process.env.PROXY_CALLS ?? 16);
const ROUNDS = Number(process.env.PROXY_ROUNDS ?? 1);
/** Another build of the package, to compare it with this one: a bundle of proxy-process.ts. */
const OTHER = process.env.PROXY_OTHER;
const DEPARTURES = 100;
/** Calls in flight: one visitor alone, and a busy site. */
const IN_FLIGHT = [1, 16];
const ESBUILD = path.resolve(__dirname, '../../node_modules/esbuild/bin/esbuild');

const FOLDER = useTemporaryFolder();
const database = useTestDatabase();
const run = promisify(execFile);
let platform: ApiProcess;
let apiKey: string;
let tour: GivenTour;
/** The calls for holds take the departures in turn: one has not enough seats for all of them. */
const dates: string[] = [];
const sites: Site[] = [];

beforeAll(async () => {
  const { db } = database;
  tour = await givenTour(db);
  for (let day = 10; day < 10 + DEPARTURES; day += 1) {
    dates.push(await givenDeparture(db, tour, { date: daysFromToday(day), seats: 10_000 }));
  }
  apiKey = await givenKey(db, await givenTenant(db, { maxHolds: 1_000_000 }));
  platform = await startApiProcess(database.url);
}, 120_000);
afterAll(async () => {
  for (const { child } of sites) child.disconnect();
  await platform.stop();
});

/** A site in a process of its own, as proxy-process.ts starts it. */
interface Site {
  name: string;
  child: ChildProcess;
  address: string;
}

async function startSite(name: string, program: string, environment: NodeJS.ProcessEnv): Promise<Site> {
  const options = { baseUrl: platform.baseUrl, apiKey, secret: SECRET, path: '/tours' };
  const env = { ...process.env, PROXY_OPTIONS: JSON.stringify(options), ...environment };
  const child = fork(program, { env, execArgv: process.env.PROXY_NODE_FLAGS?.split(' ') ?? [] });
  const [{ port }] = (await once(child, 'message')) as [{ port: number }];
  const site = { name, child, address: `http://127.0.0.1:${port}` };
  sites.push(site);
  return site;
}

/** Returns the CPU time that the process of a site has used, in microseconds. */
async function cpuOf({ child }: Site): Promise<number> {
  child.send('cpu');
  const [{ cpu }] = (await once(child, 'message')) as [{ cpu: number }];
  return cpu;
}

/** A request, by its path below the address of the site. */
interface Call {
  path: string;
  init(): RequestInit;
}

/** The same question to the proxy, and to the platform. */
interface Question {
  name: string;
  proxy: Call;
  platform: Call;
}

function questions(): Question[] {
  const page = { 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' };
  const server = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
  const read = (name: string, below: string, atPlatform: string): Question => ({
    name,
    proxy: { path: `/tours/tours/${tour.slug}${below}`, init: () => ({ headers: page }) },
    platform: { path: `${atPlatform}/tours/${tour.slug}${below}`, init: () => ({ headers: server }) },
  });
  let turn = 0;
  const hold = (path: string, headers: Record<string, string>, more: object): Call => ({
    path,
    init: () => {
      turn += 1;
      const wish = { ...more, departure_date: dates[turn % DEPARTURES], quantity: 1 };
      return { method: 'POST', headers, body: JSON.stringify(wish) };
    },
  });
  return [
    read('availability', `/availability?departure_date=${dates[0]}`, '/api/gateway'),
    read(`${DEPARTURES} departures`, '/departures', '/api/tenant'),
    {
      name: 'hold',
      proxy: hold('/tours/hold', page, { tour_id: tour.slug }),
      platform: hold(`/api/gateway/tours/${tour.slug}/hold`, server, {}),
    },
  ];
}

async function answerOf(address: string, { path: below, init }: Call): Promise<Response> {
  const response = await fetch(address + below, init());
  const body = await response.text();
  if (!response.ok) throw new Error(`${below}: ${response.status} ${body}`);
  return new Response(body, response);
}

/** Reads each answer of the proxy once, for the bare server. */
async function bareAnswers({ address }: Site): Promise<BareAnswers> {
  const answers: BareAnswers = {};
  for (const { proxy } of questions()) {
    const response = await answerOf(address, proxy);
    const hidden = ['connection', 'keep-alive', 'date', 'content-length', 'transfer-encoding'];
    const headers = [...response.headers].filter(([name]) => !hidden.includes(name));
    const body = await response.text();
    answers[`${proxy.init().method ?? 'GET'} ${proxy.path}`] = { status: response.status, headers, body };
  }
  return answers;
}

/** Sends calls, so many at a time. @returns milliseconds of CPU of the site's process for one call */
async function costOf(site: Site, call: Call, inFlight: number): Promise<number> {
  const before = await cpuOf(site);
  let left = CALLS;
  const sendAll = async () => {
    for (; left > 0;) {
      left -= 1;
      await answerOf(site.address, call);
    }
  };
  await Promise.all(Array.from({ length: inFlight }, sendAll));
  return ((await cpuOf(site)) - before) / 1000 / CALLS;
}

const median = (values: number[]) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!;

/** Measures all sites in turns. @returns the median of the rounds by the name of the site */
async function costsOf(question: Question, inFlight: number): Promise<[name: string, ms: number][]> {
  const costs = sites.map(({ name }) => ({ name, rounds: [] as number[] }));
  // The first round warms up.
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const [at, site] of sites.entries()) {
      const call = site.name === 'piped' ? question.platform : question.proxy;
      const cost = await costOf(site, call, inFlight);
      if (round > 0) costs[at]!.rounds.push(cost);
    }
  }
  return costs.map(({ name, rounds }) => [name, median(rounds)]);
}

describe('the cost of the proxy', () => {
  it('calls through the proxy are answered, and the CPU time of its process is printed beside that of simpler servers', async () => {
    const program = path.join(FOLDER, 'site.cjs');
    const source = path.join(__dirname, 'proxy-process.ts');
    await run(ESBUILD, [source, '--bundle', '--platform=node', '--target=node20', `--outfile=${program}`]);
    const proxy = await startSite('proxy', program, { SITE: 'proxy' });
    const answers = JSON.stringify(await bareAnswers(proxy));
    if (OTHER) await startSite('other', OTHER, { SITE: 'proxy' });
    await startSite('bare', program, { SITE: 'bare', BARE_ANSWERS: answers });
    await startSite('piped', program, { SITE: 'pipe' });
    const lines: string[] = [];
    for (const question of questions()) {
      for (const inFlight of IN_FLIGHT) {
        const costs = await costsOf(question, inFlight);
        const shown = costs.map(([name, ms]) => `${name} ${ms.toFixed(2)}`).join(', ');
        lines.push(`${question.name.padEnd(16)} ${`${inFlight}`.padStart(2)} in flight: ${shown}`);
      }
    }
    expect(lines).toHaveLength(6);
    process.stdout.write(`ms of CPU for a call, ${ROUNDS} rounds of ${CALLS} calls\n${lines.join('\n')}\n`);
  }, 900_000);
});
