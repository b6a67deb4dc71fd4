import { setTimeout as sleep } from 'node:timers/promises';
import PgBoss from 'pg-boss';
import { Agent } from 'undici';
import { CONCURRENCY, type Consumer, type Job } from './contender';
import { post } from './post';

/** Number of loops that fetch and complete jobs. They are faster than `work()`, which polls at most twice a second. */
const LOOPS = 4;
const BATCH = 200;
const POLL_MS = 20;
export const PG_BOSS_QUEUE = 'deliver';

export async function consumePgBoss(databaseUrl: string): Promise<Consumer> {
  const boss = openPgBoss(databaseUrl);
  await boss.start();
  const agent = new Agent();
  let stopping = false;
  const work = ({ data }: PgBoss.Job<Job>) => post(agent, data);
  const loop = async (): Promise<void> => {
    while (!stopping) {
      const jobs = await boss.fetch<Job>(PG_BOSS_QUEUE, { batchSize: BATCH });
      if (jobs.length === 0) {
        await sleep(POLL_MS);
        continue;
      }
      await all(jobs, CONCURRENCY / LOOPS, work);
      await boss.complete(
        PG_BOSS_QUEUE,
        jobs.map(({ id }) => id),
      );
    }
  };
  const loops = Promise.all(Array.from({ length: LOOPS }, loop));
  return {
    stop: async () => {
      stopping = true;
      await loops;
      await boss.stop({ graceful: false, wait: false });
      await agent.destroy();
    },
  };
}

export async function preparePgBoss(databaseUrl: string): Promise<void> {
  const boss = openPgBoss(databaseUrl);
  await boss.start();
  await boss.createQueue(PG_BOSS_QUEUE);
  await boss.stop({ graceful: false, wait: true });
}

/** Turns off the maintenance and the cron of pg-boss, because both would slow it down. */
function openPgBoss(connectionString: string): PgBoss {
  const boss = new PgBoss({ connectionString, max: 8, supervise: false, schedule: false });
  boss.on('error', (error) => process.stderr.write(`pg-boss: ${error.message}\n`));
  return boss;
}

async function all<T>(items: T[], atOnce: number, work: (item: T) => Promise<void>): Promise<void> {
  let next = 0;
  const runner = async () => {
    for (let item = items[next++]; item !== undefined; item = items[next++]) await work(item);
  };
  await Promise.all(Array.from({ length: atOnce }, runner));
}
