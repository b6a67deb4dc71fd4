import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { verifySecrets } from '../../services/platform/secrets';
import { loadConfig } from '../../services/platform/config/config';
import { useTestDatabase } from '../support/database';
import { freePorts } from '../support/free-ports';
import { SERVICE_ENTRY } from '../support/service-entry';

/** Ends a service that starts although it must not. On a loaded machine, a start took over 20 s. */
const START_MS = 100_000;
const [KEY, OTHER] = ['k'.repeat(32), 'o'.repeat(32)];
const GIVEN = { SECRETS_KEY: KEY, CURSOR_KEY: KEY, KEY_PEPPER: KEY };
const database = useTestDatabase();

beforeAll(async () => {
  const config = loadConfig({ DATABASE_URL: database.url, ...GIVEN });
  await verifySecrets(database.db, config, config.secrets, ['secretsKey', 'keyPepper']);
});

describe('a service on an external database', () => {
  it.each([
    ['api', 'KEY_PEPPER', OTHER],
    ['api', 'KEY_PEPPER', ''],
    ['api', 'SECRETS_KEY', OTHER],
    ['webhook-queue', 'SECRETS_KEY', OTHER],
  ] as const)(
    '%s refuses to start with a changed %s (%j), in a message of one line',
    async (service, name, value) => {
      const [code, complaint] = await start(service, { ...GIVEN, [name]: value });
      expect(code).toBe(1);
      expect(complaint).toMatch(
        new RegExp(
          `^[a-z-]+: ${name} is not the one that this database was used with: [^\\n]*Set ${name} to [^\\n]*\\n$`,
        ),
      );
    },
    START_MS + 20_000,
  );
});

async function start(
  service: keyof typeof SERVICE_ENTRY,
  env: Record<string, string>,
): Promise<[number | null, string]> {
  const [api, queue, metrics] = await freePorts();
  const ports = { API_PORT: `${api}`, WEBHOOK_QUEUE_PORT: `${queue}`, METRICS_PORT: `${metrics}` };
  const child = spawn(process.execPath, [SERVICE_ENTRY[service]], {
    cwd: path.resolve(__dirname, '../..'),
    env: { PATH: process.env.PATH, LOG_LEVEL: 'silent', DATABASE_URL: database.url, ...ports, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
    timeout: START_MS,
  });
  let complaint = '';
  child.stderr.on('data', (chunk: Buffer) => (complaint += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  return [code, complaint];
}
