/*
 * Simulates one departure that all customers want, and compares the simulation with measured runs: `npm run bench -- hot-departure`.
 * Batches write the sales of a departure, one batch after another. PostgreSQL takes `batchMs + n * saleMs` for a batch of n sales,
 * in STEPS statements. Node's thread takes `nodeMs` for each sale. BATCH_SHARE of this time belongs to the batch; the remainder
 * belongs to the request and its answer. Node's thread takes another `stepMs` for each statement.
 */
import { QUEUE_LIMITS } from '../../services/api/seats/queue/queue-limits';
import { cpuMs } from './cpu-time';
import { sell } from './load';
import { inTurns, rounded } from './row';
import { type BenchStack, withStack } from './stack';
import { median, printTable } from './table';
import type { Instance } from '../stack/service';

/** The most sales of a batch. */
const BATCH_MAX = QUEUE_LIMITS.batchMax;
/** The round trips of a batch: lock with BEGIN, read, write, COMMIT (seats/transact-changes.ts). */
const STEPS = 4;
/** The share of Node's time for a sale that its batch needs: 55 of 200 µs in a profile with 256 connections. */
const BATCH_SHARE = 0.28;
const SECONDS = 3;
const CONNECTIONS = [1, 16, 64, 256];
const SIMULATED_SALES = 30_000;

interface Model {
  batchMs: number;
  saleMs: number;
  nodeMs: number;
  stepMs: number;
}

interface Rate {
  perSecond: number;
  p50: number;
  /** CPU milliseconds of the API and of PostgreSQL for a hold. */
  nodeMs: number;
  serverMs: number;
}

export async function measureHotDeparture(): Promise<void> {
  const measured = await withStack(measureRates);
  const one = measured.get(1)!;
  const most = measured.get(256)!;
  const model = modelOf(one, most);
  const rows = CONNECTIONS.map((connections) => {
    const real = measured.get(connections)!;
    const simulated = simulate(model, connections);
    const sets = connections === CONNECTIONS[0];
    return [
      connections,
      sets ? 'sets the sum' : 'predicted',
      rounded(real.perSecond),
      rounded(simulated.perSecond),
      rounded(simulated.perSecond / real.perSecond),
      rounded(real.p50),
      rounded(simulated.p50),
    ];
  });
  for (const [name, other, connections] of variantsOf(model)) {
    const { perSecond, p50 } = simulate(other, connections);
    rows.push([connections, name, '', rounded(perSecond), '', '', rounded(p50)]);
  }
  const head = ['connections', 'use', 'holds a second', 'simulated', 'ratio', 'p50 ms', 'simulated p50 ms'];
  const title =
    `A batch of n holds takes ${rounded(model.batchMs)} + n × ${rounded(model.saleMs)} ms in PostgreSQL, ` +
    `and Node's thread ${rounded(model.nodeMs)} ms for each hold and ${rounded(model.stepMs)} ms for each of ${STEPS} statements`;
  printTable(title, head, rows);
}

/** Returns simulations of conditions that cannot be measured here. */
function variantsOf(model: Model): [name: string, model: Model, connections: number][] {
  const { batchMs, saleMs } = model;
  return [
    ['simulated: a flush takes 2 ms more', { ...model, batchMs: batchMs + 2 }, 256],
    ['simulated: PostgreSQL is twice as fast', { ...model, batchMs: batchMs / 2, saleMs: saleMs / 2 }, 256],
    ['simulated: 1,000 wait', model, 1000],
  ];
}

/** Measures holds on one departure over HTTP, and the CPU time of the API for each. */
async function measureRates(stack: BenchStack, api: Instance): Promise<Map<number, Rate>> {
  const { pid } = api.child();
  const measure = (connections: number) => async () => {
    await stack.clearSales();
    const [before, serverBefore] = [cpuMs(pid), stack.serverCpuMs()];
    const options = { kind: 'hold', departures: 1, connections, seconds: SECONDS } as const;
    const rate = await sell(stack, api.baseUrl, options);
    const nodeMs = (cpuMs(pid) - before) / rate.requests;
    return { ...rate, nodeMs, serverMs: (stack.serverCpuMs() - serverBefore) / rate.requests };
  };
  await measure(64)();
  const rounds = await inTurns(CONNECTIONS.map((connections) => [`${connections}`, measure(connections)]));
  return new Map(
    CONNECTIONS.map((connections) => {
      const list = rounds.get(`${connections}`)!;
      const of = (figure: keyof (typeof list)[0]) => median(list.map((one) => one[figure]));
      const cpu = { nodeMs: of('nodeMs'), serverMs: of('serverMs') };
      return [connections, { perSecond: of('perSecond'), p50: of('p50'), ...cpu }];
    }),
  );
}

/**
 * Computes the model from two measurements. The rate of one client gives the sum of all times, including Node's time for the
 * statements. Full batches give the CPU time of a sale in PostgreSQL and in Node.
 */
function modelOf(alone: Rate, full: Rate): Model {
  const sum = 1000 / alone.perSecond;
  const { nodeMs, serverMs: saleMs } = full;
  const stepMs = Math.max(0, Math.min(alone.nodeMs, sum) - nodeMs) / STEPS;
  return { saleMs, nodeMs, stepMs, batchMs: Math.max(0, sum - nodeMs - STEPS * stepMs - saleMs) };
}

/**
 * Simulates clients that each send one hold, wait for the answer and send the next one. Node's thread answers a batch at once, begins
 * the next batch with the waiting sales, and checks after each request whether its statement has ended.
 */
function simulate(
  { batchMs, saleMs, nodeMs, stepMs }: Model,
  clients: number,
): Pick<Rate, 'perSecond' | 'p50'> {
  const times: number[] = [];
  // Each list contains the simulated sales in one state. A sale is represented by the time at which its client sent it.
  const requests: number[] = new Array<number>(clients).fill(0);
  let waiting: number[] = [];
  let batch: number[] = [];
  let answers: number[] = [];
  let [now, statementEndsAt, statements] = [0, Infinity, 0];
  const halfMs = ((1 - BATCH_SHARE) * nodeMs) / 2;
  const startStatement = () => {
    statements += 1;
    statementEndsAt = now + (batchMs + batch.length * saleMs) / STEPS;
  };
  const endBatch = () => {
    [answers, batch, statements, statementEndsAt] = [batch, [], 0, Infinity];
  };
  while (times.length < SIMULATED_SALES) {
    if (answers.length > 0) {
      now += halfMs;
      times.push(now - answers.shift()!);
      requests.push(now);
    } else if (statementEndsAt <= now) {
      now += stepMs + (BATCH_SHARE * nodeMs * batch.length) / STEPS;
      if (statements < STEPS) startStatement();
      else endBatch();
    } else if (requests.length > 0) {
      now += halfMs;
      waiting.push(requests.shift()!);
    } else now = statementEndsAt;
    if (batch.length === 0 && waiting.length > 0) {
      [batch, waiting] = [waiting.slice(0, BATCH_MAX), waiting.slice(BATCH_MAX)];
      startStatement();
    }
  }
  return { perSecond: (1000 * times.length) / now, p50: median(times) };
}
