import { requirePreparedStatements } from '../platform/database/prepared-support';
import { register } from 'prom-client';
import { loadConfig, type Config } from '../platform/config/config';
import type { Db } from '../platform/database/database';
import { createLogger, type Logger } from '../platform/logger';
import { startMetricsServer } from '../platform/http/metrics-server';
import { openSecrets } from '../platform/secrets';
import { READINESS_POOL, Readiness, requireUsable } from '../platform/readiness';
import { openServiceDatabase, untilUsable, onShutdown, runService } from '../platform/service';
import { opensSealed } from './endpoints/endpoint-secrets';
import { registerDatabaseGauges } from './metrics/database-metrics';
import { createQueueMetrics, registerQueueGauges } from './metrics/queue-metrics';
import { startQueueServer } from './queue-server';
import { DELIVERY_TRIAL } from './try-delivery';
import { startWorker } from './worker/worker';

const SHUTDOWN_MS = 10_000;

/** Stop functions of everything that runs; called in reverse order. */
type Stops = (() => Promise<unknown>)[];

async function main(): Promise<void> {
  const config = loadConfig();
  const log = createLogger(config.logLevel, 'webhook-queue');
  const stops: Stops = [];
  let stopping = false;
  const started = start(config, log, stops, () => stopping);
  onShutdown(log, SHUTDOWN_MS, async () => {
    stopping = true;
    await started.catch(() => undefined);
    await stopAll(stops);
  });
  try {
    await started;
  } catch (error) {
    await stopAll(stops);
    throw error;
  }
}

async function start(config: Config, log: Logger, stops: Stops, stopping: () => boolean): Promise<void> {
  let whyNotReady: () => Promise<string | undefined> = () =>
    Promise.resolve('the database is not connected yet');
  const { host, webhookQueuePort: port, trustProxy } = config;
  const server = await startQueueServer({ host, port, trustProxy, log, whyNotReady: () => whyNotReady() });
  stops.push(() => server.close());
  const metrics = await startMetricsServer(host, config.metricsPort + 1);
  stops.push(() => metrics.stop());
  const database = await openServiceDatabase(config, log);
  stops.push(() => database.close());
  const db = database.openPool({
    applicationName: 'webhook-queue',
    poolMax: 8,
    // Is shorter than the lease, so that time is left to record a result.
    answerTimeoutMs: 12_000,
  });
  const probes = database.openPool({ applicationName: 'webhook-queue readiness', ...READINESS_POOL });
  const readiness = new Readiness(probes, DELIVERY_TRIAL, log);
  whyNotReady = () => readiness.whyNot();
  const secretsKey = await openSecretsKey(db, config, log, stopping);
  if (secretsKey === undefined) return;

  registerQueueGauges(db);
  registerDatabaseGauges(db, config.databaseStandbys);
  const worker = startWorker({
    db,
    log,
    metrics: createQueueMetrics(register),
    secretsKey,
    ...config.webhooks,
  });
  stops.push(() => worker.stop());
  const pages = database.openPool({
    applicationName: 'webhook-monitor',
    poolMax: 4,
    answerTimeoutMs: 10_000,
  });
  stops.push(server.openMonitor({ db: pages, secretsKey }));
  log.info({ url: server.url }, 'ready');
  process.send?.({ ready: true, url: server.url });
}

async function stopAll(stops: Stops): Promise<void> {
  for (let stop = stops.pop(); stop; stop = stops.pop()) await stop();
}

/**
 * Waits until another process has migrated the database, then checks SECRETS_KEY.
 * @returns undefined if the process is told to stop meanwhile
 */
async function openSecretsKey(
  db: Db,
  config: Config,
  log: Logger,
  stopping: () => boolean,
): Promise<string | undefined> {
  let secretsKey: string | undefined;
  const open = async () => {
    await requireUsable(db, DELIVERY_TRIAL);
    await requirePreparedStatements(config);
    ({ secretsKey } = await openSecrets(db, config, ['secretsKey'], opensSealed));
  };
  await untilUsable(log, open, stopping);
  return secretsKey;
}

runService('webhook-queue', 'WEBHOOK_QUEUE_PORT or METRICS_PORT', main);
