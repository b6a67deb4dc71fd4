import { openDatabase } from '../../../services/platform/database/database';
import { createLogger } from '../../../services/platform/logger';
import { startWorker } from '../../../services/webhook-queue/worker/worker';
import { CONCURRENCY, type Consumer } from './contender';
import { SECRETS_KEY } from './our-queue';

/** Runs the unchanged worker of the service, which signs each body and records each attempt. */
export function consumeOurs(databaseUrl: string): Consumer {
  const db = openDatabase(databaseUrl, { applicationName: 'bench-ours', poolMax: 8, canPrepare: true });
  const worker = startWorker({
    db,
    log: createLogger('silent', 'bench'),
    secretsKey: SECRETS_KEY,
    retryScheduleSeconds: [0, 5, 60],
    allowPrivateTargets: true,
    slots: CONCURRENCY,
  });
  return {
    stop: async () => {
      await worker.stop();
      await db.destroy();
    },
  };
}
