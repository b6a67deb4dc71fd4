import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createTestDatabase, SERVER_URL, type TestDatabase } from '../support/database';
import { describeWith } from '../support/describe-with';
import { eventually } from '../webhook-queue/queue-fixture';
import { killChildren } from './child';
import { lowPorts } from './low-ports';
import { startPgBouncer } from './pgbouncer';
import { launchService, type ServiceCommand, startInstance } from './service';

const REFUSED = /PREPARED_STATEMENTS is on, but the pooler of DATABASE_URL mixes up prepared statements: set/;
const POOLER = 'pgbouncer';
/** PgBouncer knows prepared statements from 1.21 on, and only there accepts the setting. */
const VERSION = /PgBouncer (\d+)\.(\d+)/.exec(
  spawnSync(POOLER, ['--version'], { encoding: 'utf8' }).stdout ?? '',
);
const isNew = VERSION !== null && Number(VERSION[1]) * 100 + Number(VERSION[2]) >= 121;
const UNAWARE = isNew ? ['max_prepared_statements = 0'] : [];
const ONE_SESSION = ['default_pool_size = 1', 'max_db_connections = 1'];

describeWith(POOLER, 'a service with PREPARED_STATEMENTS=on behind PgBouncer', () => {
  let dir: string;
  let database: TestDatabase;
  beforeAll(async () => {
    dir = mkdtempSync(path.join(tmpdir(), 'test-prepared-'));
    chmodSync(dir, 0o755);
    database = await createTestDatabase();
  });
  afterAll(async () => {
    await killChildren();
    await database.drop();
    rmSync(dir, { recursive: true, force: true });
  });

  async function commandFor(
    service: ServiceCommand['service'],
    settings?: string[],
  ): Promise<ServiceCommand> {
    const [pooler, port, metrics] = (await lowPorts(4)) as [number, number, number];
    const folder = path.join(dir, `${pooler}`);
    const { url } = settings
      ? await startPgBouncer(folder, pooler, process.env[SERVER_URL]!, settings)
      : { url: (direct: string) => direct };
    const env = {
      DATABASE_URL: url(database.url),
      DATABASE_DIRECT_URL: database.url,
      PREPARED_STATEMENTS: 'on',
      METRICS_PORT: `${metrics}`,
      SECRETS_KEY: 's'.repeat(32),
      CURSOR_KEY: 'c'.repeat(32),
    };
    return { service, dir, port, env };
  }

  it.each([
    ['api', UNAWARE],
    ['api', [...UNAWARE, 'server_round_robin = 1']],
    ['api', [...UNAWARE, ...ONE_SESSION]],
    ['webhook-queue', UNAWARE],
  ] as const)(
    '%s ends its start and names the variable if the pooler does not know prepared statements: %j',
    async (service, settings) => {
      const child = launchService(await commandFor(service, [...settings]));
      await eventually('the end', () => (child.isRunning() ? undefined : true));
      expect(await child.stop()).toBe(1);
      expect(child.log()).toMatch(REFUSED);
    },
  );

  const known = isNew
    ? [['max_prepared_statements = 200'], ['max_prepared_statements = 200', ...ONE_SESSION]]
    : [];
  it.each([undefined, ...known])(
    'a service starts without a pooler, and if the pooler knows prepared statements: %j',
    async (settings) => {
      for (const service of ['api', 'webhook-queue'] as const) {
        const { port, env } = await commandFor(service, settings);
        const instance = await startInstance(service, dir, port, env);
        expect(await instance.stop()).toBe(0);
      }
    },
  );
});
