import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { loadConfig } from '../platform/config';
import { ConfigError } from '../platform/config-error';
import { openServiceDatabase } from '../platform/service-database';
import { createLogger } from '../platform/logger';
import { migrate } from '../platform/migrate';
import { loadSecrets } from '../platform/secrets';
import { onShutdown } from '../platform/shutdown';
import { createMemoryCacheStore } from '../platform/cache-store';
import { createMemoryQuotaStore } from '../platform/quota-store';
import { createApp, createServer } from './app';
import { startUseRecorder } from './credentials/record-use';
import { createAvailabilityCache } from './departures/availability-cache';
import { createLoadShedder } from './http/load-shedding';
import { startMetricsServer } from '../platform/metrics-server';
import { startSweeper } from './sweeper';

const DRAIN_MS = 10_000;

/** Config, connections, listen; on SIGTERM readiness first, then the requests in flight, then the connections. */
async function main(): Promise<void> {
  const config = loadConfig();
  const log = createLogger(config.logLevel, 'api');
  const secrets = await loadSecrets(config);
  const database = await openServiceDatabase(config, log, { applicationName: 'api' });
  const { db } = database;
  // An embedded database is this installation's own; with DATABASE_URL, `tourctl migrate` is a step of the roll-out.
  if (!config.databaseUrl) await migrate(db);

  const availability = createAvailabilityCache(db, createMemoryCacheStore(), log);
  const uses = startUseRecorder(db, log);
  const context = { config, secrets, db, log, quotas: createMemoryQuotaStore(), uses, availability };
  const shedder = createLoadShedder();
  const app = createApp(context, shedder);
  const server = createServer(app);
  server.listen(config.apiPort, config.host);
  await once(server, 'listening');
  const metrics = await startMetricsServer(config.host, config.metricsPort);
  const sweeper = startSweeper(db, log);
  const { port } = server.address() as AddressInfo;
  log.info({ host: config.host, port }, 'listening');
  process.send?.({ ready: true });

  onShutdown(log, DRAIN_MS + 5_000, async () => {
    app.locals.stopping = true;
    shedder.shutDown();
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeIdleConnections();
    const cut = setTimeout(() => server.closeAllConnections(), DRAIN_MS);
    await closed;
    clearTimeout(cut);
    shedder.stop();
    await sweeper.stop();
    await uses.stop();
    await metrics.stop();
    await database.close();
  });
}

main().catch((error: unknown) => {
  process.stderr.write(`${startError(error)}\n`);
  process.exitCode = 1;
  process.disconnect?.();
});

function startError(error: unknown): string {
  if (error instanceof ConfigError) return error.message;
  const { code, port, message } = error as NodeJS.ErrnoException & { port?: number };
  if (code === 'EADDRINUSE')
    return `Port ${port} is taken: stop what listens there, or set API_PORT or METRICS_PORT`;
  return `The API could not start: ${message}`;
}
