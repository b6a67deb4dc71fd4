import { consumeGraphile } from './consume-graphile';
import { consumeOurs } from './consume-ours';
import { consumePgBoss } from './consume-pg-boss';
import { type Consumer, type Consumption, type ContenderName, type JobKind, now } from './contender';

/**
 * Runs one consumer in its own process: <contender> <database url> <kind> <jobs> <rounds>. Tells its parent when all jobs of a round
 * have started. Stops after the given rounds or at any message, and tells its parent that it has stopped.
 */
const CONSUME: Record<ContenderName, (consumption: Consumption) => Consumer | Promise<Consumer>> = {
  ours: consumeOurs,
  'graphile-worker': consumeGraphile,
  'pg-boss': consumePgBoss,
};

/** The report of a consumer that has stopped and has stored every completion. */
export interface Consumed {
  /** Start time of the consumer. */
  startedAt: number;
  /** Start time of the first job. For POST jobs only the sink knows this time. */
  firstAt: number;
  stoppedAt: number;
  /** CPU time since `startedAt`, in milliseconds. */
  cpuMs: number;
}

/** The last job of a round has started. */
export interface RoundEnded {
  roundEndedAt: number;
}

async function main(): Promise<void> {
  const [name, databaseUrl, kind] = process.argv.slice(2) as [ContenderName, string, JobKind];
  const [jobs, rounds] = process.argv.slice(5).map(Number) as [number, number];
  let begun = 0;
  let firstAt = 0;
  let enough: () => void = () => undefined;
  const ending = new Promise<void>((resolve) => (enough = resolve));
  process.once('message', () => enough());
  process.once('disconnect', () => process.exit());
  const onJob = () => {
    if (begun++ === 0) firstAt = now();
    if (begun % jobs === 0) process.send!({ roundEndedAt: now() } satisfies RoundEnded);
    if (begun === jobs * rounds) enough();
  };
  const startedAt = now();
  const cpuAtStart = process.cpuUsage();
  const consumer = await CONSUME[name]({ databaseUrl, kind, onJob });
  await ending;
  await consumer.stop();
  const { user, system } = process.cpuUsage(cpuAtStart);
  const consumed: Consumed = { startedAt, firstAt, stoppedAt: now(), cpuMs: (user + system) / 1000 };
  process.send!(consumed, undefined, undefined, () => process.exit());
}

main().catch((error: unknown) => {
  process.stderr.write(`${String(error)}\n`, () => process.exit(1));
});
