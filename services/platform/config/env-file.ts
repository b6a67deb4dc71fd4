import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { AppError } from '../errors';
import type { Environment } from '../read-variable';

/** An .env file that cannot be read, or a line of it. The message never contains the line: it may be a secret. */
class EnvFileError extends AppError {
  readonly code = 'invalid_configuration';

  constructor(file: string, problem: string) {
    super(`${file} ${problem}. Correct the file, or move it away`);
  }
}

/**
 * Reads the variables of an .env file by Node's own parser; there are none if the file does not exist.
 * @throws EnvFileError also for a line that the parser would skip without an error, or join with the next line
 */
export function readEnvFile(file: string): Environment {
  const text = readText(file);
  const issue = findIssue(text);
  if (issue) throw new EnvFileError(`${file}, line ${issue.line},`, issue.problem);
  return parseEnv(text);
}

function readText(file: string): string {
  try {
    // Some editors begin a file with a byte order mark, which the parser takes for a part of the first name.
    return readFileSync(file, 'utf8').replace(/^\uFEFF/, '');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return '';
    throw new EnvFileError(file, `cannot be read (${message})`);
  }
}

const BLANK_OR_COMMENT = /^\s*(#|$)/;
const ASSIGNMENT = /^\s*(?:export\s+)?[A-Za-z_]\w*\s*=\s*(.*)$/;

/** Finds the first line that is neither blank, nor a comment, nor NAME=value. A value in quotes may have several lines. */
function findIssue(text: string): { line: number; problem: string } | undefined {
  const lines = text.split(/\r?\n/);
  for (let at = 0; at < lines.length; at++) {
    if (BLANK_OR_COMMENT.test(lines[at]!)) continue;
    const value = ASSIGNMENT.exec(lines[at]!)?.[1];
    if (value === undefined) return { line: at + 1, problem: 'is not NAME=value' };
    const quote = /^["'`]/.exec(value)?.[0];
    if (!quote || value.indexOf(quote, 1) > 0) continue;
    const end = lines.findIndex((line, number) => number > at && line.includes(quote));
    if (end < 0) return { line: at + 1, problem: `has no closing ${quote}` };
    at = end;
  }
  return undefined;
}
