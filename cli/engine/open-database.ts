import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../../services/platform/config';
import type { Db } from '../../services/platform/database';
import type { Secrets } from '../../services/platform/secrets';
import { watchInterruption } from '../terminal/io';
import { countOf } from '../terminal/text';
import type { Output } from '../terminal/output';
import type { DatabaseUse } from './command';
import { describeError, isDatabaseLost, MigrationsPendingError } from './failure';
import { CONNECTION, greetDatabase, PROBE, whileAnswering } from './watch-database';
import { operatorOf, runAudited } from './audited-change';
import { asSettingsError, type Context, type Terminal } from './context';

/**
 * Opens the database for `work`, migrates an embedded one, and always closes everything again.
 * @param words the values of the command line, in which an error finds the unknown name
 * @throws NoInstallationError where there is no embedded database and the command does not create it
 */
export async function withContext<T>(
  terminal: Terminal,
  { schema = 'up-to-date', creates = false }: DatabaseUse,
  work: (context: Context) => Promise<T>,
  words: readonly string[] = [],
): Promise<T> {
  const { openDatabase } =
    require('../../services/platform/database') as typeof import('../../services/platform/database');
  const { config, io, output } = terminal;
  const interruption = watchInterruption(io.interrupted);
  const server = await interruption.until(() => reachServer(terminal, creates));
  // Opens two connections, because the migrator's lock occupies one.
  const db = openDatabase(server.url, { ...CONNECTION, poolMax: 2 });
  let lost = false;
  try {
    await interruption.until(() => greetDatabase(db));
    if (schema === 'up-to-date') await ensureSchema(db, config.databaseUrl === undefined, output);
    const operator = operatorOf(io, terminal.actor ?? config.actor);
    const context: Context = {
      ...terminal,
      db,
      secrets: (...needed) => openSecretsFor(db, config, needed),
      operator,
      audited: (entry, work) => runAudited({ io, interruption, db, operator }, entry, work),
    };
    const probe = () => openDatabase(server.url, PROBE);
    return await interruption.until(() => whileAnswering(probe, () => work(context)));
  } catch (error) {
    lost = isDatabaseLost(error);
    await addSuggestions(db, error, words);
    throw error;
  } finally {
    // After Ctrl-C destroy would wait for a running statement; closing the connection rolls it back.
    await (lost || io.interrupted?.aborted ? atMost(500, db.destroy()) : db.destroy());
    await server.leave();
  }
}

/** @param words the values of the command line */
async function addSuggestions(db: Db, error: unknown, words: readonly string[]): Promise<void> {
  if (!/_not_found$/.test(describeError(error).code)) return;
  const suggest = (require('./suggest-names') as typeof import('./suggest-names')).suggestNames;
  // The first error says what is wrong, also where the names cannot be read.
  await suggest(db, error, words).catch(() => undefined);
}

async function atMost(milliseconds: number, ending: Promise<unknown>): Promise<void> {
  const timer = new AbortController();
  const waited = sleep(milliseconds, undefined, { signal: timer.signal });
  await Promise.race([ending, waited]);
  timer.abort();
  await waited.catch(() => {});
}

async function reachServer(
  { config, output }: Terminal,
  creates: boolean,
): Promise<{ url: string; leave(): Promise<void> }> {
  const url = config.databaseDirectUrl;
  if (config.databaseUrl && url) return { url, leave: () => Promise.resolve() };
  const { joinEmbeddedPostgres } =
    require('../../services/platform/embedded-postgres') as typeof import('../../services/platform/embedded-postgres');
  return joinEmbeddedPostgres(config.dataDir, { onNotice: (line) => output.note(line), creates });
}

async function ensureSchema(db: Db, ours: boolean, output: Output): Promise<void> {
  const { migrate, pendingMigrations } =
    require('../../services/platform/migrate') as typeof import('../../services/platform/migrate');
  const pending = await pendingMigrations(db);
  if (pending.length === 0) return;
  if (!ours) throw new MigrationsPendingError(pending);
  const ran = await migrate(db);
  output.note(`Brought the database up to date (${countOf(ran.length, 'migration')})`);
}

async function openSecretsFor<Name extends keyof Secrets>(
  db: Db,
  config: Config,
  needed: Name[],
): Promise<Pick<Secrets, Name>> {
  const { openSecrets } =
    require('../../services/platform/secrets/check-secrets') as typeof import('../../services/platform/secrets/check-secrets');
  const { opensSealed } =
    require('../../services/webhook-queue/endpoints/endpoint-secrets') as typeof import('../../services/webhook-queue/endpoints/endpoint-secrets');
  try {
    return await openSecrets(db, config, needed, opensSealed);
  } catch (error) {
    throw asSettingsError(error);
  }
}
