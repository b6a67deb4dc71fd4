import { hostname, userInfo } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { recordChange } from '../../services/platform/audit-log';
import type { Config } from '../../services/platform/config';
import { ConfigError } from '../../services/platform/read-variable';
import type { Db, Trx } from '../../services/platform/database';
import type { Secrets } from '../../services/platform/secrets';
import { type Interruption, type Io, watchInterruption } from '../terminal/io';
import type { Output } from '../terminal/output';
import { askYesNo } from '../terminal/prompts';
import {
  isDatabaseLost,
  MigrationsPendingError,
  NotConfirmedError,
  SettingsError,
  UsageError,
} from './failure';
import { CONNECTION, greetDatabase, PROBE, whileAnswering } from './watch-database';

/** Resources of every command. */
export interface Basics {
  io: Io;
  output: Output;
}

/** Resources of a command that reads the configuration. */
export interface Terminal extends Basics {
  config: Config;
  /**
   * Returns when --yes is given or the person agrees.
   * @throws UsageError where there is neither; NotConfirmedError
   */
  confirm(question: string): Promise<void>;
}

/** Resources of a command that uses the database. */
export interface Context extends Terminal {
  db: Db;
  /**
   * Loads the named secrets on first use and compares them with the database's check values.
   * @throws ConfigError, SecretsError
   */
  secrets<Name extends keyof Secrets>(...needed: Name[]): Promise<Pick<Secrets, Name>>;
  /** The system user at this terminal, for audit rows and the monitoring page. */
  operator: Operator;
  /**
   * Runs a change and its audit row in one transaction. `note` records the state before and after, without secrets, and
   * the tenant and subject if only `work` knows them. If before equals after, no row is written.
   * Resolves when the change applies on every API instance, at most 1.5 seconds after COMMIT.
   */
  audited<T>(entry: Audited, work: (trx: Trx, note: Note) => Promise<T>): Promise<T>;
}

export interface Operator {
  /** System user, as logged in: behind sudo, the one who called it. */
  name: string;
  host: string;
}

export interface Audited {
  /** Noun and verb: `tenant.create`. */
  action: string;
  tenantId?: string;
  subject?: string;
}

export type Note = (before: unknown, after: unknown, found?: Omit<Audited, 'action'>) => void;

export function openTerminal(io: Io, output: Output, yes: boolean): Terminal {
  return { io, output, config: readConfig(io), confirm: (question) => confirm(io, output, yes, question) };
}

/** Opens the database for `work`, migrates an embedded one, and always closes everything again. */
export async function withContext<T>(
  terminal: Terminal,
  schema: 'up-to-date' | 'as-is',
  work: (context: Context) => Promise<T>,
): Promise<T> {
  const { openDatabase } =
    require('../../services/platform/database') as typeof import('../../services/platform/database');
  const { config, io, output } = terminal;
  const interruption = watchInterruption(io.interrupted);
  const server = await interruption.until(() => reachServer(terminal));
  // Opens two connections, because the migrator's lock occupies one.
  const db = openDatabase(server.url, { ...CONNECTION, poolMax: 2 });
  let lost = false;
  try {
    await interruption.until(() => greetDatabase(db));
    if (schema === 'up-to-date') await ensureSchema(db, config.databaseUrl === undefined, output);
    const operator = { name: operatorName(io), host: hostname() };
    const context: Context = {
      ...terminal,
      db,
      secrets: (...needed) => openSecretsFor(db, config, needed),
      operator,
      audited: (entry, change) =>
        applied(io, interruption, db, (beforeCommit) => audited(operator, db, entry, change, beforeCommit)),
    };
    const probe = () => openDatabase(server.url, PROBE);
    return await interruption.until(() => whileAnswering(probe, () => work(context)));
  } catch (error) {
    lost = isDatabaseLost(error);
    throw error;
  } finally {
    // After Ctrl-C destroy would wait for a running statement; closing the connection rolls it back.
    await (lost || io.interrupted?.aborted ? atMost(500, db.destroy()) : db.destroy());
    await server.leave();
  }
}

