import { setTimeout as sleep } from 'node:timers/promises';
import { findContinents } from '../../services/api/catalog/known-continents';
import { findSimilarNames, type NameKind } from '../../services/api/health/known-names.repository';
import { findPickupPoints } from '../../services/api/pickups/pickup-point.repository';
import type { Config } from '../../services/platform/config/config';
import { type DatabaseOptions, type Db, openDatabase } from '../../services/platform/database/database';
import {
  hasDatabase,
  joinEmbeddedPostgres,
} from '../../services/platform/embedded-postgres/embedded-postgres';
import { AppError, sqlState } from '../../services/platform/errors';
import {
  personOf,
  ROLES_OF_SESSION,
  type RolesOfSession,
} from '../../services/platform/people/people.repository';
import { seesCustomers } from '../../services/platform/people/tasks';
import { migrate, pendingMigrations, refuseLaterSchema } from '../../services/platform/migrate/migrate';
import { type Secrets, openSecrets } from '../../services/platform/secrets';
import { findDeliveries } from '../../services/webhook-queue/deliveries/find-deliveries';
import { opensSealed } from '../../services/webhook-queue/endpoints/endpoint-secrets';
import { listEndpoints } from '../../services/webhook-queue/endpoints/endpoint.repository';
import { awaitWrites, operatorOf, operatorOfPerson, runAudited } from './audited-change';
import { runAuditedSeries } from './audited-series';
import { asSettingsError, type AuditedContext, type DatabaseUse, type Terminal } from './context';
import { CHECK_DATABASE, isDatabaseLost, MigrationsPendingError, NoInstallationError } from './failure';
import { didYouMean, nearest } from './nearest';
import { hidingOutput } from './hide-customers';
import { refuseCommand } from './people-rights';
import { watchInterruption } from '../terminal/io';
import type { Output } from '../terminal/output';
import { countOf } from '../terminal/text';

/**
 * Opens the database for `work`, migrates an embedded database, and closes all connections at the end.
 * @param words the values of the command line; an error about an unknown name suggests names that resemble one of them
 * @throws NoInstallationError if there is no embedded database and the command does not create it
 */
export async function withContext<T>(
  terminal: Terminal,
  { schema = 'up-to-date', creates = false }: DatabaseUse,
  work: (context: AuditedContext) => Promise<T>,
  words: readonly string[] = [],
): Promise<T> {
  const { config, io } = terminal;
  const interruption = watchInterruption(io.interrupted);
  const server = await interruption.until(() => reachServer(terminal, creates));
  // Allows two connections, because the migrator's lock occupies one.
  const db = openDatabase(server.url, { ...CONNECTION, poolMax: 2 });
  let lost = false;
  try {
    const session = await interruption.until(() => greetDatabase(db));
    const { person, operator, output } = identify(terminal, session);
    if (schema === 'up-to-date') await ensureSchema(db, config.databaseUrl === undefined, output);
    const resources = { io, output, interruption, db, operator };
    const context: AuditedContext = {
      ...terminal,
      output,
      db,
      person,
      secrets: (...needed) => openSecretsFor(db, config, needed),
      operator,
      audited: (entry, work) => runAudited(resources, entry, work),
      auditedSeries: (items, change) => runAuditedSeries(resources, items, change),
      awaitWrites: (ended) => awaitWrites(resources, ended),
    };
    const probe = () => openDatabase(server.url, PROBE);
    return await interruption.until(() => whileAnswering(probe, () => work(context)));
  } catch (error) {
    lost = isDatabaseLost(error);
    // Throws the first error even if the names for a suggestion cannot be read.
    await suggestNames(db, error, words).catch(() => undefined);
    throw error;
  } finally {
    // After Ctrl-C, waits at most half a second for destroy(), which waits for a running statement. The server rolls back when the
    // connection closes.
    await (lost || io.interrupted?.aborted ? atMost(500, db.destroy()) : db.destroy());
    await server.leave();
  }
}

