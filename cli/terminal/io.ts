import type { Readable, Writable } from 'node:stream';
import type { Screen } from './screen';

/** Process resources that a command uses; a test passes its own. */
export interface Io {
  stdin: Readable;
  stdout: Writable;
  stderr: Writable;
  env: Record<string, string | undefined>;
  /** True on a terminal: the command may ask questions. */
  isTTY: boolean;
  /** Absent when stdout is a pipe. */
  screen?: Screen;
  /** Called when a change is committed or a secret is printed, so that a later output failure can report it. */
  onResult?: (what: 'change' | 'secret') => void;
  /** Ctrl-C outside a prompt. */
  interrupted?: AbortSignal;
  /** Root folder of the installation; DATA_DIR defaults to a folder in it. */
  root: string;
}

/** Signals Ctrl-C: exit 130; nothing was written unless the message says so. */
export class CancelledError extends Error {
  override readonly name = 'CancelledError';
}

/** Handles Ctrl-C outside a prompt. */
export interface Interruption {
  /**
   * Runs `work` until it ends or the person presses Ctrl-C.
   * @throws CancelledError
   */
  until<T>(work: () => Promise<T>): Promise<T>;
  /** Delays an interruption until `heed`, so that a committed change still prints its answer. */
  defer(): void;
  heed(): void;
}

export function watchInterruption(interrupted: AbortSignal | undefined): Interruption {
  let deferred = false;
  let late = false;

  return {
    async until(work) {
      if (!interrupted) return work();
      if (interrupted.aborted) throw new CancelledError();
      let leave = (): void => {};
      const stopped = new Promise<never>((_, reject) => {
        leave = () => {
          if (deferred) late = true;
          else reject(new CancelledError());
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
    defer: () => (deferred = true),
    heed: () => (deferred = false),
  };
}
