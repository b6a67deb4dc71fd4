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
  if (error instanceof UsageError) return usage(error.message, output, error.hint ?? seeHelp(path));
  if (isCommanderError(error)) {
    if (error.exitCode === 0) return EXIT.done;
    // What commander suggests stands on a line of its own.
    const message = error.message.replace(/^error: /, '').replace('\n', ' ');
    return usage(message, output, seeHelp(path));
  }
  const { code, message } = describeError(error);
  output.error(code, message);
  return EXIT.refused;
}

function usage(message: string, output: Output, hint: string): number {
  output.error('usage_error', message, hint);
  return EXIT.usage;
}

function seeHelp(path: string): string {
  return `See ${path} --help`;
}

export function describeError(error: unknown): { code: string; message: string } {
  if (error instanceof AppError) return { code: error.code, message: error.message };
  const message = firstLine(error);
  const state = sqlState(error);
  if (state === '55P03' || state === '57014') {
    return { code: 'database_busy', message: 'Somebody else is changing this at the moment: try again' };
  }
  if (isSilence(error)) {
    return { code: UNREACHABLE, message: 'The database does not answer within five seconds' };
  }
  if (isLost(error, state)) return { code: UNREACHABLE, message: `The database: ${message}` };
  return { code: 'internal_error', message };
}

export function isDatabaseLost(error: unknown): boolean {
  return describeError(error).code === UNREACHABLE;
}

const UNREACHABLE = 'database_unreachable';
const NETWORK = /^E(CONN[A-Z]+|NOTFOUND|TIMEDOUT|HOSTUNREACH|NETUNREACH|PIPE|AI_AGAIN)$/;
/** What the driver says of itself, without a code. */
const SILENT = /^(timeout expired|timeout exceeded.*|Query read timeout)$/;
const BROKEN = /^(Connection terminated|Client has encountered a connection error|Client was closed)/;

function isSilence(error: unknown): boolean {
  return (error as Error | undefined)?.name === 'KnexTimeoutError' || SILENT.test(withoutStatement(error));
}

/** Connection, authorization, no more connections, shutdown and "no such database". */
function isLost(error: unknown, state: string | undefined): boolean {
  if (state) return /^(08|28|53300|57P|3D)/.test(state);
  const { syscall } = (error ?? {}) as { syscall?: string };
  return syscall === 'connect' || isNetworkError(error) || BROKEN.test(withoutStatement(error));
}

function isNetworkError(error: unknown): boolean {
  return NETWORK.test(String((error as { code?: unknown } | undefined)?.code));
}

/** One line; Knex writes the statement with its values before " - ", and those may be anyone's data. */
function firstLine(error: unknown): string {
  const { errors, message } = (error ?? {}) as { errors?: unknown[]; message?: string };
  // Of a host with several addresses, the first one's failure.
  if (errors?.length) return firstLine(errors[0]);
  if (message === undefined) return String(error);
  const tail = withoutStatement(error);
  const ofStatement = sqlState(error) ?? (isNetworkError(error) || BROKEN.test(tail));
  return (ofStatement ? tail : message).split('\n')[0]!;
}

function withoutStatement(error: unknown): string {
  return String((error as Error | undefined)?.message)
    .split(' - ')
    .at(-1)!;
}

function isCommanderError(error: unknown): error is Error & { exitCode: number } {
  return error instanceof Error && String((error as { code?: unknown }).code).startsWith('commander.');
}