/**
 * Returns who acts, and the output for that login.
 * @throws NotAllowedError if the roles of the person do not allow the command
 */
function identify(
  { actor, command, config, io, output }: Terminal,
  session: RolesOfSession,
): Pick<AuditedContext, 'person' | 'operator' | 'output'> {
  const person = personOf(session);
  if (!person) return { operator: operatorOf(io, actor ?? config.actor), output };
  if (command !== undefined) refuseCommand(person, command);
  if (config.actor !== undefined)
    output.warn(`TOURCTL_ACTOR is ignored: the login ${person.login} proves who acts`);
  return {
    person,
    operator: operatorOfPerson(person),
    output: seesCustomers(person.roles) ? output : hidingOutput(output),
  };
}

async function atMost(milliseconds: number, ending: Promise<unknown>): Promise<void> {
  const timer = new AbortController();
  const waited = sleep(milliseconds, undefined, { signal: timer.signal });
  await Promise.race([ending, waited]);
  timer.abort();
  await waited.catch(() => {});
}

async function reachServer(
  { config, io, output }: Terminal,
  creates: boolean,
): Promise<{ url: string; leave(): Promise<void> }> {
  const url = config.databaseDirectUrl;
  if (config.databaseUrl && url) return { url, leave: () => Promise.resolve() };
  if (!creates && !hasDatabase(config.dataDir)) throw new NoInstallationError(config.dataDir, io);
  return joinEmbeddedPostgres(config.dataDir, { onNotice: (line) => output.note(line) });
}

async function ensureSchema(db: Db, ours: boolean, output: Output): Promise<void> {
  const pending = await pendingMigrations(db);
  if (pending.length === 0) return refuseLaterSchema(db);
  if (!ours) throw new MigrationsPendingError(pending);
  const ran = await migrate(db, (line) => output.warn(line), true);
  output.note(`Brought the database up to date (${countOf(ran.length, 'migration')})`);
}

async function openSecretsFor<Name extends keyof Secrets>(
  db: Db,
  config: Config,
  needed: Name[],
): Promise<Pick<Secrets, Name>> {
  try {
    return await openSecrets(db, config, needed, opensSealed);
  } catch (error) {
    throw asSettingsError(error);
  }
}

/** Time-out for a server or network that does not answer. */
const ANSWER_MS = 5000;
/** Interval of the liveness probe. Most commands end earlier, so they never open the probe's connection. */
const EVERY_MS = 5000;

/** Connection of the commands. */
const CONNECTION: DatabaseOptions = { applicationName: 'tourctl', connectTimeoutMs: ANSWER_MS };
/** Connection of the liveness probe. */
const PROBE: DatabaseOptions = { ...CONNECTION, poolMax: 1, answerTimeoutMs: ANSWER_MS };

/** Signals that the server does not answer. If the statement was COMMIT, it is unknown whether the change was committed. */
class DatabaseSilentError extends AppError {
  readonly code = 'database_unreachable';

  constructor(begun: boolean) {
    const next = begun ? 'tourctl audit list shows whether the change was made' : CHECK_DATABASE;
    super(`The database does not answer within five seconds: ${next}`);
  }
}

/** The pause before the second try. A server that restarts, or whose standby takes over, often answers after it. */
const RETRY_MS = 1000;

/** Sends the first statement to a server, and once more if it does not answer. @throws DatabaseSilentError, and the errors of the connection */
async function greetDatabase(db: Db): Promise<RolesOfSession> {
  try {
    return await askOnce(db);
  } catch (error) {
    if (!isDatabaseLost(error) || sqlState(error) === UNKNOWN_DATABASE) throw error;
    await sleep(RETRY_MS);
    return askOnce(db);
  }
}

/** The SQLSTATE of a database that the server does not have. It refuses it again. */
const UNKNOWN_DATABASE = '3D000';

