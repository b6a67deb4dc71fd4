import { consumeGraphile } from './consume-graphile';
import { consumeOurs } from './consume-ours';
import { consumePgBoss } from './consume-pg-boss';
import { type Consumer, type Consumption, type ContenderName, type JobKind, now } from './contender';

/**
 * One consumer in a process of its own: <contender> <database url> <kind> <jobs>. It works until as many jobs have begun or
 * any message comes, then stops, and tells its parent about it.
 */
const CONSUME: Record<ContenderName, (consumption: Consumption) => Consumer | Promise<Consumer>> = {
  ours: consumeOurs,
  'graphile-worker': consumeGraphile,
  'pg-boss': consumePgBoss,
};

/** What it tells when it has stopped: every completion is written down then. */
export interface Consumed {
  /** Of its first job, as far as it knows: with POST the sink does. */
  firstAt: number;
  stoppedAt: number;
}

async function main(): Promise<void> {
  const [name, databaseUrl, kind, jobs] = process.argv.slice(2) as [ContenderName, string, JobKind, string];
  let begun = 0;
  let firstAt = 0;
  let enough: () => void = () => undefined;
  const ending = new Promise<void>((resolve) => (enough = resolve));
  process.once('message', () => enough());
  process.once('disconnect', () => process.exit());
  const onJob = () => {
    if (begun++ === 0) firstAt = now();
    if (begun === Number(jobs)) enough();
  };
  const consumer = await CONSUME[name]({ databaseUrl, kind, onJob });
  await ending;
  await consumer.stop();
  const consumed: Consumed = { firstAt, stoppedAt: now() };
  process.send!(consumed, undefined, undefined, () => process.exit());
}

main().catch((error: unknown) => {
  process.stderr.write(`${String(error)}\n`, () => process.exit(1));
});
