import { type Db, inTransaction, type Trx } from './database/database';
import { findWriteObstacle } from './database/write-obstacle';
import { databaseReason, isDatabaseAway, LOCK_NOT_AVAILABLE, READ_ONLY, sqlState } from './errors';
import type { Logger } from './logger';
import { laterMigrations, pendingMigrations } from './migrate/migrate';

/** A reason why a service cannot use the database. /readyz answers it. */
export type Unusable =
  | 'database does not answer'
  | 'database is read-only'
  | 'migrations pending'
  | 'schema of a later release'
  | 'schema does not fit this release'
  | 'login may not write'
  | 'database disk is full'
  | 'database refuses writes';

/** The database answers, but a service cannot work with it. The message names the next step, or has the server's reason. */
export class UnusableDatabaseError extends Error {
  constructor(
    readonly reason: Unusable,
    message: string,
  ) {
    super(message);
  }
}

/** The statements of a service, run for no row. */
export interface Trial {
  /** As in TransactionOptions. */
  settings?: string;
  run(trx: Trx): Promise<void>;
}

/**
 * Checks that a service can work with the database. It may write now, the schema is that of this release, and the statements of the service
 * run. /readyz, the starts of the services and `tourctl doctor` use this check alone.
 * @throws UnusableDatabaseError, and the errors of a database that is away
 */
export async function requireUsable(db: Db, trial: Trial): Promise<void> {
  await requireWritable(db);
  const { length } = await pendingMigrations(db);
  if (length > 0)
    throw new UnusableDatabaseError(
      'migrations pending',
      `${length} ${length === 1 ? 'migration is' : 'migrations are'} missing: run tourctl migrate`,
    );
  const { breaking } = await laterMigrations(db);
  if (breaking.length > 0)
    throw new UnusableDatabaseError(
      'schema of a later release',
      `the database has migrations of a later release, from ${breaking[0]} on: run that release`,
    );
  await tryOut(db, trial);
}

/** Asks each time, because a pooler may have connected this process to a standby. @throws as requireUsable */
async function requireWritable(db: Db): Promise<void> {
  const obstacle = await findWriteObstacle(db);
  if (obstacle)
    throw new UnusableDatabaseError('database is read-only', `the database refuses writes: ${obstacle}`);
}

/** Ends the transaction of a trial. */
const ROLLED_BACK = new Error('the trial has succeeded');
/** The longest wait for a lock. A trial that waits for one has no finding: a sale would wait too, and then succeed. */
const LOCK_MS = 500;

/** Runs the statements of a service in a transaction, and rolls it back. Takes no lock that a sale waits for. */
async function tryOut(db: Db, { run, settings }: Trial): Promise<void> {
  try {
    await inTransaction(
      db,
      async (trx) => {
        await run(trx);
        await requireSpace(trx);
        throw ROLLED_BACK;
      },
      { lockBy: performance.now() + LOCK_MS, settings },
    );
  } catch (error) {
    if (error !== ROLLED_BACK) throwFinding(error);
  }
}

/**
 * Writes 240 KB into a temporary file of the server, on the disk of the database's tables. A row would not do: it may find space in a page
 * that exists, and a row that is rolled back remains until vacuum.
 */
async function requireSpace(trx: Trx): Promise<void> {
  await trx.raw(
    `set local work_mem = '64kB'; set local temp_tablespaces = ''; select count(*) from generate_series(1, 10000)`,
  );
}

const DISK_FULL = '53100';
/** SQLSTATE of a limit that the operator has set for temporary files. Sales write none. */
const FILE_LIMIT = '53400';
const NO_RIGHT = '42501';
/** SQLSTATEs of a table, column, function or type that the schema lacks. */
const OTHER_SCHEMA = ['42P01', '42703', '42883', '42704'];

const FINDINGS: Record<string, [reason: Unusable, words: string]> = {
  [DISK_FULL]: ['database disk is full', 'the disk of the database server is full'],
  [NO_RIGHT]: [
    'login may not write',
    'the login lacks a right (docs/run-many.md has the rights of each login)',
  ],
  [READ_ONLY]: ['database is read-only', 'the database refuses writes'],
  ...Object.fromEntries(
    OTHER_SCHEMA.map((state) => [
      state,
      ['schema does not fit this release', 'the schema is of another release'],
    ]),
  ),
};

