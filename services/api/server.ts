import { once } from 'node:events';
import { type Config, loadConfig } from '../platform/config';
import { reachServiceDatabase, type ServiceDatabase } from '../platform/service-database';
import { createLogger, type Logger } from '../platform/logger';
import { migrate } from '../platform/migrate';
import { measurePools } from '../platform/database/measure-waits';
import { loadSecrets, type Secrets } from '../platform/secrets';
import { onShutdown } from '../platform/shutdown';
import { openSharedStore } from '../platform/shared-store';
import { NO_LEASE, startChangeLease } from '../platform/change-lease/change-lease';
import { createApp, createServer } from './app';
import { startUseRecorder } from './credentials/record-use';
import { createAvailabilityCache } from './departures/availability-cache';
import { drain } from './drain';
import { createLoadShedder } from './http/load-shedding';
import { startMetricsServer } from '../platform/metrics-server';
import { rememberReads } from './remember-reads';
import { startSweeper } from './sweeper';

/** Ten seconds for the requests in flight (drain.ts), the rest for what is closed after them. */
const SHUTDOWN_MS = 15_000;
/** Longer than any statement of ours may take (database.ts). */
const ANSWER_TIMEOUT_MS = 15_000;
/** Its statements must not wait behind those of requests, nor for a server that hangs. */
const LEASE_POOL = {
  applicationName: 'api lease',
  poolMax: 1,
  connectTimeoutMs: 1_000,
  answerTimeoutMs: 1_000,
};

/** Config, connections, listen; on SIGTERM readiness first, then the requests in flight, then the connections. */
async function main(): Promise<void> {
  const config = loadConfig();
  const log = createLogger(config.logLevel, 'api');
  const secrets = await loadSecrets(config);
  const database = await reachServiceDatabase(config, log);
  try {
    await serve(config, log, secrets, database);
  } catch (error) {
    await database.close();
    throw error;
  }
}

async function serve(
  config: Config,
  log: Logger,
  secrets: Secrets,
  database: ServiceDatabase,
): Promise<void> {
  const pool = { applicationName: 'api', answerTimeoutMs: ANSWER_TIMEOUT_MS };
  const db = database.openPool({ ...pool, poolMax: 8 });
  const writes = database.openPool({ ...pool, poolMax: 16 });
  // An embedded database is this installation's own; with DATABASE_URL, `tourctl migrate` is a step of the roll-out.
  if (!config.databaseUrl) await migrate(database.openPool({ applicationName: 'api', poolMax: 2 }));

  const store = await openSharedStore(config, log);
  const availability = createAvailabilityCache(db, store.cache, log);
  const uses = startUseRecorder(db, log);
  const lease = config.remember
    ? startChangeLease(database.openPool(LEASE_POOL), log)
    : { ...NO_LEASE, stop: async () => {} };
  const reads = rememberReads(db, lease);
  const context = { config, secrets, ...reads, writes, log, quotas: store.quotas, uses, availability };
  const shedder = createLoadShedder();
  const app = createApp(context, shedder);
  const server = createServer(app);
  server.listen(config.apiPort, config.host);
  await once(server, 'listening');
  measurePools({ reads: db, writes });
  const metrics = await startMetricsServer(config.host, config.metricsPort);
  const sweeper = startSweeper(db, log);
  log.info({ host: config.host, port: config.apiPort }, 'listening');
  process.send?.({ ready: true });

  onShutdown(log, SHUTDOWN_MS, async () => {
    await drain(app, server, shedder);
    shedder.stop();
    await sweeper.stop();
    await uses.stop();
    await lease.stop();
    await metrics.stop();
    await store.close();
    await database.close();
  });
}

main().catch((error: unknown) => {
  process.stderr.write(`api: ${explainStart(error)}\n`, () => process.exit(1));
});

/** One line that says what to do. */
function explainStart(error: unknown): string {
  const { code, port, message } = error as NodeJS.ErrnoException & { port?: number };
  if (code === 'EADDRINUSE')
    return `Port ${port} is taken: stop what listens there, or set API_PORT or METRICS_PORT to another.`;
  return message;
}
