import { databaseReason } from './errors';

/** A line of the log for all that failed since the line before. */
interface OutageLine {
  code: string | undefined;
  reason: string;
  /** The number of failures by the message that each would have logged. */
  failures: Record<string, number>;
}

const EVERY_MS = 1000;

/**
 * Collects the failures while the database is away: every request and every task fails then, for the same reason.
 * @param write is called at the first failure, and then once a second while there are more
 * @returns the function that records a failure
 */
export function createOutageLog(
  write: (line: OutageLine) => void,
): (error: unknown, message: string) => void {
  let failures: Record<string, number> = {};
  let last: unknown;
  let timer: NodeJS.Timeout | undefined;

  const writeAll = (): void => {
    timer = undefined;
    if (Object.keys(failures).length === 0) return;
    const line = { code: (last as { code?: string }).code, reason: databaseReason(last), failures };
    failures = {};
    timer = setTimeout(writeAll, EVERY_MS).unref();
    write(line);
  };
  return (error, message) => {
    failures[message] = (failures[message] ?? 0) + 1;
    last = error;
    if (!timer) writeAll();
  };
}
