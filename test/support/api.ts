import { randomBytes } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import type { Server } from 'node:http';
import supertest from 'supertest';
import type { Express } from 'express';
import { createApp, createServer } from '../../services/api/app';
import { createCachedReads } from '../../services/api/create-cached-reads';
import { startUseRecorder } from '../../services/api/credentials/record-use';
import { createAvailabilityCache } from '../../services/api/departures/availability-cache';
import { createDepartureQueue } from '../../services/api/departures/departure-queue';
import { createSingleFlight } from '../../services/api/idempotency/single-flight';
import { createRefusalLog } from '../../services/api/refusals/refusal-log';
import type { SalesContext } from '../../services/api/sales-context';
import { NEVER_VALID } from '../../services/platform/read-cache/validity';
import { type Config, loadConfig } from '../../services/platform/config';
import { createLogger } from '../../services/platform/logger';
import { openSharedStore } from '../../services/platform/shared-store';
import { createTestDatabase, type TestDatabase } from './database';
import { withDocumentedAnswers } from './documented-answers';
import { PEPPER } from './given';

export interface TestApi {
  app: Express;
  server: Server;
  /** http://127.0.0.1:port */
  baseUrl: string;
  context: SalesContext;
  database: TestDatabase;
  /** A request without a credential; its answer must be one that the OpenAPI document tells of. */
  http: ReturnType<typeof supertest>;
  stop(): Promise<void>;
}

/** The whole API on a database of its own, listening on a free port. Quotas are wide unless `quotas` says otherwise. */
export async function startTestApi(overrides: Partial<Config> = {}): Promise<TestApi> {
  const database = await createTestDatabase();
  const config: Config = {
    ...loadConfig({ PUBLIC_BASE_URL: 'https://api.example.test', LOG_LEVEL: 'error' }),
    quotas: { availability: 1e6, hold: 1e6, booking: 1e6, catalog: 1e6, widget: 1e6 },
    ...overrides,
  };
  const log = createLogger(config.logLevel, 'test');
  const secrets = {
    secretsKey: randomBytes(32).toString('hex'),
    cursorKey: randomBytes(32).toString('hex'),
    keyPepper: PEPPER,
  };
  const uses = startUseRecorder(database.db, log);
  const store = await openSharedStore(config, log);
  const availability = createAvailabilityCache(database.db, store.cache, log);
  const context = {
    config,
    secrets,
    // Tests write to the database behind the API's back, and the next request is to see it.
    ...createCachedReads(database.db, NEVER_VALID),
    writes: database.db,
    log,
    quotas: store.quotas,
    uses,
    availability,
    departureQueue: createDepartureQueue(),
    refusals: createRefusalLog(),
    singleFlight: createSingleFlight(),
  };
  const app = createApp(context);
  const server = createServer(app).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    app,
    server,
    baseUrl: `http://127.0.0.1:${port}`,
    context,
    database,
    http: withDocumentedAnswers(supertest(server)),
    stop: async () => {
      await uses.stop();
      await store.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await database.drop();
    },
  };
}
