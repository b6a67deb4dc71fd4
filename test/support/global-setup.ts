import { execFileSync } from 'node:child_process';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openDatabase } from '../../services/platform/database/database';
import { startTemporaryPostgres } from './temporary-postgres';
import { migrate } from '../../services/platform/migrate/migrate';
import { databaseUrl, SERVER_URL, TEMPLATE } from './database';
import { LEFT_OUT } from './describe-with';

const TEMPLATE_NAME = 'template_of_this_run';
let stop: (() => Promise<void>) | undefined;

const ROOT = path.resolve(__dirname, '../..');

/** Starts a temporary PostgreSQL for the run. It has a migrated template, which every test file clones. */
export default async function globalSetup(): Promise<void> {
  // Tests start the compiled CLI and services.
  execFileSync(process.execPath, ['build.cjs', '--if-stale'], { cwd: ROOT, stdio: 'inherit' });
  const server = await startTemporaryPostgres();
  stop = () => server.stop();

  const maintenance = openDatabase(server.url, { applicationName: 'tests', poolMax: 1 });
  try {
    await maintenance.raw('create database ??', [TEMPLATE_NAME]);
    await migrateTemplate(databaseUrl(server.url, TEMPLATE_NAME));
    // A connection to the template makes every clone fail (55006).
    await maintenance.raw('alter database ?? allow_connections false', [TEMPLATE_NAME]);
  } finally {
    await maintenance.destroy();
  }

  // Jest's workers inherit only the environment of this process.
  process.env[SERVER_URL] = server.url;
  process.env[TEMPLATE] = TEMPLATE_NAME;
  process.env[LEFT_OUT] = path.join(await mkdtemp(path.join(tmpdir(), 'test-run-')), 'left-out');
}

export async function stopServer(): Promise<void> {
  await stop?.();
}

async function migrateTemplate(url: string): Promise<void> {
  const db = openDatabase(url, { applicationName: 'tests', poolMax: 2 });
  try {
    await migrate(db);
  } finally {
    await db.destroy();
  }
}
