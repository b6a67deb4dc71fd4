import { AppError, sqlState } from '../services/platform/errors';
import type { Output } from './output';
import { CancelledError } from './prompts';
import { UsageError } from './usage-error';

/** Exit codes of CONTRACT section 6; 130 is what a shell expects of Ctrl-C. */
export const EXIT = { done: 0, refused: 1, usage: 2, interrupted: 130 } as const;

/** Says on stderr what went wrong, and answers with the exit code. */
export function fail(error: unknown, output: Output, path: string): number {
  if (error instanceof CancelledError) {
    output.error('interrupted', error.message || 'Interrupted');
    return EXIT.interrupted;
  }
  if (error instanceof UsageError) return usage(error.message, output, path);
  if (isCommanderError(error)) {
    return error.exitCode === 0 ? EXIT.done : usage(error.message.replace(/^error: /, ''), output, path);
  }
  const { code, message } = describeError(error);
  output.error(code, message);
  return EXIT.refused;
}

function usage(message: string, output: Output, path: string): number {
  output.error('usage_error', message, `See ${path} --help`);
  return EXIT.usage;
}

export function describeError(error: unknown): { code: string; message: string } {
  if (error instanceof AppError) return { code: error.code, message: error.message };
  const message = firstLine(error);
  const state = sqlState(error);
  if (state === '55P03' || state === '57014') {
    return { code: 'database_busy', message: 'Somebody else is changing this at the moment: try again' };
  }
  if (error instanceof Error && error.name === 'KnexTimeoutError') {
    return { code: 'database_unreachable', message: 'The database does not answer within five seconds' };
  }
  if (isLostDatabase(error, state))
    return { code: 'database_unreachable', message: `The database: ${message}` };
  return { code: 'internal_error', message };
}

const NETWORK = /^E(CONN[A-Z]+|NOTFOUND|TIMEDOUT|HOSTUNREACH|NETUNREACH|PIPE|AI_AGAIN)$/;

/** Connection, authorization, shutdown and "no such database", as PostgreSQL, the network and the pool report them. */
function isLostDatabase(error: unknown, state: string | undefined): boolean {
  if (state) return /^(08|28|57P|3D)/.test(state);
  const { code, syscall } = (error ?? {}) as { code?: string; syscall?: string };
  return (
    syscall === 'connect' ||
    NETWORK.test(code ?? '') ||
    /^Connection terminated|^timeout exceeded/.test(firstLine(error))
  );
}

/** One line; Knex writes the statement with its values before " - ", and those may be anyone's data. */
function firstLine(error: unknown): string {
  const { errors, message } = (error ?? {}) as { errors?: unknown[]; message?: string };
  // Of a host with several addresses, the first one's failure.
  if (errors?.length) return firstLine(errors[0]);
  if (message === undefined) return String(error);
  return (sqlState(error) ? message.split(' - ').at(-1)! : message).split('\n')[0]!;
}

function isCommanderError(error: unknown): error is Error & { exitCode: number } {
  return error instanceof Error && String((error as { code?: unknown }).code).startsWith('commander.');
}
