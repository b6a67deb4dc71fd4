import { openDatabase } from '../../../services/platform/database/database';
import { createLogger } from '../../../services/platform/logger';
import type { GuardedAgent } from '../../../services/webhook-queue/sending/guarded-agent';
import { startWorker } from '../../../services/webhook-queue/worker/worker';
import { CONCURRENCY, type Consumer, type Consumption } from './contender';
import { SECRETS_KEY } from './our-queue';

/** Runs the unchanged worker of the service, which signs each body and records each attempt. */
export function consumeOurs({ databaseUrl, kind, onJob }: Consumption): Consumer {
  const db = openDatabase(databaseUrl, { applicationName: 'bench-ours', poolMax: 8, canPrepare: true });
  const worker = startWorker({
    db,
    log: createLogger('silent', 'bench'),
    secretsKey: SECRETS_KEY,
    retryScheduleSeconds: [0, 5, 60],
    allowPrivateTargets: true,
    slots: CONCURRENCY,
    agent: kind === 'no-op' ? answerAtOnce(onJob) : undefined,
  });
  return {
    stop: async () => {
      await worker.stop();
      await db.destroy();
    },
  };
}

/** Replaces the HTTP client by a 204 without a socket, to measure everything except the network. */
function answerAtOnce(onJob: () => void): GuardedAgent {
  const answer = { statusCode: 204, headers: {}, body: Buffer.alloc(0) };
  return {
    post: async () => {
      onJob();
      return answer;
    },
    destroy: async () => undefined,
  };
}