async function askOnce(db: Db): Promise<RolesOfSession> {
  const timer = new AbortController();
  try {
    const silence = sleep(ANSWER_MS, undefined, { signal: timer.signal });
    const answer = await Promise.race([db.raw<{ rows: [RolesOfSession] }>(ROLES_OF_SESSION), silence]);
    if (!answer) throw new DatabaseSilentError(false);
    return answer.rows[0];
  } finally {
    timer.abort();
  }
}

/**
 * Runs `work` until it ends or the server stops answering. A statement may take long, so a time-out cannot detect a silent server. Instead,
 * a query on another connection tests the server every five seconds.
 * @throws DatabaseSilentError
 */
async function whileAnswering<T>(openProbe: () => Db, work: () => Promise<T>): Promise<T> {
  let probe: Db | undefined;
  let timer: NodeJS.Timeout | undefined;
  let ended = false;
  const silence = new Promise<never>((_, reject) => {
    const ask = async () => {
      probe ??= openProbe();
      if ((await isSilent(probe)) && (await isSilentAgain(probe))) reject(new DatabaseSilentError(true));
      else if (!ended) wait();
    };
    const wait = () => (timer = setTimeout(() => void ask(), EVERY_MS).unref());
    wait();
  });
  try {
    return await Promise.race([work(), silence]);
  } finally {
    ended = true;
    clearTimeout(timer);
    void probe?.destroy();
  }
}

async function isSilentAgain(db: Db): Promise<boolean> {
  await sleep(RETRY_MS);
  return isSilent(db);
}

/** Returns false if the server answers, also with an error. */
async function isSilent(db: Db): Promise<boolean> {
  try {
    await db.raw('select 1');
    return false;
  } catch (error) {
    return sqlState(error) === undefined;
  }
}

/** Finds names that a person may have meant by the typed name. */
type FindNames = (db: Db, typed: string) => Promise<string[]>;

const similar =
  (kind: NameKind): FindNames =>
  (db, typed) =>
    findSimilarNames(db, kind, typed);

/** Maximum number of deliveries whose ids are compared with a typed id, the newest first. There may be millions of deliveries. */
const DELIVERIES_COMPARED = 1000;

/** Maximum number of pickup points whose codes are compared with a typed code. */
const POINTS_COMPARED = 20_000;

/** Functions that find the existing names, by the code of the error about an unknown name. */
const UNKNOWN: Record<string, FindNames> = {
  tenant_not_found: similar('tenant'),
  tour_not_found: similar('tour'),
  resource_not_found: similar('resource'),
  pickup_point_not_found: async (db) =>
    (await findPickupPoints(db, { limit: POINTS_COMPARED })).map(({ code }) => code),
  continent_not_found: findContinents,
  api_key_not_found: similar('apiKey'),
  widget_token_not_found: similar('widgetToken'),
  hold_not_found: similar('hold'),
  booking_not_found: similar('booking'),
  delivery_not_found: async (db) => (await findDeliveries(db, {}, DELIVERIES_COMPARED)).map(({ id }) => id),
  endpoint_not_found: async (db) => (await listEndpoints(db)).map(({ id }) => id),
};

const SUGGESTED_MAX = 3;

/**
 * Adds the nearest names to the message of an error about an unknown name.
 * @param words the values of the command line; one of them is the unknown name
 */
async function suggestNames(db: Db, error: unknown, words: readonly string[]): Promise<void> {
  const findNames = error instanceof AppError ? UNKNOWN[error.code] : undefined;
  if (!findNames) return;
  // Leaves out the empty text, because every name contains it.
  for (const word of words.filter((text) => text !== '')) {
    const names = await findNames(db, word);
    if (names.includes(word)) continue;
    const near = nearest(word, names);
    const meant = near.length > 0 ? near : names.filter((name) => name.includes(word));
    if (meant.length === 0) continue;
    (error as AppError).message += didYouMean(meant.slice(0, SUGGESTED_MAX));
    return;
  }
}
