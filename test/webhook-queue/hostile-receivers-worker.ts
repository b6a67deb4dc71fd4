import { openDatabase } from '../../services/platform/database/database';
import { startFastWorker } from './queue-fixture';

/** Runs a worker in its own process, so that NODE_EXTRA_CA_CERTS can trust the test's authority. Argument: <database url>. */
startFastWorker(openDatabase(process.argv[2]!, { applicationName: 'hostile-receivers-worker' }), {
  retryScheduleSeconds: [0],
  attemptTimeoutMs: 3500,
  connectTimeoutMs: 3000,
});
