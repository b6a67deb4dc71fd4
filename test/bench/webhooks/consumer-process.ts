import { once } from 'node:events';
import { consumeGraphile } from './consume-graphile';
import { consumeOurs } from './consume-ours';
import { consumePgBoss } from './consume-pg-boss';
import { type Consumer, type ContenderName, now } from './contender';

/** Runs one consumer in its own process: <contender> <database url>. Stops at any message, and tells its parent that it has stopped. */
const CONSUME: Record<ContenderName, (databaseUrl: string) => Consumer | Promise<Consumer>> = {
  ours: consumeOurs,
  'graphile-worker': consumeGraphile,
  'pg-boss': consumePgBoss,
};

/** The report of a consumer that has stopped and has stored every completion. */
export interface Consumed {
  stoppedAt: number;
}

async function main(): Promise<void> {
  const [name, databaseUrl] = process.argv.slice(2) as [ContenderName, string];
  process.once('disconnect', () => process.exit());
  const stopped = once(process, 'message');
  const consumer = await CONSUME[name](databaseUrl);
  await stopped;
  await consumer.stop();
  process.send!({ stoppedAt: now() } satisfies Consumed, undefined, undefined, () => process.exit());
}

main().catch((error: unknown) => {
  process.stderr.write(`${String(error)}\n`, () => process.exit(1));
});