/** Throws the reason of a failed trial in plain words. @throws UnusableDatabaseError, and the errors of a database that is away */
function throwFinding(error: unknown): void {
  if (error instanceof UnusableDatabaseError) throw error;
  const state = sqlState(error);
  if (state === LOCK_NOT_AVAILABLE || state === FILE_LIMIT) return;
  if (state === undefined) throw error;
  const found = FINDINGS[state];
  if (!found && isDatabaseAway(error)) throw error;
  const [reason, words] = found ?? [
    'database refuses writes',
    `the database refuses a sale (SQLSTATE ${state})`,
  ];
  throw new UnusableDatabaseError(reason, `${words}: ${databaseReason(error)}`);
}

/** Limits the time of a check, because a pooler keeps a statement waiting while its server is lost. */
const ANSWER_MS = 2000;
/** Balancers ask every few seconds, and everyone may ask: a result is repeated for this time. */
const FRESH_MS = 1000;

/** The pool of a Readiness: one connection, so that a check waits neither for requests nor in front of them. */
export const READINESS_POOL = { poolMax: 1, connectTimeoutMs: ANSWER_MS, answerTimeoutMs: ANSWER_MS };

/**
 * Answers /readyz: one check runs at a time, and the next one begins a second after it. Between them, each answer still asks whether the
 * server accepts writes, because it may be lost meanwhile. Logs the reason when it changes.
 */
export class Readiness {
  private checked: Promise<Unusable | undefined> | undefined;
  /** The question between two checks, while it runs. */
  private asked: Promise<Unusable | undefined> | undefined;
  /** The time, on the clock of performance.now(), until which `checked` is given again. */
  private freshUntil = 0;
  private logged: Unusable | undefined;

  /** @param freshMs the time for which a result is given again */
  constructor(
    private readonly db: Db,
    private readonly trial: Trial,
    private readonly log: Logger,
    private readonly freshMs = FRESH_MS,
  ) {}

  /** Returns within two seconds why the service cannot use the database. Undefined: it can. Never rejects. */
  async whyNot(): Promise<Unusable | undefined> {
    if (!this.checked || performance.now() >= this.freshUntil) {
      this.freshUntil = Infinity;
      this.checked = this.check();
      return this.checked;
    }
    const isRunning = this.freshUntil === Infinity;
    const reason = await this.checked;
    if (reason || isRunning) return reason;
    this.asked ??= this.ask();
    return this.asked;
  }

  private async check(): Promise<Unusable | undefined> {
    const reason = await this.reasonOf(requireUsable(this.db, this.trial));
    this.freshUntil = performance.now() + this.freshMs;
    return reason;
  }

  private async ask(): Promise<Unusable | undefined> {
    const reason = await this.reasonOf(requireWritable(this.db));
    // Makes the next request check all again.
    if (reason) this.freshUntil = 0;
    this.asked = undefined;
    return reason;
  }

  private async reasonOf(work: Promise<void>): Promise<Unusable | undefined> {
    let timer: NodeJS.Timeout | undefined;
    const silence = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`no answer within ${ANSWER_MS} ms`)), ANSWER_MS);
    });
    try {
      await Promise.race([work, silence]);
      this.report(undefined, '');
      return undefined;
    } catch (error) {
      work.catch(() => undefined);
      const reason = reasonOf(error);
      this.report(reason, databaseReason(error));
      return reason;
    } finally {
      clearTimeout(timer);
    }
  }

  private report(reason: Unusable | undefined, detail: string): void {
    if (reason === this.logged) return;
    this.logged = reason;
    if (reason) this.log.warn({ reason, detail }, 'not ready');
    else this.log.info('ready again');
  }
}

function reasonOf(error: unknown): Unusable {
  if (error instanceof UnusableDatabaseError) return error.reason;
  return sqlState(error) === READ_ONLY ? 'database is read-only' : 'database does not answer';
}
