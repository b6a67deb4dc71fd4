import { hostname, userInfo } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { recordChange } from '../services/platform/audit-log';
import type { Config } from '../services/platform/config';
import type { Db, Trx } from '../services/platform/database';
import type { Secrets } from '../services/platform/secrets';
import { type Interruption, watchInterruption } from './interruption';
import type { Io } from './io';
import type { Output } from './output';
import { askYesNo } from './prompts';
import { isDatabaseLost } from './failure';
import { MigrationsPendingError, NotConfirmedError, SettingsError } from './refusals';
import { UsageError } from './usage-error';
import { CONNECTION, greetDatabase, PROBE, whileAnswering } from './watch-database';

/** What every command has. */
export interface Basics {
  io: Io;
  output: Output;
}

/** What a command has that heeds the settings. */
export interface Terminal extends Basics {
  config: Config;
  /**
   * Lets --yes or the person agree.
   * @throws UsageError where there is neither; NotConfirmedError
   */
  confirm(question: string): Promise<void>;
}

/** What a command has that works on the database. */
export interface Context extends Terminal {
  db: Db;
  secrets: Secrets;
  /** Who sits at this terminal: in audit rows, and on the monitoring page. */
  operator: Operator;
  /**
   * Runs a change and its audit row in one transaction. `note` says how the thing was and is, without secrets, and what
   * only the work knows: the tenant, the subject. Equal before and after is no change, and leaves no row.
   * Resolves when every instance of the API obeys the change, a second and a half after COMMIT at the latest.
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

/** Opens the database for `work`, brings an embedded one up to date, and closes everything again, come what may. */
export async function withContext<T>(
  terminal: Terminal,
  schema: 'up-to-date' | 'as-is',
  work: (context: Context) => Promise<T>,
): Promise<T> {
  const { openDatabase } =
    require('../services/platform/database') as typeof import('../services/platform/database');
  const { loadSecrets } =
    require('../services/platform/secrets') as typeof import('../services/platform/secrets');
  const { config, io, output } = terminal;
  const interruption = watchInterruption(io.interrupted);
  const server = await interruption.until(() => reachServer(terminal));
  // Two connections: the migrator's lock keeps one of them.
  const db = openDatabase(server.url, { ...CONNECTION, poolMax: 2 });
  let lost = false;
  try {
    await interruption.until(() => greetDatabase(db));
    if (schema === 'up-to-date') await ensureSchema(db, config.databaseUrl === undefined, output);
    const secrets = await loadSecrets(config);
    const operator = { name: operatorName(io), host: hostname() };
    const context: Context = {
      ...terminal,
      db,
      secrets,
      operator,
      audited: (entry, change) =>
        obeyed(io, interruption, db, (beforeCommit) => audited(operator, db, entry, change, beforeCommit)),
    };
    const probe = () => openDatabase(server.url, PROBE);
    return await interruption.until(() => whileAnswering(probe, () => work(context)));
  } catch (error) {
    lost = isDatabaseLost(error);
    throw error;
  } finally {
    // After Ctrl-C a statement may still run, and destroy waits for it; the connection's end rolls it back as well.
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
    require('../services/platform/config') as typeof import('../services/platform/config');
  try {
    // Unset, it belongs to the installation, not to the directory that tourctl was called in.
    return loadConfig({ ...io.env, DATA_DIR: io.env.DATA_DIR || path.join(io.root, '.data') });
  } catch (error) {
    throw error instanceof Error && error.name === 'ConfigError' ? new SettingsError(error.message) : error;
  }
}

async function reachServer({ config, output }: Terminal): Promise<{ url: string; leave(): Promise<void> }> {
  const url = config.databaseDirectUrl;
  if (config.databaseUrl && url) return { url, leave: () => Promise.resolve() };
  const { joinEmbeddedPostgres } =
    require('../services/platform/embedded-postgres') as typeof import('../services/platform/embedded-postgres');
  return joinEmbeddedPostgres(config.dataDir, { onNotice: (line) => output.note(line) });
}

async function ensureSchema(db: Db, ours: boolean, output: Output): Promise<void> {
  const { migrate, pendingMigrations } =
    require('../services/platform/migrate') as typeof import('../services/platform/migrate');
  const pending = await pendingMigrations(db);
  if (pending.length === 0) return;
  if (!ours) throw new MigrationsPendingError(pending);
  const ran = await migrate(db);
  output.note(`Brought the database up to date (${ran.length} migrations)`);
}

/** From COMMIT on Ctrl-C waits: a secret that was issued is shown, and who asked hears that the change is made. */
async function obeyed<T>(
  io: Io,
  interruption: Interruption,
  db: Db,
  change: (beforeCommit: () => void) => Promise<T>,
): Promise<T> {
  const { untilInstancesObey } =
    require('../services/platform/change-lease/await-instances') as typeof import('../services/platform/change-lease/await-instances');
  try {
    const result = await change(() => interruption.defer());
    io.onNews?.('change');
    await untilInstancesObey(db);
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
    require('../services/platform/database') as typeof import('../services/platform/database');
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
    // An account without a name, as containers have.
    return `uid ${process.geteuid?.() ?? 'unknown'}`;
  }
}

async function confirm(io: Io, output: Output, yes: boolean, question: string): Promise<void> {
  if (yes) return;
  if (!io.isTTY || output.json) throw nobodyToAsk();
  if (!(await askYesNo(io, question))) throw new NotConfirmedError();
}

export function nobodyToAsk(): UsageError {
  return new UsageError('--yes must be given where nobody can be asked');
}
