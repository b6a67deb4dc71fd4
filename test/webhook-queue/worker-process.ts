import { openDatabase } from '../../services/platform/database/database';
import { startFastWorker } from './queue-fixture';

/** Runs a worker in its own process, so that a test can kill it: <database url> <lease in seconds>. */
const [url, leaseSeconds] = process.argv.slice(2);
const db = openDatabase(url!, { applicationName: 'worker-process' });
startFastWorker(db, { leaseSeconds: Number(leaseSeconds) });
