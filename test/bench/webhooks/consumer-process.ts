import { consumeGraphile } from './consume-graphile';
import { consumeOurs } from './consume-ours';
import { consumePgBoss } from './consume-pg-boss';
import { type Consumer, type Consumption, type ContenderName, type JobKind, now } from './contender';

/**
 * One consumer in a process of its own: <contender> <database url> <kind> <jobs> <rounds>. It tells its parent whenever as many
 * jobs have begun; after as many rounds, or when any message comes, it stops, and tells that too.
 */
const CONSUME: Record<ContenderName, (consumption: Consumption) => Consumer | Promise<Consumer>> = {
  ours: consumeOurs,
  'graphile-worker': consumeGraphile,
  'pg-boss': consumePgBoss,
};

/** What it tells when it has stopped: every completion is written down then. */
export interface Consumed {
  /** When it set to work. */
  startedAt: number;
  /** Of its first job, as far as it knows: with POST the sink does. */
  firstAt: number;
  stoppedAt: number;
}

/** The last job of a round has begun. */
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
  const consumer = await CONSUME[name]({ databaseUrl, kind, onJob });
  await ending;
  await consumer.stop();
  const consumed: Consumed = { startedAt, firstAt, stoppedAt: now() };
  process.send!(consumed, undefined, undefined, () => process.exit());
}

main().catch((error: unknown) => {
  process.stderr.write(`${String(error)}\n`, () => process.exit(1));
});
