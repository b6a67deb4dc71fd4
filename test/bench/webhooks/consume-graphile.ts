import { Logger, run, runMigrations } from 'graphile-worker';
import { Agent } from 'undici';
import { CONCURRENCY, type Consumer, type Job } from './contender';
import { post } from './post';

const POLL_MS = 500;
/** Uses the settings that Graphile Worker's documentation recommends for throughput: 200 jobs per fetch, and results in batches. */
const BATCHED = { localQueue: { size: 200 }, completeJobBatchDelay: 0, failJobBatchDelay: 0 };
const logger = new Logger(() => () => undefined);

export async function consumeGraphile(databaseUrl: string): Promise<Consumer> {
  const agent = new Agent();
  const runner = await run({
    connectionString: databaseUrl,
    concurrency: CONCURRENCY,
    maxPoolSize: 8,
    noHandleSignals: true,
    pollInterval: POLL_MS,
    logger,
    preset: { worker: BATCHED },
    taskList: {
      deliver: (payload) => post(agent, payload as Job),
    },
  });
  return {
    stop: async () => {
      await runner.stop();
      await agent.destroy();
    },
  };
}

export function prepareGraphile(databaseUrl: string): Promise<void> {
  return runMigrations({ connectionString: databaseUrl, logger });
}
