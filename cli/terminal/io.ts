import { readFileSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import path from 'node:path';
import type { Screen } from './screen';

/** Process resources that a command uses; a test passes its own. */
export interface Io {
  stdin: Readable;
  stdout: Writable;
  stderr: Writable;
  env: Record<string, string | undefined>;
  /** The .env file of the working directory. The file may be missing. Undefined: no .env file is read. */
  envFile?: string;
  /** True on a terminal: the command may ask questions. */
  isTTY: boolean;
  /** The width and the colours of the terminal at stdout. Undefined or PIPE: stdout is not a terminal. */
  screen?: Screen;
  /** Aborted by Ctrl-C outside a prompt. */
  interrupted?: AbortSignal;
  /** Present in a series of questions, where Esc goes back one question. */
  history?: AnswerHistory;
  /** Root folder of the installation; DATA_DIR defaults to a folder in it. */
  root: string;
}

/** Remembers the answers to a series of questions, so that Esc goes back one question. */
export interface AnswerHistory {
  /**
   * Returns the recorded answer to the next question of the series, or asks the question.
   * @param ask receives the answer that the person gave before going back, or undefined
   */
  answer<T>(ask: (before: T | undefined) => Promise<T>): Promise<T>;
}

/** Returns the version of the installation. */
export function readVersion({ root }: Pick<Io, 'root'>): string {
  return (JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as { version: string }).version;
}

/** Signals Ctrl-C: exit 130; nothing was written unless the message says so. */
export class CancelledError extends Error {
  override readonly name = 'CancelledError';
}

/** Signals that the reader of stdout has closed the pipe, as `head` does: the command ends without a message. */
export class ReaderGoneError extends Error {
  override readonly name = 'ReaderGoneError';
}

/** Signals Esc at a question that can be left. */
export class StepBack extends Error {
  override readonly name = 'StepBack';
}

/** Handles Ctrl-C outside a prompt. */
export interface Interruption {
  /**
   * Runs `work` until it ends or the person presses Ctrl-C.
   * @throws CancelledError
   */
  until<T>(work: () => Promise<T>): Promise<T>;
  /**
   * Delays an interruption until `resume` is called, so that the answer of a committed change is still printed. Call it before COMMIT.
   * @throws CancelledError if an interruption was already reported, because that report says that nothing was changed
   */
  defer(): void;
  resume(): void;
}

export function watchInterruption(interrupted: AbortSignal | undefined): Interruption {
  let deferred = false;
  let late = false;
  let reported = false;

  return {
    async until(work) {
      if (!interrupted) return work();
      if (interrupted.aborted) throw new CancelledError();
      let leave = (): void => {};
      const stopped = new Promise<never>((_, reject) => {
        leave = () => {
          if (deferred) late = true;
          else {
            reported = true;
            reject(new CancelledError());
          }
        };
        interrupted.addEventListener('abort', leave);
      });
      const result = await Promise.race([work(), stopped]).finally(() =>
        interrupted.removeEventListener('abort', leave),
      );
      if (late)
        throw new CancelledError('Interrupted, but the change was made and applies on every instance');
      return result;
    },
    defer() {
      if (reported) throw new CancelledError();
      deferred = true;
    },
    resume: () => (deferred = false),
  };
}

/** Waits for Ctrl-C. */
export function untilInterrupted({ interrupted }: Pick<Io, 'interrupted'>): Promise<void> {
  return untilAborted(interrupted);
}

/** Waits until the signal is aborted. Without a signal, waits for ever. */
export function untilAborted(signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    signal?.addEventListener('abort', () => resolve());
  });
}

/** Runs work that goes on until Ctrl-C, which is its normal end. */
export async function endAtInterruption(work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof CancelledError)) throw error;
  }
}
