import type { BenchServer } from './bench-server';
import { type ContenderName, CONTENDERS, type JobKind } from './contender';
import { PROFILE, startConsumer, type Sink } from './processes';
import { forgetStatements, printStatements } from './statements';
import { median, printTable, spread } from './table';
import { BODY } from './body';

const ENDPOINTS = 50;
const { ROUNDS = '5', JOBS = '60000' } = process.env;

/** Measures jobs per second of each contender in interleaved rounds on the same server. */
export async function measureThroughput(server: BenchServer, sink: Sink): Promise<void> {
  const rates = new Map<string, number[]>();
  for (let round = 0; round < Number(ROUNDS); round++) {
    for (const kind of ['no-op', 'POST'] as const) {
      for (const name of CONTENDERS) {
        const rate = await runOnce(server, sink, name, kind);
        rates.set(`${name} ${kind}`, [...(rates.get(`${name} ${kind}`) ?? []), rate]);
        process.stderr.write(`round ${round + 1}: ${name} ${kind} ${Math.round(rate)}/s\n`);
      }
    }
  }
  const of = (name: ContenderName, kind: JobKind) => rates.get(`${name} ${kind}`)!;
  printTable(
    `Jobs a second: medians of ${ROUNDS} rounds of ${JOBS} [lowest-highest]; ratio to ours. ${server.described}`,
    ['', 'no-op', 'ours / it', 'POST', 'ours / it'],
    CONTENDERS.map((name) => [
      name,
      ...(['no-op', 'POST'] as const).flatMap((kind) => [
        spread(of(name, kind)),
        (median(of('ours', kind)) / median(of(name, kind))).toFixed(2),
      ]),
    ]),
  );
}

/** Measures from the start of the first job until the last completion is stored. */
async function runOnce(
  { queues, db }: BenchServer,
  sink: Sink,
  name: ContenderName,
  kind: JobKind,
): Promise<number> {
  const queue = queues[name];
  const jobs = Number(JOBS);
  await queue.clear();
  const urls = Array.from({ length: ENDPOINTS }, (_, i) => `${sink.url}/hook/${i}`);
  await queue.add(urls, jobs / ENDPOINTS, BODY);
  await db.raw('checkpoint');
  if (PROFILE) await forgetStatements(db);
  const milliseconds = kind === 'POST' ? await timePosts() : await timeNoOps();
  if (PROFILE && name === 'ours') await printStatements(db, `Statements of ours, ${kind}`);
  const left = await queue.left();
  if (left > 0) throw new Error(`${name} left ${left} of ${jobs} jobs`);
  return (jobs / milliseconds) * 1000;

  async function timeNoOps(): Promise<number> {
    const { firstAt, stoppedAt } = await startConsumer(name, queue.url, { kind, jobs }).stopped;
    return stoppedAt - firstAt;
  }
  async function timePosts(): Promise<number> {
    const arrivals = sink.expect({ prefix: '/hook', count: jobs });
    const consumer = startConsumer(name, queue.url, { kind });
    const { answeredAt } = await arrivals;
    const { stoppedAt } = await consumer.stop();
    return stoppedAt - answeredAt[0]!;
  }
}
