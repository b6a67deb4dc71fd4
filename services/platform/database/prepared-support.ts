import { type Db, inTransaction, openDatabase, runPrepared, type Trx } from './database';
import { AppError, isSilent, sqlState } from '../errors';

/** SQLSTATEs of a server session that lacks a prepared statement, or that has it from another client. */
const MIXED_UP = ['26000', '42P05'];
/** Longer than a statement of this check takes. */
const ANSWER_MS = 2_000;

/**
 * Tries prepared statements through the pooler of DATABASE_URL, if PREPARED_STATEMENTS is on. A transaction pooler that does not know them
 * gives a transaction to a session that lacks its statement, or has the statement of another client.
 * @throws PreparedStatementsError, and the errors of a database that is away
 */
export async function requirePreparedStatements({
  databaseUrl,
  preparedStatements,
}: {
  databaseUrl: string | undefined;
  preparedStatements: boolean;
}): Promise<void> {
  if (!databaseUrl || !preparedStatements) return;
  const open = () =>
    openDatabase(databaseUrl, {
      applicationName: 'prepared-statements',
      poolMax: 1,
      answerTimeoutMs: ANSWER_MS,
      canPrepare: true,
    });
  const [first, second, third] = [open(), open(), open()];
  try {
    await tryOut(first, second, third);
  } catch (error) {
    if (MIXED_UP.includes(sqlState(error) ?? '')) throw new PreparedStatementsError();
    throw error;
  } finally {
    await Promise.all([first, second, third].map((db) => db.destroy()));
  }
}

/** Runs one statement in transactions of three clients, so that the pooler changes their sessions. Each client has one connection. */
async function tryOut(first: Db, second: Db, third: Db): Promise<void> {
  await inTransaction(first, runStatement);
  // Takes the session that the first client has just used, and keeps it while the first client runs the statement again.
  await inTransaction(second, async (trx) => {
    await runStatement(trx);
    await inTransaction(first, runStatement).catch(acceptSilence);
  });
  await inTransaction(third, runStatement);
}

async function runStatement(trx: Trx): Promise<void> {
  await runPrepared(trx, 'select 1 as one', {});
}

/** A pooler with a single session lets the first client wait for the second one. */
function acceptSilence(error: unknown): void {
  if (!isSilent(error)) throw error;
}

class PreparedStatementsError extends AppError {
  readonly code = 'prepared_statements_unsupported';

  constructor() {
    super(
      'PREPARED_STATEMENTS is on, but the pooler of DATABASE_URL mixes up prepared statements: set PREPARED_STATEMENTS=off, or give the ' +
        'pooler support for them (PgBouncer 1.21 or later with max_prepared_statements above 0).',
    );
  }
}
