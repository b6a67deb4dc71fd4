import { openDatabase } from '../../services/platform/database/database';
import { createLogger } from '../../services/platform/logger';
import { startWorker } from '../../services/webhook-queue/worker/worker';
import { SECRETS_KEY } from '../webhook-queue/queue-fixture';
import { ATTEMPT_MS, CHAOS_BREAKER, LEASE_SECONDS, SCHEDULE } from './rules';

/** Runs a worker in its own process, so that a test can kill it: <database url>. */
startWorker({
  db: openDatabase(process.argv[2]!, { applicationName: 'chaos-worker', poolMax: 8 }),
  log: createLogger('warn', 'webhook-queue'),
  secretsKey: SECRETS_KEY,
  retryScheduleSeconds: SCHEDULE,
  allowPrivateTargets: true,
  leaseSeconds: LEASE_SECONDS,
  attemptTimeoutMs: ATTEMPT_MS,
  breaker: CHAOS_BREAKER,
});
process.send!('ready');
process.once('disconnect', () => process.exit());
