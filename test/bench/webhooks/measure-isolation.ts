import type { BenchServer } from './bench-server';
import { BODY } from './body';
import { type ContenderName, CONTENDERS } from './contender';
import { startConsumer, type Sink } from './processes';
import { median, percentile, printTable } from './table';

const ENDPOINTS = 45;
/** Every ninth endpoint responds after three seconds: one endpoint of five of the nine tenants. */
const SICK_EVERY = 9;
const EACH = 100;
const { ROUNDS = '3' } = process.env;

/** Seconds from the start of the consumer to the p50 and p95 of healthy deliveries. */
interface Waits {
  p50: number;
  p95: number;
}

/** Measures how five endpoints that respond after three seconds delay the other forty. */
export async function measureIsolation(server: BenchServer, sink: Sink): Promise<void> {
  const rows: string[][] = [];
  for (const name of CONTENDERS) {
    const [sick, alone]: [Waits[], Waits[]] = [[], []];
    for (let round = 0; round < Number(ROUNDS); round++) {
      // Alternates the order.
      for (const withSick of [round % 2 === 0, round % 2 === 1])
        (withSick ? sick : alone).push(await runOnce(server, sink, name, { withSick }));
      process.stderr.write(
        `round ${round + 1}: ${name} ${tell(alone.slice(-1))} alone, ${tell(sick.slice(-1))} with sick\n`,
      );
    }
    const ratio = median(sick.map(({ p95 }) => p95)) / median(alone.map(({ p95 }) => p95));
    rows.push([name, tell(alone), tell(sick), ratio.toFixed(2)]);
  }
  printTable(
    `Seconds until healthy deliveries were made, p50 / p95 (medians of ${ROUNDS} rounds): ${ENDPOINTS} endpoints of nine tenants, ` +
      `five of which answer after 3 s, ${EACH} deliveries each. ${server.described}`,
    ['', 'without the sick', 'with them', 'p95 with / without'],
    rows,
  );
}

function tell(waits: Waits[]): string {
  return (['p50', 'p95'] as const).map((p) => median(waits.map((wait) => wait[p])).toFixed(2)).join(' / ');
}

async function runOnce(
  { queues, db }: BenchServer,
  sink: Sink,
  name: ContenderName,
  { withSick }: { withSick: boolean },
): Promise<Waits> {
  const queue = queues[name];
  const paths = Array.from(
    { length: ENDPOINTS },
    (_, i) => `/${i % SICK_EVERY === 0 ? 'sick' : 'well'}/${i}`,
  );
  const chosen = paths.filter((path) => withSick || path.startsWith('/well'));
  await queue.clear();
  await queue.add(
    chosen.map((path) => sink.url + path),
    EACH,
    BODY,
  );
  await db.raw('checkpoint');
  const healthy = paths.filter((path) => path.startsWith('/well')).length * EACH;
  const arrivals = sink.expect({ prefix: '/well', count: healthy });
  const consumer = startConsumer(name, queue.url, { kind: 'POST' });
  const { answeredAt } = await arrivals;
  const { startedAt } = await consumer.stop();
  const seconds = answeredAt.map((at) => (at - startedAt) / 1000);
  return { p50: percentile(seconds, 0.5), p95: percentile(seconds, 0.95) };
}
