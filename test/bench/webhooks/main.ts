import { inTurns, type Row, rounded } from '../row';
import { median } from '../table';
import { type BenchServer, startBenchServer } from './bench-server';
import { BODY } from './body';
import { type ContenderName, CONTENDERS } from './contender';
import { type Sink, startConsumer, startSink } from './processes';

const ENDPOINTS = 50;
const JOBS = 20_000;

/** Measures the jobs a second of each queue on the same server. A job is a signed POST to a sink in another process. */
export async function measureWebhookJobs(): Promise<Row[]> {
  const server = await startBenchServer();
  const sink = await startSink();
  try {
    const rates = await inTurns(CONTENDERS.map((name) => [name, () => jobsPerSecond(server, sink, name)]));
    const [ours, ...others] = CONTENDERS.map((name) => rates.get(name)!);
    return [
      {
        what: 'webhook jobs: POST, signed',
        beside: 'the faster of graphile-worker and pg-boss',
        ratios: ours!.map((rate, round) => rate / Math.max(...others.map((rounds) => rounds[round]!))),
        aim: { atLeast: 1 },
        figures: CONTENDERS.map((name) => `${name} ${rounded(median(rates.get(name)!))}/s`).join(', '),
      },
    ];
  } finally {
    sink.stop();
    await server.stop();
  }
}

/** Measures from the first answer of the sink until the last completion is stored. */
async function jobsPerSecond({ queues, db }: BenchServer, sink: Sink, name: ContenderName): Promise<number> {
  const queue = queues[name];
  await queue.clear();
  const urls = Array.from({ length: ENDPOINTS }, (_, i) => `${sink.url}/hook/${i}`);
  await queue.add(urls, JOBS / ENDPOINTS, BODY);
  await db.raw('checkpoint');
  const answered = sink.expect(JOBS);
  const consumer = startConsumer(name, queue.url);
  const { firstAt } = await answered;
  const { stoppedAt } = await consumer.stop();
  const left = await queue.left();
  if (left > 0) throw new Error(`${name} left ${left} of ${JOBS} jobs`);
  return (1000 * JOBS) / (stoppedAt - firstAt);
}
