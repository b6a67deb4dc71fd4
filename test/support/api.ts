import { randomBytes } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import type { Server } from 'node:http';
import supertest from 'supertest';
import type { Express } from 'express';
import { createApp, createServer } from '../../services/api/app';
import { startUseRecorder } from '../../services/api/credentials/record-use';
import { createLoadShedder } from '../../services/api/http/load-shedding';
import type { ChangedSeats } from '../../services/api/octo/changed-seats';
import { SALE_TRIAL } from '../../services/api/seats/try-sale';
import { createSalesContext, type SalesContext } from '../../services/api/sales-context';
import { NEVER_VALID } from '../../services/platform/read-cache/read-cache';
import { type Config, loadConfig } from '../../services/platform/config/config';
import { type Db, openDatabase } from '../../services/platform/database/database';
import { createLogger } from '../../services/platform/logger';
import { Readiness } from '../../services/platform/readiness';
import { openSharedStore } from '../../services/platform/shared-store/shared-store';
import type { StoreTiming } from '../../services/platform/shared-store/store-guard';
import { createTestDatabase, type TestDatabase } from './database';
import { urlAs } from './database-roles';
import { withDocumentedAnswers } from './documented-answers';
import { PEPPER } from './given';
import { preparedBeforeAll } from './prepared';

export interface TestApi {
  app: Express;
  server: Server;
  /** http://127.0.0.1:port */
  baseUrl: string;
  context: SalesContext;
  /** The departures whose seats have changed. The sweeper does not run in a test. */
  seats: ChangedSeats;
  database: TestDatabase;
  /** The connections of the test. The API has other connections, with the rights of its role: `context.db`. */
  db: Db;
  /** A client without a credential. The test fails if the OpenAPI document does not describe an answer. */
  http: ReturnType<typeof supertest>;
  stop(): Promise<void>;
}

/** Starts the API before the tests of a file or block, and stops it after them. See startTestApi. */
export function useTestApi(overrides: Partial<Config> = {}): TestApi {
  const api = preparedBeforeAll(() => startTestApi(overrides));
  // A start that failed leaves nothing to stop.
  afterAll(() => api.stop?.());
  return api;
}

/** Starts the complete API on its own database and a free port. Quotas are at their maximum unless `quotas` limits them. */
export async function startTestApi(
  overrides: Partial<Config> & { timing?: StoreTiming } = {},
): Promise<TestApi> {
  const database = await createTestDatabase();
  // The API has only the rights of its role. `db` of the test has the rights of the database's owner.
  const db = openDatabase(urlAs('tour_platform_api', database.url), { applicationName: 'tests', poolMax: 8 });
  const config = {
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
  const uses = startUseRecorder(db, log);
  const store = await openSharedStore(config, log);
  // Turns the read cache off, because tests write to the database directly and the next request must read the change.
  const validity = NEVER_VALID;
  // Checks at each request, because tests change the database between two requests.
  const readiness = new Readiness(db, SALE_TRIAL, log, 0);
  const context = createSalesContext({
    config,
    secrets,
    db,
    reads: db,
    writes: db,
    log,
    store,
    uses,
    validity,
    readiness,
  });
  // The API has the event loop of the test, whose modules and checks can keep it for over a second on a loaded machine.
  const shedder = createLoadShedder(Infinity);
  const app = createApp(context, shedder);
  const server = createServer(app).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    app,
    server,
    baseUrl: `http://127.0.0.1:${port}`,
    context,
    seats: context.seats,
    database,
    db: database.db,
    http: withDocumentedAnswers(supertest(server)),
    stop: async () => {
      shedder.stop();
      await uses.stop();
      await store.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await db.destroy();
      await database.drop();
    },
  };
}
