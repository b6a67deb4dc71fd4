/*
 * Measures the webhook queue: `npm run bench:webhooks`, or one part: `npm run bench:webhooks -- isolation`. All figures of the queue in
 * this repository come from here.
 */
import { startBenchServer, type BenchServer } from './bench-server';
import { measureFairness } from './measure-fairness';
import { measureIsolation } from './measure-isolation';
import { measureSnapshot } from './measure-snapshot';
import { measureThrottled } from './measure-throttled';
import { measureThroughput } from './measure-throughput';
import { startSink, type Sink } from './processes';

const PARTS: Record<string, (server: BenchServer, sink: Sink) => Promise<void>> = {
  throughput: measureThroughput,
  isolation: measureIsolation,
  fairness: measureFairness,
  snapshot: measureSnapshot,
  throttled: measureThrottled,
};

async function main(): Promise<void> {
  const chosen = process.argv.slice(2);
  const unknown = chosen.find((part) => !PARTS[part]);
  if (unknown) throw new Error(`no part is called ${unknown}: there are ${Object.keys(PARTS).join(', ')}`);
  const server = await startBenchServer();
  const sink = await startSink();
  try {
    for (const [part, measure] of Object.entries(PARTS))
      if (chosen.length === 0 || chosen.includes(part)) await measure(server, sink);
  } finally {
    sink.stop();
    await server.stop();
  }
}

main().catch((error: unknown) => {
  process.stderr.write(`${String(error)}\n`);
  process.exitCode = 1;
});
