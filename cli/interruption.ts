import { CancelledError } from './prompts';

/** Ctrl-C outside a prompt. */
export interface Interruption {
  /**
   * Runs `work` until it ends or the person has had enough.
   * @throws CancelledError
   */
  until<T>(work: () => Promise<T>): Promise<T>;
  /** From now on it waits: what was begun is done, and its answer is given. Until `heed`. */
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
      if (late) throw new CancelledError('Interrupted, but the change is made, and every instance obeys it');
      return result;
    },
    defer: () => (deferred = true),
    heed: () => (deferred = false),
  };
}