async function atMost(milliseconds: number, ending: Promise<unknown>): Promise<void> {
  const timer = new AbortController();
  const waited = sleep(milliseconds, undefined, { signal: timer.signal });
  await Promise.race([ending, waited]);
  timer.abort();
  await waited.catch(() => {});
}

function readConfig(io: Io): Config {
  const { loadConfig } =
    require('../../services/platform/config') as typeof import('../../services/platform/config');
  try {
    // Defaults to the installation's folder, not to the working directory.
    return loadConfig({ ...io.env, DATA_DIR: io.env.DATA_DIR || path.join(io.root, '.data') });
  } catch (error) {
    throw asSettingsError(error);
  }
}

function asSettingsError(error: unknown): unknown {
  return error instanceof ConfigError ? new SettingsError(error.message) : error;
}

async function reachServer({ config, output }: Terminal): Promise<{ url: string; leave(): Promise<void> }> {
  const url = config.databaseDirectUrl;
  if (config.databaseUrl && url) return { url, leave: () => Promise.resolve() };
  const { joinEmbeddedPostgres } =
    require('../../services/platform/embedded-postgres') as typeof import('../../services/platform/embedded-postgres');
  return joinEmbeddedPostgres(config.dataDir, { onNotice: (line) => output.note(line) });
}

async function ensureSchema(db: Db, ours: boolean, output: Output): Promise<void> {
  const { migrate, pendingMigrations } =
    require('../../services/platform/migrate') as typeof import('../../services/platform/migrate');
  const pending = await pendingMigrations(db);
  if (pending.length === 0) return;
  if (!ours) throw new MigrationsPendingError(pending);
  const ran = await migrate(db);
  output.note(`Brought the database up to date (${ran.length} migrations)`);
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

/** Delays Ctrl-C from COMMIT on, so that an issued secret is shown and the change is reported. */
async function applied<T>(
  io: Io,
  interruption: Interruption,
  db: Db,
  change: (beforeCommit: () => void) => Promise<T>,
): Promise<T> {
  const { awaitInstances } =
    require('../../services/platform/read-cache/await-instances') as typeof import('../../services/platform/read-cache/await-instances');
  try {
    const result = await change(() => interruption.defer());
    io.onResult?.('change');
    await awaitInstances(db);
    return result;
  } finally {
    interruption.heed();
  }
}

async function audited<T>(
  operator: Operator,
  db: Db,
  entry: Audited,
  work: (trx: Trx, note: Note) => Promise<T>,
  beforeCommit: () => void,
): Promise<T> {
  const { inTransaction } =
    require('../../services/platform/database') as typeof import('../../services/platform/database');
  return inTransaction(db, async (trx) => {
    let noted: { before: unknown; after: unknown; found: Omit<Audited, 'action'> } | undefined;
    const result = await work(trx, (before, after, found = {}) => (noted = { before, after, found }));
    const isChange = !noted || !isDeepStrictEqual(noted.before, noted.after);
    if (isChange) {
      const { action, tenantId = null, subject = null } = { ...entry, ...noted?.found };
      const { name: actor, host } = operator;
      const [before, after] = [noted?.before, noted?.after];
      await recordChange(trx, { actor, host, action, tenantId, subject, before, after });
    }
    beforeCommit();
    return result;
  });
}

function operatorName(io: Io): string {
  if (io.env.SUDO_USER) return io.env.SUDO_USER;
  try {
    return userInfo().username;
  } catch {
    // Containers run under accounts without a name.
    return `uid ${process.geteuid?.() ?? 'unknown'}`;
  }
}

async function confirm(io: Io, output: Output, yes: boolean, question: string): Promise<void> {
  if (yes) return;
  if (!io.isTTY || output.json) throw nobodyToAsk(question);
  if (!(await askYesNo(io, question))) throw new NotConfirmedError();
}

/** @param question the question that could not be asked, if data decides it */
export function nobodyToAsk(question?: string): UsageError {
  const asked = question === undefined ? '' : `: ${question}`;
  return new UsageError(`--yes is required where no question can be asked${asked}`);
}
