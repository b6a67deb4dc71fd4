import { openDatabase } from '../../services/platform/database';
import { hurriedWorker } from './queue-fixture';

/** A worker in a process of its own, which can be made to trust an authority of the test: <database url>. */
hurriedWorker(openDatabase(process.argv[2]!, { applicationName: 'zoo-worker' }), {
  retryScheduleSeconds: [0],
  attemptTimeoutMs: 1500,
  connectTimeoutMs: 1000,
});
