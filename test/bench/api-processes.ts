import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'undici';
import type { Instance } from '../stack/service';
import { residentMiB } from './cpu-time';
import { load, sell } from './load';
import { inTurns, type Row, rounded } from './row';
import type { BenchStack } from './stack';
import { median } from './table';

const SECONDS = 3;
const CONNECTIONS = 64;
const IDLE_CONNECTIONS = 1000;
const PASSES = 20;
/** Connections that send a request at the same time. All others are open and idle. */
const AT_ONCE = 20;
/** Cores that the load generator and PostgreSQL need beside two processes. */
const CORES = 4;

/** Measures three things: the throughput of one and of two API processes, the memory of a process with 1,000 connections, and its start. */
export async function measureApiProcesses(stack: BenchStack, api: Instance): Promise<Row[]> {
  const second = await stack.start('api');
  const rows = await measureTwo(stack, [api, second]);
  await second.stop();
  return [...rows, await measureMemory(stack), await measureStart(stack)];
}

/** Loads one process with 64 connections, then two with 32 each. */
async function measureTwo(stack: BenchStack, apis: [Instance, Instance]): Promise<Row[]> {
  const path = `/api/tenant/tours/${stack.targets[0]!.slug}`;
  const headers = { Authorization: `Bearer ${stack.apiKey}` };
  const departures = stack.targets.length;
  const loads = {
    'cached reads of a tour': (api: Instance, connections: number) =>
      load(api.baseUrl + path, { connections, seconds: SECONDS, headers }),
    'holds over 500 departures': (api: Instance, connections: number) =>
      sell(stack, api.baseUrl, { kind: 'hold', departures, connections, seconds: SECONDS }),
  };
  const rate = async (run: (typeof loads)['cached reads of a tour'], used: Instance[]) => {
    await stack.clearSales();
    const results = await Promise.all(used.map((api) => run(api, CONNECTIONS / used.length)));
    return results.reduce((sum, { perSecond }) => sum + perSecond, 0);
  };
  for (const run of Object.values(loads)) await rate(run, apis);
  const rounds = await inTurns(
    Object.entries(loads).map(([name, run]) => [
      name,
      async () => ({ one: await rate(run, apis.slice(0, 1)), two: await rate(run, apis) }),
    ]),
  );
  const cores = availableParallelism();
  return Object.keys(loads).map((name) => {
    const list = rounds.get(name)!;
    return {
      what: `two API processes: ${name}`,
      beside: 'one process',
      ratios: list.map(({ one, two }) => two / one),
      aim: cores >= CORES ? { atLeast: 1.7 } : undefined,
      figures:
        `${rounded(median(list.map(({ two }) => two)))}/s; one ${rounded(median(list.map(({ one }) => one)))}/s` +
        (cores >= CORES ? '' : `; ≥ 1.7 needs ${CORES} cores, this machine has ${cores}`),
    };
  });
}

/** Sends twenty requests on each of 1,000 open connections, then twenty more. Compares the memory after the two halves. */
async function measureMemory(stack: BenchStack): Promise<Row> {
  const api = await stack.start('api');
  const resident = () => residentMiB(api.child().pid);
  await sleep(2000);
  const rest = resident();
  const path = `/api/tenant/tours/${stack.targets[0]!.slug}`;
  const headers = { authorization: `Bearer ${stack.apiKey}` };
  const clients = Array.from({ length: IDLE_CONNECTIONS }, () => new Client(api.baseUrl));
  const ask = async (client: Client) => {
    const { statusCode, body } = await client.request({ path, method: 'GET', headers });
    await body.dump();
    if (statusCode !== 200) throw new Error(`${path} answered ${statusCode}`);
  };
  const pass = async () => {
    for (let n = 0; n < clients.length; n += AT_ONCE)
      await Promise.all(clients.slice(n, n + AT_ONCE).map(ask));
  };
  await pass();
  for (let n = 0; n < PASSES; n++) await pass();
  const warm = resident();
  for (let n = 0; n < PASSES; n++) await pass();
  const later = resident();
  await Promise.all(clients.map((client) => client.close()));
  await api.stop();
  return {
    what: `memory with ${IDLE_CONNECTIONS} connections, ${2 * PASSES} requests on each`,
    beside: `${PASSES} requests on each`,
    ratios: [later / warm],
    aim: { atMost: 1.25 },
    figures: `${rounded(later)} MiB; ${rounded(warm)} MiB; at rest ${rounded(rest)} MiB`,
  };
}

/** Measures from the start of the process until /readyz answers 200. */
async function measureStart(stack: BenchStack): Promise<Row> {
  const rounds = await inTurns([
    [
      'start-up',
      async () => {
        const begun = performance.now();
        const api = await stack.start('api');
        const seconds = (performance.now() - begun) / 1000;
        await api.stop();
        return seconds;
      },
    ],
  ]);
  const seconds = rounds.get('start-up')!;
  return {
    what: 'start of the API until it is ready, seconds',
    beside: 'no other side',
    ratios: seconds,
    figures: `${rounded(median(seconds))} s`,
  };
}
