import type { BenchServer } from './bench-server';
import { BODY } from './body';
import { type ContenderName, CONTENDERS } from './contender';
import { startConsumer, type Sink } from './processes';
import { median, percentile, printTable } from '../table';

const ENDPOINTS = 45;
/** Every ninth of the 45 endpoints responds after three seconds. These five endpoints belong to five tenants. */
const SLOW_EVERY = 9;
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
    const [withThem, without]: [Waits[], Waits[]] = [[], []];
    for (let round = 0; round < Number(ROUNDS); round++) {
      // Swaps the order of the two measurements in every round.
      for (const withSlow of [round % 2 === 0, round % 2 === 1])
        (withSlow ? withThem : without).push(await runOnce(server, sink, name, { withSlow }));
      process.stderr.write(
        `round ${round + 1}: ${name} ${format(without.slice(-1))} without slow, ${format(withThem.slice(-1))} with slow\n`,
      );
    }
    const ratio = median(withThem.map(({ p95 }) => p95)) / median(without.map(({ p95 }) => p95));
    rows.push([name, format(without), format(withThem), ratio.toFixed(2)]);
  }
  printTable(
    `Seconds until healthy deliveries were made, p50 / p95 (medians of ${ROUNDS} rounds): ${ENDPOINTS} endpoints of nine tenants, ` +
      `five of which answer after 3 s, ${EACH} deliveries each. ${server.described}`,
    ['', 'without the slow ones', 'with them', 'p95 with / without'],
    rows,
  );
}

function format(waits: Waits[]): string {
  return (['p50', 'p95'] as const).map((p) => median(waits.map((wait) => wait[p])).toFixed(2)).join(' / ');
}

async function runOnce(
  { queues, db }: BenchServer,
  sink: Sink,
  name: ContenderName,
  { withSlow }: { withSlow: boolean },
): Promise<Waits> {
  const queue = queues[name];
  const paths = Array.from(
    { length: ENDPOINTS },
    (_, i) => `/${i % SLOW_EVERY === 0 ? 'slow' : 'healthy'}/${i}`,
  );
  const chosen = paths.filter((path) => withSlow || path.startsWith('/healthy'));
  await queue.clear();
  await queue.add(
    chosen.map((path) => sink.url + path),
    EACH,
    BODY,
  );
  await db.raw('checkpoint');
  const healthy = paths.filter((path) => path.startsWith('/healthy')).length * EACH;
  const arrivals = sink.expect({ prefix: '/healthy', count: healthy });
  const consumer = startConsumer(name, queue.url, { kind: 'POST' });
  const { answeredAt } = await arrivals;
  const { startedAt } = await consumer.stop();
  const seconds = answeredAt.map((at) => (at - startedAt) / 1000);
  return { p50: percentile(seconds, 0.5), p95: percentile(seconds, 0.95) };
}
