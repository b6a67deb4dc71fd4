import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from './database';
import { databaseReason, isDatabaseAway, READ_ONLY, sqlState } from './errors';
import type { Logger } from './logger';
import { pendingMigrations } from './migrate';

/** A reason of /readyz. */
type Unusable = 'database does not answer' | 'database is read-only' | 'migrations pending';

/** The database answers, and a service cannot work with it. */
class UnusableDatabaseError extends Error {
  constructor(
    readonly reason: Unusable,
    message: string,
  ) {
    super(message);
  }
}

/** @throws UnusableDatabaseError, and the errors of a database that is away */
export async function requireUsable(db: Db): Promise<void> {
  // A pooler may have connected this process to a standby.
  const { rows } = await db.raw<{ rows: { standby: boolean }[] }>('select pg_is_in_recovery() as standby');
  if (rows[0]!.standby)
    throw new UnusableDatabaseError('database is read-only', 'the database is a standby, which is read-only');
  const { length } = await pendingMigrations(db);
  if (length > 0)
    throw new UnusableDatabaseError(
      'migrations pending',
      `${length} ${length === 1 ? 'migration is' : 'migrations are'} missing: run tourctl migrate`,
    );
}

/** Time limit of a check: a pooler lets a statement wait for a lost server. */
const ANSWER_MS = 2000;

/** Returns within two seconds why a service cannot work with the database; undefined: it can. Never rejects. */
export async function whyUnusable(db: Db): Promise<Unusable | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<Unusable>((resolve) => {
    timer = setTimeout(() => resolve('database does not answer'), ANSWER_MS);
  });
  const answer = requireUsable(db).then(() => undefined, reasonOf);
  return Promise.race([answer, silence]).finally(() => clearTimeout(timer));
}

function reasonOf(error: unknown): Unusable {
  if (error instanceof UnusableDatabaseError) return error.reason;
  return sqlState(error) === READ_ONLY ? 'database is read-only' : 'database does not answer';
}

const PAUSE_MS = 1000;

/**
 * Repeats `work` until the database executes it, and logs why it waits. Never gives up while the database is away, refuses, is read-only
 * or lacks migrations.
 * @param isStopping ends the wait
 * @throws the errors of `work` that do not come from the database
 */
export async function untilUsable(
  log: Logger,
  work: () => Promise<void>,
  isStopping: () => boolean = () => false,
): Promise<void> {
  for (let logged = ''; !isStopping(); await sleep(PAUSE_MS)) {
    try {
      return await work();
    } catch (error) {
      if (!isOfDatabase(error)) throw error;
      const reason = databaseReason(error);
      if (reason !== logged) log.warn({ reason }, 'waiting for the database');
      logged = reason;
    }
  }
}

function isOfDatabase(error: unknown): boolean {
  return error instanceof UnusableDatabaseError || isDatabaseAway(error) || sqlState(error) !== undefined;
}
