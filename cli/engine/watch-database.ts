import { setTimeout as sleep } from 'node:timers/promises';
import type { DatabaseOptions, Db } from '../../services/platform/database';
import { AppError, sqlState } from '../../services/platform/errors';
import { CHECK_DATABASE } from './failure';

/** Time-out for a server or network that does not answer. */
const ANSWER_MS = 5000;
/** Most commands end earlier and open no second connection. */
const EVERY_MS = 5000;

/** Connection of the commands. */
export const CONNECTION: DatabaseOptions = { applicationName: 'tourctl', connectTimeoutMs: ANSWER_MS };
/** Connection of the liveness probe. */
export const PROBE: DatabaseOptions = { ...CONNECTION, poolMax: 1, answerTimeoutMs: ANSWER_MS };

/** Signals that the server does not answer; the missing answer may be that of COMMIT. */
class DatabaseSilentError extends AppError {
  readonly code = 'database_unreachable';

  constructor(begun: boolean) {
    const next = begun ? 'tourctl audit list shows whether the change was made' : CHECK_DATABASE;
    super(`The database does not answer within five seconds: ${next}`);
  }
}

/** Sends the first statement to a server. @throws DatabaseSilentError, and the errors of the connection */
export async function greetDatabase(db: Db): Promise<void> {
  const timer = new AbortController();
  try {
    const silence = sleep(ANSWER_MS, undefined, { signal: timer.signal });
    const answered = await Promise.race([db.raw('select 1').then(() => true), silence]);
    if (!answered) throw new DatabaseSilentError(false);
  } finally {
    timer.abort();
  }
}

/**
 * Runs `work` until it ends or the server stops answering. A statement may take long, so no time-out can detect that: another
 * connection asks every five seconds.
 * @throws DatabaseSilentError
 */
export async function whileAnswering<T>(openProbe: () => Db, work: () => Promise<T>): Promise<T> {
  let probe: Db | undefined;
  let timer: NodeJS.Timeout | undefined;
  let ended = false;
  const silence = new Promise<never>((_, reject) => {
    const ask = async () => {
      probe ??= openProbe();
      if (await isSilent(probe)) reject(new DatabaseSilentError(true));
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

/** Returns false if the server answers, also with an error. */
async function isSilent(db: Db): Promise<boolean> {
  try {
    await db.raw('select 1');
    return false;
  } catch (error) {
    return sqlState(error) === undefined;
  }
}
