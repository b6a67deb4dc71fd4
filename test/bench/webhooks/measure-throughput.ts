import type { BenchServer } from './bench-server';
import { type ContenderName, CONTENDERS, type JobKind } from './contender';
import { PROFILE, startConsumer, type Sink } from './processes';
import { forgetStatements, printStatements } from './statements';
import { median, printTable, spread } from '../table';
import { BODY } from './body';
import type { Consumed } from './consumer-process';

const ENDPOINTS = 50;
/** QUEUES=ours measures ours alone. */
const { ROUNDS = '3', JOBS = '20000', QUEUES = CONTENDERS.join() } = process.env;
const NAMES = CONTENDERS.filter((name) => QUEUES.split(',').includes(name));

interface Run {
  /** Jobs a second. */
  rate: number;
  /** Microseconds of CPU for each job, in the consumer and in the server. */
  nodeUs: number;
  serverUs: number;
}

/**
 * Measures jobs per second of each contender in interleaved rounds on the same server. Also measures the CPU time of a job, which
 * other load of the machine changes less.
 * @returns the rates by contender and kind
 */
export async function measureThroughput(server: BenchServer, sink: Sink): Promise<Map<string, number[]>> {
  const runs = new Map<string, Run[]>();
  for (let round = 0; round < Number(ROUNDS); round++) {
    for (const kind of ['no-op', 'POST'] as const) {
      for (const name of NAMES) {
        const run = await runOnce(server, sink, name, kind);
        runs.set(`${name} ${kind}`, [...(runs.get(`${name} ${kind}`) ?? []), run]);
        const [rate, nodeUs, serverUs] = [run.rate, run.nodeUs, run.serverUs].map(Math.round);
        process.stderr.write(
          `round ${round + 1}: ${name} ${kind} ${rate}/s, CPU ${nodeUs} µs in Node, ${serverUs} µs in PostgreSQL\n`,
        );
      }
    }
  }
  const of = (key: keyof Run, name: ContenderName, kind: JobKind) =>
    runs.get(`${name} ${kind}`)!.map((run) => run[key]);
  printTable(
    `Jobs a second: medians of ${ROUNDS} rounds of ${JOBS} [lowest-highest]; ratio to ours. ${server.described}`,
    ['', ...['no-op', 'POST'].flatMap((kind) => [kind, 'ours / it', 'Node µs', 'PostgreSQL µs'])],
    NAMES.map((name) => [
      name,
      ...(['no-op', 'POST'] as const).flatMap((kind) => [
        spread(of('rate', name, kind)),
        (median(of('rate', 'ours', kind)) / median(of('rate', name, kind))).toFixed(2),
        spread(of('nodeUs', name, kind)),
        spread(of('serverUs', name, kind)),
      ]),
    ]),
  );
  return new Map([...runs].map(([name, list]) => [name, list.map(({ rate }) => rate)]));
}

/** Measures from the start of the first job until the last completion is stored. */
async function runOnce(
  { queues, db, cpuMs }: BenchServer,
  sink: Sink,
  name: ContenderName,
  kind: JobKind,
): Promise<Run> {
  const queue = queues[name];
  const jobs = Number(JOBS);
  await queue.clear();
  const urls = Array.from({ length: ENDPOINTS }, (_, i) => `${sink.url}/hook/${i}`);
  await queue.add(urls, jobs / ENDPOINTS, BODY);
  await db.raw('checkpoint');
  if (PROFILE) await forgetStatements(db);
  const cpuBefore = cpuMs();
  const { milliseconds, nodeMs } = kind === 'POST' ? await timePosts() : await timeNoOps();
  const serverMs = cpuMs() - cpuBefore;
  if (PROFILE && name === 'ours') await printStatements(db, `Statements of ours, ${kind}`);
  const left = await queue.left();
  if (left > 0) throw new Error(`${name} left ${left} of ${jobs} jobs`);
  return {
    rate: (jobs / milliseconds) * 1000,
    nodeUs: (nodeMs / jobs) * 1000,
    serverUs: (serverMs / jobs) * 1000,
  };

  async function timeNoOps() {
    const { firstAt, ...consumed } = await startConsumer(name, queue.url, { kind, jobs }).stopped;
    return timed(firstAt, consumed);
  }
  async function timePosts() {
    const arrivals = sink.expect({ prefix: '/hook', count: jobs });
    const consumer = startConsumer(name, queue.url, { kind });
    const { answeredAt } = await arrivals;
    return timed(answeredAt[0]!, await consumer.stop());
  }
}

function timed(from: number, { stoppedAt, cpuMs }: Pick<Consumed, 'stoppedAt' | 'cpuMs'>) {
  return { milliseconds: stoppedAt - from, nodeMs: cpuMs };
}
