import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  openSync,
  rmSync,
  writeSync,
} from 'node:fs';
import path from 'node:path';
import { flag } from './command';
import { mayAsk } from './confirm';
import { FileNotWrittenError, UsageError } from './failure';
import { fileName } from './values';
import { type Io, watchInterruption } from '../terminal/io';
import type { Output } from '../terminal/output';
import { askSecret } from '../terminal/prompts';

/**
 * Parses the name of a new file: the file must not exist, and its folder must be writable. So a wrong name is refused before the first
 * question.
 * @throws FileNotWrittenError
 */
function newSecretFile(text: string, name: string): string {
  const file = fileName(text, name);
  attempt(file, () => accessSync(path.dirname(file), constants.W_OK));
  if (existsSync(file)) throw notWritten(file, EXISTS);
  return file;
}

export const OUT_FLAG = flag('--out <file>', 'write the secret to a new file (0600), not to stdout', {
  parse: newSecretFile,
});

const EXISTS = 'it exists';

/**
 * Writes the secret that `issue` creates to a new file (0600), if a file is named. Opens the file before `issue` runs. Writes the secret to
 * disk before the transaction inside `issue` commits, so that no issued secret is lost.
 * @throws FileNotWrittenError, also if the file exists
 */
export async function withSecretFile<T>(
  file: string | undefined,
  issue: (keep: (secret: string) => void) => Promise<T>,
): Promise<T> {
  if (file === undefined) return issue(() => {});
  const descriptor = attempt(file, () => openSync(file, 'wx', 0o600));
  try {
    const result = await issue((secret) => {
      attempt(file, () => {
        writeSync(descriptor, `${secret}\n`);
        fsyncSync(descriptor);
      });
    });
    closeSync(descriptor);
    return result;
  } catch (error) {
    closeSync(descriptor);
    rmSync(file, { force: true });
    throw error;
  }
}

function notWritten(file: string, reason: string): FileNotWrittenError {
  return new FileNotWrittenError(file, reason, ', so nothing was issued: name another file');
}

const REASONS: Record<string, string> = {
  EEXIST: EXISTS,
  ENOENT: 'its folder does not exist',
  ENOTDIR: 'its folder does not exist',
  EACCES: 'its folder may not be written to',
  EROFS: 'its folder is read-only',
};

function attempt<T>(file: string, step: () => T): T {
  try {
    return step();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw notWritten(file, REASONS[code ?? ''] ?? message);
  }
}

/**
 * Reads a key or token from standard input, because shells store command lines and other users can see them.
 * @param verb named in the error if the input has no token, or several
 */
export async function readPastedToken(io: Io, output: Output, verb: string): Promise<string> {
  const text = await readText(io, output);
  if (text === '')
    throw new UsageError(`${verb} reads a key or token from standard input, and there was none`);
  return tokenIn(text, verb);
}

/** Finds the one credential in pasted text: a header, a quoted value, a line of a settings file. */
function tokenIn(text: string, verb: string): string {
  const found = new Set(text.match(/svc_[^\s"'`,;<>()&#]*/g));
  if (found.size > 1) throw new UsageError(`${verb} takes one key or token, and there are ${found.size}`);
  return [...found][0] ?? text;
}

async function readText(io: Io, output: Output): Promise<string> {
  if (mayAsk({ io, output })) return (await askSecret(io, 'Key or token')).trim();
  return watchInterruption(io.interrupted).until(() => readAll(io));
}

async function readAll(io: Io): Promise<string> {
  let text = '';
  for await (const chunk of io.stdin) {
    text += String(chunk);
    if (text.length > 10_000) break;
  }
  return text.trim();
}
