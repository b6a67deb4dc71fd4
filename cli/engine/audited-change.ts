import { hostname, userInfo } from 'node:os';
import { isDeepStrictEqual } from 'node:util';
import { recordChange } from '../../services/platform/audit-log';
import { type Db, inTransaction, type Trx } from '../../services/platform/database/database';
import type { PersonOfSession } from '../../services/platform/people/people.repository';
import { awaitUses } from '../../services/api/tenants/use-lock';
import { awaitInstances } from '../../services/platform/read-cache/instance.repository';
import { AppError } from '../../services/platform/errors';
import { isActorName } from '../../services/platform/forms/text-forms';
import { CancelledError, type Interruption, type Io } from '../terminal/io';
import type { Output } from '../terminal/output';

export interface Operator {
  /** The name that --actor or TOURCTL_ACTOR gives. Without such a name: the system user, or the user who called sudo. */
  name: string;
  /**
   * The name of the machine. If `name` is a given name, the system user stands before the machine (`root@7c1f`), so that the audit log
   * shows the account too.
   */
  host: string;
  /** True: the login of the database proves the name. */
  isPerson?: boolean;
}

export interface Audited {
  /** Noun and verb: `tenant.create`. */
  action: string;
  tenantId?: string;
  subject?: string;
}

export type Note = (before: unknown, after: unknown, found?: Omit<Audited, 'action'>) => void;

/** Runs a change and its audit row in one transaction. */
export type RunAudited = <T>(entry: Audited, work: (trx: Trx, note: Note) => Promise<T>) => Promise<T>;

/** The resources of an audited change. */
export interface ChangeResources {
  output: Output;
  interruption: Interruption;
  db: Db;
  operator: Operator;
}

/**
 * Runs a change and its audit row in one transaction, then waits until the change applies on every API instance. Delays Ctrl-C from COMMIT
 * on, so that the command still shows an issued secret and reports the change.
 */
export async function runAudited<T>(
  resources: ChangeResources,
  entry: Audited,
  work: (trx: Trx, note: Note) => Promise<T>,
): Promise<T> {
  try {
    const result = await commitAudited(resources, entry, work);
    await awaitInstances(resources.db);
    return result;
  } finally {
    resources.interruption.resume();
  }
}

/**
 * Runs a change and its audit row in one transaction. Delays Ctrl-C from COMMIT on: the caller waits until the change applies on every API
 * instance, then calls `resume`.
 */
export async function commitAudited<T>(
  { output, interruption, db, operator }: ChangeResources,
  entry: Audited,
  work: (trx: Trx, note: Note) => Promise<T>,
): Promise<T> {
  const result = await inTransaction(db, async (trx) => {
    const done = await workAndRecord(trx, operator, entry, work);
    interruption.defer();
    return done;
  });
  output.recordChange();
  return result;
}

/** A key, a tenant, or a part of the tours of a tenant, which a committed change has ended. */
export interface Ended {
  /** Id of the key or the tenant whose writes are waited for. */
  id: string;
  /** Names the thing that is refused now, such as `the key 4nL0pQ8sTzX2`. */
  subject: string;
  /** The command that waits again, if it is another one than this command. */
  again?: string;
}

/** Milliseconds. */
const WAIT_FOR_WRITES_MS = 5_000;

/**
 * Waits until no write of the key or tenant runs that began before the change, at most five seconds. Call it after `runAudited`, and after
 * the output of an issued secret. Ctrl-C ends the wait.
 * @throws WritesInFlightError; CancelledError, which says that the change was made
 */
export async function awaitWrites(
  { io, interruption, db }: Pick<ChangeResources, 'interruption' | 'db'> & { io: Pick<Io, 'interrupted'> },
  { id, subject, again }: Ended,
): Promise<void> {
  interruption.defer();
  try {
    const signal = io.interrupted;
    if (await awaitUses(db, id, { atMostMs: WAIT_FOR_WRITES_MS, signal })) return;
    const next = again ? `Run ${again}` : 'Repeat the command';
    if (signal?.aborted)
      throw new CancelledError(
        `Interrupted: ${subject} is refused already, but writes that began before may still run. ${next} to learn that they ended.`,
      );
    throw new WritesInFlightError(subject, next);
  } finally {
    interruption.resume();
  }
}

/** The change is made, but a write that began before it still runs. */
class WritesInFlightError extends AppError {
  readonly code = 'writes_in_flight';

  constructor(subject: string, next: string) {
    super(
      `${subject[0]!.toUpperCase()}${subject.slice(1)} is refused already, but writes that began before still run after five seconds. ${next} to learn that they ended.`,
    );
  }
}

async function workAndRecord<T>(
  trx: Trx,
  operator: Operator,
  entry: Audited,
  work: (trx: Trx, note: Note) => Promise<T>,
): Promise<T> {
  let noted: { before: unknown; after: unknown; found: Omit<Audited, 'action'> } | undefined;
  const result = await work(trx, (before, after, found = {}) => (noted = { before, after, found }));
  // The database refuses the transaction of a person without an audit row, also if its statements changed no row.
  if (noted && isDeepStrictEqual(noted.before, noted.after) && !operator.isPerson) return result;
  const { action, tenantId = null, subject = null } = { ...entry, ...noted?.found };
  const { name: actor, host } = operator;
  const [before, after] = [noted?.before, noted?.after];
  await recordChange(trx, { actor, host, action, tenantId, subject, before, after });
  return result;
}

/** @param given the name of --actor or TOURCTL_ACTOR, if any */
export function operatorOf(io: Io, given?: string): Operator {
  const user = userOf(io);
  if (given === undefined || given === user) return { name: user, host: hostname() };
  return { name: given, host: `${user}@${hostname()}` };
}

/** Returns a person whose login proves the name. The database writes the login, its own host and time into audit rows. */
export function operatorOfPerson({ login }: PersonOfSession): Operator {
  return { name: login, host: hostname(), isPerson: true };
}

function userOf({ env: { SUDO_USER: caller } }: Io): string {
  // Checks SUDO_USER, because any user can set this variable to escape sequences or a long text, which the audit log must not contain.
  if (caller !== undefined && isActorName(caller)) return caller;
  try {
    return userInfo().username;
  } catch {
    // Containers run under accounts without a name.
    return `uid ${process.geteuid?.() ?? 'unknown'}`;
  }
}
