import { setTimeout as sleep } from 'node:timers/promises';
import type { Db, Trx } from '../database/database';
import { AppError } from '../errors';

/** The key of the advisory lock of migrations. Any number, but the same for all processes that migrate a database. */
const MIGRATION_LOCK = 7_406_211_953;
const POLL_MS = 100;
/** The time after which a wait is reported, and the time between two reports. */
const REPORT_MS = 60_000;

/** Receives a line that says for what a migration waits. */
export type OnWait = (line: string) => void;

/**
 * Runs `work` while no other process migrates the database. Waits for the others. Uses a lock of the transaction: a lock of the session
 * would stay on the server connection of a transaction pooler. Each attempt has a transaction of its own. The process that holds the lock may
 * run CREATE INDEX CONCURRENTLY, which waits for each older transaction: a waiter that polls in one transaction and that process would wait
 * for each other for ever (observed).
 */
export async function withMigrationLock<T>(db: Db, onWait: OnWait, work: () => Promise<T>): Promise<T> {
  const report = createReport(onWait, () => findHolder(db));
  for (;;) {
    const result = await db.transaction(async (trx) =>
      (await tryLock(trx)) ? { value: await work() } : null,
    );
    if (result) return result.value;
    await report();
    await sleep(POLL_MS);
  }
}

/**
 * Takes the lock of migrations until the end of the caller's transaction.
 * @throws MigrationRunningError if another process has it
 */
export async function takeMigrationLock(trx: Trx): Promise<void> {
  if (!(await tryLock(trx))) throw new MigrationRunningError();
}

/** Another process migrates or restores this database. */
class MigrationRunningError extends AppError {
  readonly code = 'migration_running';

  constructor() {
    super('Another process migrates or restores this database: let it end, then try again.');
  }
}

/** Sends no bindings, so that the session holds no snapshot afterwards: the portal of a statement with bindings would keep one. */
async function tryLock(trx: Trx): Promise<boolean> {
  await trx.raw(`
    set transaction isolation level read committed;
    set local idle_in_transaction_session_timeout = 0`);
  const { rows } = await trx.raw<{ rows: [{ ok: boolean }] }>(
    `select pg_try_advisory_xact_lock(${MIGRATION_LOCK}) as ok`,
  );
  return rows[0].ok;
}

/**
 * Waits until no index of this database is being built. A killed migration leaves the server's process that builds an index running, and
 * a second build of the same index would fail.
 */
export async function awaitIndexBuilds(db: Db, onWait: OnWait): Promise<void> {
  const report = createReport(onWait, () => findIndexBuilder(db));
  while ((await findIndexBuilder(db)) !== undefined) {
    await report();
    await sleep(POLL_MS);
  }
}

/** Returns a function that reports, once in REPORT_MS, for which session a migration waits. */
function createReport(onWait: OnWait, findSession: () => Promise<Session | undefined>): () => Promise<void> {
  let next = performance.now() + REPORT_MS;
  return async () => {
    if (performance.now() < next) return;
    next = performance.now() + REPORT_MS;
    const session = await findSession();
    if (session) onWait(describeSession(session));
  };
}

interface Session {
  pid: number;
  application: string;
  client: string | null;
  /** Null: a session of another login. */
  since: Date | null;
  isBuilding: boolean;
}

function describeSession({ pid, application, client, since, isBuilding }: Session): string {
  const task = isBuilding ? 'builds an index' : 'migrates';
  const begun = since ? `, since ${since.toISOString()}` : '';
  return `Waiting for a session that ${task}: pid ${pid}, ${application}, from ${client ?? 'this machine'}${begun}`;
}

const SESSION = `a.pid, coalesce(nullif(a.application_name, ''), 'unnamed') as application, host(a.client_addr) as client`;

async function findHolder(db: Db): Promise<Session | undefined> {
  const { rows } = await db.raw<{ rows: Session[] }>(
    `select ${SESSION}, a.xact_start as since, false as is_building
     from pg_locks l join pg_stat_activity a on a.pid = l.pid
     where l.locktype = 'advisory' and l.granted and l.database = (select oid from pg_database where datname = current_database())
       and (l.classid::bigint << 32) + l.objid::bigint = ${MIGRATION_LOCK} and l.objsubid = 1`,
  );
  return rows[0];
}

async function findIndexBuilder(db: Db): Promise<Session | undefined> {
  const { rows } = await db.raw<{ rows: Session[] }>(
    `select ${SESSION}, a.query_start as since, true as is_building
     from pg_stat_progress_create_index p join pg_stat_activity a on a.pid = p.pid
     where p.datname = current_database() and p.pid <> pg_backend_pid()
     limit 1`,
  );
  return rows[0];
}
