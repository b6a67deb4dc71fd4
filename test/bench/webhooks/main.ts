/* Measures the webhook queue in parts: `npm run bench -- webhooks`, or some of them: `npm run bench -- webhooks isolation fairness`. */
import { type Row, rounded } from '../row';
import { median } from '../table';
import { startBenchServer, type BenchServer } from './bench-server';
import { CONTENDERS } from './contender';
import { measureFairness } from './measure-fairness';
import { measureIsolation } from './measure-isolation';
import { measureSnapshot } from './measure-snapshot';
import { measureThrottled } from './measure-throttled';
import { measureThroughput } from './measure-throughput';
import { startSink, type Sink } from './processes';

const PARTS: Record<string, (server: BenchServer, sink: Sink) => Promise<unknown>> = {
  throughput: measureThroughput,
  isolation: measureIsolation,
  fairness: measureFairness,
  snapshot: measureSnapshot,
  throttled: measureThrottled,
};

export async function measureWebhooks(chosen: string[]): Promise<void> {
  const unknown = chosen.find((part) => !PARTS[part]);
  if (unknown) throw new Error(`no part is called ${unknown}: there are ${Object.keys(PARTS).join(', ')}`);
  await withQueues(async (server, sink) => {
    for (const [part, measure] of Object.entries(PARTS))
      if (chosen.length === 0 || chosen.includes(part)) await measure(server, sink);
  });
}

/** Measures the rows of the table of all comparisons. */
export async function measureWebhookJobs(): Promise<Row[]> {
  const rates = await withQueues(measureThroughput);
  return (['no-op', 'POST'] as const).map((kind) => {
    const [ours, ...others] = CONTENDERS.map((name) => rates.get(`${name} ${kind}`)!);
    return {
      what: `webhook jobs: ${kind}${kind === 'POST' ? ', signed' : ''}`,
      beside: 'the faster of graphile-worker and pg-boss',
      ratios: ours!.map((rate, round) => rate / Math.max(...others.map((rounds) => rounds[round]!))),
      aim: { atLeast: 1 },
      figures: CONTENDERS.map((name) => `${name} ${rounded(median(rates.get(`${name} ${kind}`)!))}/s`).join(
        ', ',
      ),
    };
  });
}

async function withQueues<T>(work: (server: BenchServer, sink: Sink) => Promise<T>): Promise<T> {
  const server = await startBenchServer();
  const sink = await startSink();
  try {
    return await work(server, sink);
  } finally {
    sink.stop();
    await server.stop();
  }
}
