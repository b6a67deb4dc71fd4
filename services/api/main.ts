import { setTimeout as sleep } from 'node:timers/promises';
import { type Config, loadConfig } from '../platform/config/config';
import type { Db } from '../platform/database/database';
import { type Logger, createLogger } from '../platform/logger';
import { loadSecrets, verifySecrets, openSecrets } from '../platform/secrets';
import { READINESS_POOL, Readiness, requireUsable } from '../platform/readiness';
import {
  untilUsable,
  openServiceDatabase,
  type ServiceDatabase,
  onShutdown,
  runService,
} from '../platform/service';
import { requirePreparedStatements } from '../platform/database/prepared-support';
import { migrate } from '../platform/migrate/migrate';
import { exportCounters, measurePools } from '../platform/metrics';
import { openSharedStore } from '../platform/shared-store/shared-store';
import { NEVER_VALID, startReadCacheValidity } from '../platform/read-cache/read-cache';
import { createApp, createServer } from './app';
import { startUseRecorder } from './credentials/record-use';
import { drain } from './drain';
import { createLoadShedder } from './http/load-shedding';
import { listen } from '../platform/http/edge';
import { startMetricsServer } from '../platform/http/metrics-server';
import type { ApiSecrets } from './http/api-context';
import { createSalesContext } from './sales-context';
import { SALE_TRIAL } from './seats/try-sale';
import { startSweeper } from './sweeper';

/** The time limit of the shutdown. The requests in flight get ten seconds (drain.ts); closing the connections gets the other five. */
const SHUTDOWN_MS = 15_000;
/**
 * The longest wait for an answer of the database. It is longer than the wait for a lock (two seconds). The wait for a free connection has
 * the same limit.
 */
const ANSWER_TIMEOUT_MS = 5_000;
/**
 * The pool for the polls that keep the read cache valid. It is separate, so that the polls wait neither for requests nor for a hanging
 * server.
 */
const VALIDITY_POOL = {
  applicationName: 'api validity',
  poolMax: 1,
  connectTimeoutMs: 1_000,
  answerTimeoutMs: 1_000,
};

/** Starts the API. On SIGTERM, /readyz fails, the requests in flight end, and then the connections are closed. */
async function main(fail: (error: unknown) => void): Promise<void> {
  const config = loadConfig();
  const log = createLogger(config.logLevel, 'api');
  const database = await openServiceDatabase(config, log);
  try {
    await serve(config, log, database, fail);
  } catch (error) {
    await database.close();
    throw error;
  }
}

async function serve(
  config: Config,
  log: Logger,
  database: ServiceDatabase,
  fail: (error: unknown) => void,
): Promise<void> {
  const pool = { applicationName: 'api', answerTimeoutMs: ANSWER_TIMEOUT_MS };
  const db = database.openPool({ ...pool, poolMax: 4 });
  const reads = database.openPool({ ...pool, poolMax: 6 });
  const writes = database.openPool({ ...pool, poolMax: 16 });
  // Migrates only an embedded database, which belongs to this process. With DATABASE_URL, `tourctl migrate` is a step of the roll-out.
  if (!config.databaseUrl)
    await migrate(database.openPool({ applicationName: 'api', poolMax: 2 }), (line) => log.warn(line), true);
  const secrets = await openApiSecrets(db, config, log, fail);

  const store = await openSharedStore(config, log);
  const uses = startUseRecorder(db, log);
  const validity = config.remember
    ? startReadCacheValidity(database.openPool(VALIDITY_POOL), log)
    : { ...NEVER_VALID, stop: async () => {} };
  const probes = database.openPool({ applicationName: 'api readiness', ...READINESS_POOL });
  const readiness = new Readiness(probes, SALE_TRIAL, log);
  const context = createSalesContext({
    config,
    secrets,
    db,
    reads,
    writes,
    log,
    store,
    uses,
    validity,
    readiness,
  });
  const shedder = createLoadShedder();
  const app = createApp(context, shedder);
  const server = createServer(app);
  exportCounters();
  measurePools({ lookups: db, reads, writes });
  const metrics = await startMetricsServer(config.host, config.metricsPort);
  const sweeper = startSweeper(db, { ...context, holds: config.holds, answerDays: config.answerDays }, log);
  // Registers the shutdown before the port opens. A signal between the two would otherwise end the process without closing the database.
  onShutdown(log, SHUTDOWN_MS, async () => {
    await drain(app, server, shedder);
    shedder.stop();
    await sweeper.stop();
    await uses.stop();
    await validity.stop();
    await metrics.stop();
    await store.close();
    await database.close();
  });
  await listen(server, config.host, config.apiPort);
  log.info({ host: config.host, port: config.apiPort }, 'listening');
  process.send?.({ ready: true });
}

const NEEDED = ['cursorKey', 'keyPepper'] as const;
const FIRST_ANSWER_MS = 3000;

/**
 * Loads the secrets of the API and compares them with the check values in the database. If an external database lacks migrations or does
 * not answer within three seconds, the function returns anyway. The comparison is then repeated until it succeeds; until then, the
 * instance is not ready.
 * @param fail receives the error of a later comparison
 * @throws ConfigError, SecretsError
 */
async function openApiSecrets(
  db: Db,
  config: Config,
  log: Logger,
  fail: (error: unknown) => void,
): Promise<ApiSecrets> {
  if (!config.databaseUrl) return openSecrets(db, config, NEEDED);
  const secrets = await loadSecrets(config, NEEDED, () => Promise.resolve(false));
  const checked = untilUsable(log, async () => {
    await requireUsable(db, SALE_TRIAL);
    await requirePreparedStatements(config);
    await verifySecrets(db, config, secrets, NEEDED);
  });
  await Promise.race([checked, sleep(FIRST_ANSWER_MS)]);
  checked.catch(fail);
  return secrets;
}

runService('api', 'API_PORT or METRICS_PORT', main);
