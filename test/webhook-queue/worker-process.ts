import { openDatabase } from '../../services/platform/database';
import { hurriedWorker } from './queue-fixture';

/** A worker in a process of its own, to be killed: <database url> <lease in seconds>. */
const [url, leaseSeconds] = process.argv.slice(2);
const db = openDatabase(url!, { applicationName: 'worker-process' });
hurriedWorker(db, { leaseSeconds: Number(leaseSeconds) });
