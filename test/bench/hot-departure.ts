/*
 * Simulates one departure that all customers want, and compares the simulation with measured runs: `npm run bench -- hot-departure`.
 * The sales of a departure are written by one batch after another. A batch of n sales takes PostgreSQL `batchMs + n * saleMs`, in STEPS
 * statements; Node's thread takes `nodeMs` for the request and the answer of each sale, and `stepMs` between two statements.
 */
import { cpuMs } from './cpu-time';
import { sell } from './load';
import { describeMachine, markdownTable, writeSection } from './report';
import { inTurns, rounded } from './row';
import { type BenchStack, withStack } from './stack';
import { median, printTable } from './table';
import type { Instance } from '../stack/service';

/** The most sales of a batch (sales/sale-queue.ts). */
const BATCH_MAX = 128;
/** The statements of a batch, with BEGIN and COMMIT (sales/grant-sales.ts). */
const STEPS = 8;
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
  const machine = await describeMachine();
  const measured = await withStack(measureRates);
  const one = measured.get(1)!;
  const most = measured.get(256)!;
  const model = calibrate(one, most);
  const rows = CONNECTIONS.map((connections) => {
    const real = measured.get(connections)!;
    const simulated = simulate(model, connections);
    const sets = connections === CONNECTIONS[0] || connections === CONNECTIONS.at(-1);
    return [
      ...[
        connections,
        sets ? 'sets the model' : 'predicted',
        rounded(real.perSecond),
        rounded(simulated.perSecond),
      ],
      rounded(simulated.perSecond / real.perSecond),
      ...[rounded(real.p50), rounded(simulated.p50)],
    ];
  });
  for (const [name, other, connections] of variantsOf(model)) {
    const { perSecond, p50 } = simulate(other, connections);
    rows.push([connections, name, '', rounded(perSecond), '', '', rounded(p50)]);
  }
  const head = ['connections', 'use', 'holds a second', 'simulated', 'ratio', 'p50 ms', 'simulated p50 ms'];
  const title =
    `A batch of n holds takes ${rounded(model.batchMs)} + n × ${rounded(model.saleMs)} ms in PostgreSQL, ` +
    `and Node's thread ${rounded(model.nodeMs)} ms for each hold and ${rounded(model.stepMs)} ms for each of ${STEPS} statements; with 256 connections PostgreSQL takes ${rounded(most.serverMs)} ms of CPU for each`;
  printTable(title, head, rows);
  await writeSection(
    'One hot departure',
    `\`npm run bench -- hot-departure\`: ${machine}.\n\n${title}.\n\n${markdownTable(head, rows)}`,
  );
}

/** Returns models that cannot be measured here. */
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

/** Finds the model that simulates both rates. One client alone gives the sum of all times, and Node's time for the statements. */
function calibrate(alone: Rate, full: Rate): Model {
  const sum = 1000 / alone.perSecond;
  const nodeMs = Math.min(full.nodeMs, sum / 2);
  const stepMs = Math.max(0, Math.min(alone.nodeMs, sum) - nodeMs) / STEPS;
  const serverMs = sum - nodeMs - STEPS * stepMs;
  const modelWith = (saleMs: number) => ({ saleMs, nodeMs, stepMs, batchMs: Math.max(0, serverMs - saleMs) });
  let [low, high] = [0, serverMs];
  for (let step = 0; step < 30; step++) {
    const middle = (low + high) / 2;
    if (simulate(modelWith(middle), 256).perSecond > full.perSecond) low = middle;
    else high = middle;
  }
  return modelWith((low + high) / 2);
}

/** Work for Node's thread: a request, an answer, or the next statement of the batch. */
interface Task {
  kind: 'request' | 'answer' | 'statement';
  sentAt: number;
  readyAt: number;
}

/**
 * Simulates clients that each send one hold, wait for the answer and send the next one. Node's thread does its tasks in order of
 * arrival, so a batch also waits for the requests and answers that come between its statements. The next batch takes what waits when
 * one ends.
 */
function simulate(
  { batchMs, saleMs, nodeMs, stepMs }: Model,
  clients: number,
): Pick<Rate, 'perSecond' | 'p50'> {
  const tasks: Task[] = Array.from({ length: clients }, () => ({ kind: 'request', sentAt: 0, readyAt: 0 }));
  const times: number[] = [];
  let waiting: number[] = [];
  let batch: number[] = [];
  let [now, statementEndsAt, statements] = [0, Infinity, 0];
  const startStatement = () => {
    statements += 1;
    statementEndsAt = now + (batchMs + batch.length * saleMs) / STEPS;
  };
  const startBatch = () => {
    batch = waiting.slice(0, BATCH_MAX);
    waiting = waiting.slice(BATCH_MAX);
    statements = 0;
    startStatement();
  };
  const endBatch = () => {
    for (const sentAt of batch) tasks.push({ kind: 'answer', sentAt, readyAt: now });
    batch = [];
  };
  const finish: Record<Task['kind'], (sentAt: number) => void> = {
    request: (sentAt) => void waiting.push(sentAt),
    answer(sentAt) {
      times.push(now - sentAt);
      tasks.push({ kind: 'request', sentAt: now, readyAt: now });
    },
    statement: () => (statements < STEPS ? startStatement() : endBatch()),
  };
  while (times.length < SIMULATED_SALES) {
    const startsAt = tasks[0] ? Math.max(now, tasks[0].readyAt) : Infinity;
    if (statementEndsAt <= startsAt) {
      tasks.push({ kind: 'statement', sentAt: 0, readyAt: statementEndsAt });
      statementEndsAt = Infinity;
      continue;
    }
    const { kind, sentAt } = tasks.shift()!;
    now = startsAt + (kind === 'statement' ? stepMs : nodeMs / 2);
    finish[kind](sentAt);
    // The requests that arrive in one turn of the event loop share a batch.
    const turnEnds = tasks.length === 0 || tasks[0]!.readyAt > now || waiting.length >= BATCH_MAX;
    if (batch.length === 0 && waiting.length > 0 && turnEnds) startBatch();
  }
  return { perSecond: (1000 * times.length) / now, p50: median(times) };
}
